import type { Transactable } from '../store/transaction.ts';
import { activateSpace, activeSpace, type VectorSpace } from '../store/vector-spaces.ts';
import { contentHash } from '../text/content-hash.ts';
import { backgroundOf } from './background.ts';
import type { Embedder, EmbedderIdentity } from './embed/embedder.ts';
import { isOf } from './embedder-source.ts';

/**
 * The space of an embedder, which becomes the active one if it is not; another one and its vectors are dropped then
 * (SE-21, SE-26).
 *
 * @throws EngramError `model.*`; the other space is still there then
 */
export async function openSpace(store: Transactable, embedder: Embedder): Promise<VectorSpace> {
  const active = activeSpace(store.db);
  if (active !== null && isOf(active, embedder.identity)) return active;
  const space = { ...embedder.identity, space: spaceId(embedder.identity), background: await backgroundOf(embedder) };
  activateSpace(store, space);
  return space;
}

function spaceId({ provider, model, revision, dims, recipe }: EmbedderIdentity): string {
  return contentHash(JSON.stringify([provider, model, revision, dims, recipe])).slice(0, 32);
}
