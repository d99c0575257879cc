import type { MemoryTexts } from '../text/index-text.ts';
import { lastGoodToShare, WITH_GOOD } from './last-good.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';
import { isActiveSpace } from './vector-spaces.ts';

/** A memory whose vector is missing, stale, or due to be tried again. */
export interface Unembedded extends MemoryTexts {
  readonly pk: number;
  /** How often its text has been tried in vain. */
  readonly failures: number;
}

/** What came of embedding one memory. */
export interface EmbeddingRow {
  readonly pk: number;
  /** Hash of exactly the texts that the model was given (SE-23). */
  readonly textHash: string;
  readonly result:
    | {
        readonly state: 'ready';
        /** Norm 1, float32. */
        readonly vector: Uint8Array;
        /** Norm of the mean before it was scaled (SE-22). */
        readonly norm: number;
        readonly tokens: Uint8Array | null;
      }
    /** The model cannot read it (SE-29). */
    | { readonly state: 'unreadable' }
    | { readonly state: 'failed'; readonly error: string; readonly failures: number };
}

/** How far the memories have their vectors. */
export interface EmbeddingCounts {
  readonly ready: number;
  readonly unreadable: number;
  readonly failed: number;
  /** Without a current row. */
  readonly missing: number;
}

/** Pauses before a failed text is tried again; after the last one it is tried when text or space changes (SE-24). */
const PAUSES_MS = [60_000, 600_000, 3_600_000, 21_600_000];

/**
 * The first `limit` memories that want embedding, the newest first: what was just learned is asked for soonest.
 *
 * @param among - names outside which none are wanted; null: all
 */
export function listUnembedded(
  db: SqliteDatabase,
  space: string,
  nowMs: number,
  limit: number,
  among: readonly string[] | null = null,
): Unembedded[] {
  const rows = allRows<Unembedded & { readonly name: string }>(
    db,
    `SELECT m.pk, name, situation, behavior, impact, action, subject, predicate, object,
       CASE WHEN e.text_hash IS NULL THEN 0 ELSE coalesce(CAST(substr(e.state, 8) AS INTEGER), 0) END AS failures
     FROM memories m LEFT JOIN embeddings e ON e.pk = m.pk AND e.part = 'record' AND e.space = ?
     WHERE ${WANTS} ${among === null ? '' : 'AND m.name IN (SELECT value FROM json_each(?))'} ORDER BY m.pk DESC LIMIT ?`,
    space,
    ...pauses(nowMs),
    ...(among === null ? [] : [JSON.stringify(among)]),
    limit,
  );
  return lastGoodToShare(db, rows);
}

/** How many memories want embedding now. */
export function countUnembedded(db: SqliteDatabase, space: string, nowMs: number): number {
  const counted = oneRow<{ n: number }>(
    db,
    `SELECT count(*) AS n FROM memories m LEFT JOIN embeddings e ON e.pk = m.pk AND e.part = 'record' AND e.space = ?
     WHERE ${WANTS}`,
    space,
    ...pauses(nowMs),
  );
  return counted?.n ?? 0;
}

export function countEmbeddings(db: SqliteDatabase, space: string): EmbeddingCounts {
  const counts = oneRow<EmbeddingCounts>(
    db,
    `SELECT count(*) FILTER (WHERE e.text_hash IS NOT NULL AND e.state = 'ready') AS ready,
       count(*) FILTER (WHERE e.text_hash IS NOT NULL AND e.state = 'unreadable') AS unreadable,
       count(*) FILTER (WHERE e.text_hash IS NOT NULL AND e.state LIKE 'failed:%') AS failed,
       count(*) FILTER (WHERE e.text_hash IS NULL) AS missing
     FROM memories m LEFT JOIN embeddings e ON e.pk = m.pk AND e.part = 'record' AND e.space = ?
     WHERE ${WITH_GOOD}`,
    space,
  );
  return counts ?? { ready: 0, unreadable: 0, failed: 0, missing: 0 };
}

