import { listTexts } from '../store/candidates.ts';
import { countUnembedded, listUnembedded, type Unembedded, writeEmbeddings } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import type { Embedder, EmbedOptions } from './embed/embedder.ts';
import { embeddedText } from './embedded-text.ts';
import { embeddingRow } from './memory-vector.ts';
import { monotonicMs } from './stopwatch.ts';

export interface EmbedLimits {
  /** Memories at most; all of them when not given. */
  readonly limit?: number;
  /** Names of the memories that may be embedded; all of them when not given. */
  readonly among?: readonly string[];
  /** No memory is begun after this time of `monotonicMs()`. */
  readonly deadlineMs?: number;
  /** Memories that are embedded and written at a time; what was written is kept when the process ends. */
  readonly batch?: number;
  /** Ends waiting for a server; what was not embedded stays missing. */
  readonly signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
}

export interface EmbedReport {
  readonly embedded: number;
  /** Texts that the model cannot read (SE-29). */
  readonly unreadable: number;
  readonly failed: number;
}

/**
 * Embeds memories whose vector is missing or stale, newest first, each batch in a transaction of its own after it is
 * embedded; never under a lock (SE-25). A text that changes meanwhile is embedded by the next call. Ends early when another
 * process makes another space the active one (SE-26).
 *
 * @param nowMs - decides which failed texts are due again (SE-24)
 * @throws EngramError `model.*`, `database.*`
 */
export async function embedMissing(
  store: Transactable,
  space: VectorSpace,
  embedder: Embedder,
  nowMs: number,
  { limit = Number.POSITIVE_INFINITY, among, deadlineMs, batch = 16, signal, onProgress }: EmbedLimits = {},
): Promise<EmbedReport> {
  const report = { embedded: 0, unreadable: 0, failed: 0 };
  const total = Math.min(limit, onProgress === undefined ? limit : countUnembedded(store.db, space.space, nowMs));
  const tried = new Set<number>();
  while (tried.size < limit && signal?.aborted !== true && (deadlineMs === undefined || monotonicMs() < deadlineMs)) {
    const wanted = listUnembedded(store.db, space.space, nowMs, Math.min(batch, limit - tried.size), among);
    // One whose text changes all the time is left to the next call.
    const memories = wanted.filter(({ pk }) => !tried.has(pk));
    if (memories.length === 0) break;
    for (const { pk } of memories) tried.add(pk);
    const rows = await embedMemories(memories, embedder, signal === undefined ? {} : { signal }).catch((error) => {
      if (signal?.aborted) return null;
      throw error;
    });
    if (rows === null) break;
    if (!writeEmbeddings(store, space.space, rows, (pk, hash) => isCurrent(store.db, pk, hash), nowMs)) break;
    for (const { result } of rows) report[result.state === 'ready' ? 'embedded' : result.state] += 1;
    onProgress?.(tried.size, total);
  }
  return report;
}

async function embedMemories(memories: readonly Unembedded[], embedder: Embedder, options: EmbedOptions) {
  const texts = memories.map(embeddedText);
  const embeddings = await embedder.embed(
    texts.flatMap(({ situation, record }) => [situation, record]),
    'document',
    options,
  );
  return memories.flatMap((memory, at) => {
    const [text, situation, record] = [texts[at], embeddings[2 * at], embeddings[2 * at + 1]];
    if (text === undefined || situation === undefined || record === undefined) return [];
    return [embeddingRow(memory, text, [situation, record], embedder.identity.dims)];
  });
}

function isCurrent(db: SqliteDatabase, pk: number, hash: string): boolean {
  const [texts] = listTexts(db, [pk]);
  return texts !== undefined && embeddedText(texts).hash === hash;
}
