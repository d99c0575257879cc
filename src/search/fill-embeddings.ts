import { availableParallelism } from 'node:os';
import { countUnembedded } from '../store/embeddings.ts';
import { countPartsUnembedded } from '../store/part-embeddings.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { openBulk } from './embed/bulk.ts';
import type { Embedder } from './embed/embedder.ts';
import { type EmbedLimits, type EmbedReport, embedMissing } from './embed-missing.ts';
import { embedParts } from './embed-parts.ts';
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
 * Embeds every memory whose vector is missing, then the parts that a judge compares (SE-22); many of them on one thread a core (SE-25). May be cut off at any point:
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
  const parts = countPartsUnembedded(store.db, space.space);
  if (missing + parts > 0) return embedAll(store, space, embedder, nowMs, { missing, parts }, options);
  keepVectorBlocks(store, space);
  return NOTHING_EMBEDDED;
}

const NOTHING_EMBEDDED: EmbedReport = { embedded: 0, unreadable: 0, failed: 0 };

async function embedAll(
  store: Transactable,
  space: VectorSpace,
  embedder: Embedder,
  nowMs: number,
  wanting: { readonly missing: number; readonly parts: number },
  { longestMs, aside, signal, onProgress }: FillOptions,
): Promise<EmbedReport> {
  const total = wanting.missing + wanting.parts;
  /** Vectors for search first; those that the judge compares are of no use without them. */
  const embed = async (by: Embedder, limits: Pick<EmbedLimits, 'deadlineMs' | 'batch' | 'signal'>) => {
    const all = { ...(signal === undefined ? {} : { signal }), ...limits };
    let [done, before] = [0, 0];
    const show = (now: number) => {
      done = before + now;
      onProgress?.(Math.min(done, total), total);
    };
    const report = await embedMissing(store, space, by, nowMs, { ...all, onProgress: show });
    keepVectorBlocks(store, space);
    before = done;
    await embedParts(store, space, by, nowMs, { ...all, onProgress: show });
    return report;
  };
  if (longestMs !== undefined) {
    return embed(embedder, {
      deadlineMs: monotonicMs() + longestMs,
      signal: AbortSignal.timeout(longestMs),
      batch: 4,
    });
  }
  if (embedder.identity.provider !== 'built-in') return embed(embedder, { batch: SERVER_BATCH });
  if (total < WORTH_THREADS && aside !== true) return embed(embedder, {});
  const threads = Math.min(availableParallelism(), Math.ceil(total / THREAD_BATCH));
  const bulk = openBulk(threads);
  try {
    return await embed(bulk, { batch: threads * THREAD_BATCH });
  } finally {
    await bulk.close();
  }
}