/** A memory that the model has no usable vector for. */
export interface FailedEmbedding {
  readonly name: string;
  readonly error: string;
  /** How often it was tried. */
  readonly failures: number;
  /** From when on it is tried again; null: when its text or the model changes (SE-24). */
  readonly retryMs: number | null;
}

export function listFailedEmbeddings(db: SqliteDatabase, space: string, limit: number): FailedEmbedding[] {
  const rows = allRows<{ name: string; error: string; failures: number; at_ms: number }>(
    db,
    `SELECT name, error, CAST(substr(e.state, 8) AS INTEGER) AS failures, at_ms
     FROM embeddings e JOIN memories m ON m.pk = e.pk
     WHERE e.part = 'record' AND e.space = ? AND e.state LIKE 'failed:%' AND e.text_hash IS NOT NULL
     ORDER BY name LIMIT ?`,
    space,
    limit,
  );
  return rows.map(({ name, error, failures, at_ms }) => {
    const pause = PAUSES_MS[failures - 1];
    return { name, error, failures, retryMs: pause === undefined ? null : at_ms + pause };
  });
}

/**
 * Writes what came of embedding memories; one that was deleted meanwhile is left out.
 *
 * @returns false, and nothing is written, when `space` is no longer the one that is queried (SE-26)
 */
export function writeEmbeddings(
  store: Transactable,
  space: string,
  rows: readonly EmbeddingRow[],
  isCurrent: (pk: number, textHash: string) => boolean,
  nowMs: number,
): boolean {
  return immediately(store, () => {
    if (!isActiveSpace(store.db, space)) return false;
    for (const { pk, textHash, result } of rows) {
      // The text has changed while it was embedded: the next pass embeds it again.
      if (!isCurrent(pk, textHash)) continue;
      const ready = result.state === 'ready' ? result : { vector: null, norm: null, tokens: null };
      run(
        store.db,
        `INSERT INTO embeddings(pk, part, space, text_hash, norm, state, error, at_ms, vector, tokens)
         VALUES (?, 'record', ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(pk, part, space) DO UPDATE SET text_hash = excluded.text_hash, norm = excluded.norm,
           state = excluded.state, error = excluded.error, at_ms = excluded.at_ms, vector = excluded.vector,
           tokens = excluded.tokens`,
        pk,
        space,
        textHash,
        ready.norm,
        result.state === 'failed' ? `failed:${result.failures}` : result.state,
        result.state === 'failed' ? result.error : null,
        nowMs,
        ready.vector,
        ready.tokens,
      );
    }
    return true;
  });
}

/** A vector of one memory: its bytes, and the norm that similarity is multiplied by. */
export interface StoredVector {
  readonly pk: number;
  readonly norm: number;
  readonly vector: Uint8Array;
}

/** The current vectors of these memories. */
export function listVectors(db: SqliteDatabase, space: string, pks: readonly number[]): StoredVector[] {
  return allRows<StoredVector>(
    db,
    `SELECT pk, norm, vector FROM embeddings
     WHERE part = 'record' AND space = ? AND state = 'ready' AND text_hash IS NOT NULL AND norm IS NOT NULL
       AND vector IS NOT NULL AND pk IN (SELECT value FROM json_each(?))`,
    space,
    JSON.stringify(pks),
  );
}

/** The current token vectors of these memories. */
export function listTokens(
  db: SqliteDatabase,
  space: string,
  pks: readonly number[],
): { readonly pk: number; readonly tokens: Uint8Array }[] {
  return allRows(
    db,
    `SELECT pk, tokens FROM embeddings
     WHERE part = 'record' AND space = ? AND state = 'ready' AND text_hash IS NOT NULL AND tokens IS NOT NULL
       AND pk IN (SELECT value FROM json_each(?))`,
    space,
    JSON.stringify(pks),
  );
}

/** No current row, or one that failed and has waited long enough. */
const WANTS = `${WITH_GOOD} AND (e.text_hash IS NULL ${PAUSES_MS.map((_, at) => `OR (e.state = 'failed:${at + 1}' AND e.at_ms <= ?)`).join(' ')})`;

function pauses(nowMs: number): number[] {
  return PAUSES_MS.map((pause) => nowMs - pause);
}
