import { availableParallelism } from 'node:os';
import { countUnembedded } from '../store/embeddings.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { openBulk } from './embed/bulk.ts';
import type { Embedder } from './embed/embedder.ts';
import { type EmbedReport, embedMissing } from './embed-missing.ts';
import { openSpace } from './space.ts';
import { monotonicMs } from './stopwatch.ts';
import { keepVectorBlocks } from './vector-matrix.ts';

/** From so many memories on, threads are worth the start of them. */
const WORTH_THREADS = 32;
/** Memories that are embedded between two transactions, for each thread. */
const THREAD_BATCH = 32;

/** Memories of one batch for a server: several requests at a time. */
const SERVER_BATCH = 64;

export interface FillOptions {
  /** Asks a server what it gives by now, which may be other vectors than it used to. */
  readonly ask?: boolean;
  /** Ends after about so long; what is missing then is left to the next call. */
  readonly longestMs?: number;
  /** The built-in model on a thread of its own, however few there are: the caller's goes on, and gets its memory back. */
  readonly aside?: boolean;
  /** Aborted: what is under way is given up, and nothing more is begun. */
  readonly signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
}

/**
 * Embeds every memory whose vector is missing; many of them on one thread a core (SE-25). May be cut off at any point:
 * what is written stays, and the next call goes on from there.
 *
 * @throws EngramError `model.*`, `database.*`
 */
export async function fillEmbeddings(
  store: Transactable,
  embedder: Embedder,
  nowMs: number,
  options: FillOptions = {},
): Promise<EmbedReport> {
  const space = await openSpace(store, embedder);
  const missing = countUnembedded(store.db, space.space, nowMs);
  const report = missing === 0 ? NOTHING_EMBEDDED : await embedAll(store, space, embedder, nowMs, missing, options);
  keepVectorBlocks(store, space);
  return report;
}

const NOTHING_EMBEDDED: EmbedReport = { embedded: 0, unreadable: 0, failed: 0 };

async function embedAll(
  store: Transactable,
  space: VectorSpace,
  embedder: Embedder,
  nowMs: number,
  missing: number,
  { longestMs, aside, signal, onProgress }: FillOptions,
): Promise<EmbedReport> {
  const progress = {
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(signal === undefined ? {} : { signal }),
  };
  if (longestMs !== undefined) {
    const limits = { deadlineMs: monotonicMs() + longestMs, signal: AbortSignal.timeout(longestMs), batch: 4 };
    return embedMissing(store, space, embedder, nowMs, { ...progress, ...limits });
  }
  if (embedder.identity.provider !== 'built-in') {
    return embedMissing(store, space, embedder, nowMs, { ...progress, batch: SERVER_BATCH });
  }
  if (missing < WORTH_THREADS && aside !== true) return embedMissing(store, space, embedder, nowMs, progress);
  const threads = Math.min(availableParallelism(), Math.ceil(missing / THREAD_BATCH));
  const bulk = openBulk(threads);
  try {
    return await embedMissing(store, space, bulk, nowMs, { ...progress, batch: threads * THREAD_BATCH });
  } finally {
    await bulk.close();
  }
}
