import { availableParallelism } from 'node:os';
import { countEmbeddings, countUnembedded, type EmbeddingCounts } from '../store/embeddings.ts';
import type { Transactable } from '../store/transaction.ts';
import { activeSpace } from '../store/vector-spaces.ts';
import { openBulk } from './embed/bulk.ts';
import type { Embedder, EmbedderIdentity } from './embed/embedder.ts';
import { type EmbedReport, embedMissing } from './embed-missing.ts';
import { openSpace, sameIdentity } from './space.ts';

/** From so many memories on, threads are worth the start of them. */
const WORTH_THREADS = 32;
/** Memories that are embedded between two transactions, for each thread. */
const THREAD_BATCH = 32;

export interface FillOptions {
  onProgress?(done: number, total: number): void;
}

/**
 * Embeds every memory whose vector is missing; many of them on one thread a core (SE-25). May be cut off at any point:
 * what is written stays, and the next call goes on from there.
 *
 * @throws EngramError `model.missing`, `model.damaged`, `database.*`
 */
export async function fillEmbeddings(
  store: Transactable,
  embedder: Embedder,
  nowMs: number,
  { onProgress }: FillOptions = {},
): Promise<EmbedReport> {
  const space = await openSpace(store, embedder);
  const missing = countUnembedded(store.db, space.space, nowMs);
  if (missing === 0) return { embedded: 0, unreadable: 0, failed: 0 };
  const progress = onProgress === undefined ? {} : { onProgress };
  if (embedder.identity.provider !== 'built-in' || missing < WORTH_THREADS) {
    return embedMissing(store, space, embedder, nowMs, progress);
  }
  const threads = Math.min(availableParallelism(), Math.ceil(missing / THREAD_BATCH));
  const bulk = openBulk(threads);
  try {
    return await embedMissing(store, space, bulk, nowMs, { ...progress, batch: threads * THREAD_BATCH });
  } finally {
    await bulk.close();
  }
}

/** How far the memories have their vectors, and of which model. */
export interface EmbeddingStatus extends EmbeddingCounts {
  readonly model: EmbedderIdentity;
  /** The vectors in the database are of another model, or there are none yet. */
  readonly isActive: boolean;
}

/** Counts; changes nothing. */
export function embeddingStatus({ db }: Transactable, { identity }: Embedder): EmbeddingStatus {
  const active = activeSpace(db);
  const isActive = active !== null && sameIdentity(active, identity);
  return { model: identity, isActive, ...countEmbeddings(db, isActive ? active.space : '') };
}
