import type { Transactable } from '../store/transaction.ts';
import { activateSpace, activeSpace, type VectorSpace } from '../store/vector-spaces.ts';
import { contentHash } from '../text/content-hash.ts';
import { backgroundOf } from './background.ts';
import type { Embedder, EmbedderIdentity } from './embed/embedder.ts';

/**
 * The space of an embedder, which becomes the active one if it is not; another one and its vectors are dropped then
 * (SE-21, SE-26).
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export async function openSpace(store: Transactable, embedder: Embedder): Promise<VectorSpace> {
  const active = activeSpace(store.db);
  if (active !== null && sameIdentity(active, embedder.identity)) return active;
  const space = { ...embedder.identity, space: spaceId(embedder.identity), background: await backgroundOf(embedder) };
  activateSpace(store, space);
  return space;
}

function spaceId({ provider, model, revision, dims, recipe }: EmbedderIdentity): string {
  return contentHash(JSON.stringify([provider, model, revision, dims, recipe])).slice(0, 32);
}

export function sameIdentity(one: EmbedderIdentity, other: EmbedderIdentity): boolean {
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.revision === other.revision &&
    one.dims === other.dims &&
    one.recipe === other.recipe
  );
}
