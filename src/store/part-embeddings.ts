import { lastGoodToShare, WITH_GOOD } from './last-good.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';
import { isActiveSpace } from './vector-spaces.ts';

/** A feedback memory whose behavior or action has no current vector. */
export interface PartsUnembedded {
  readonly pk: number;
  readonly behavior: string | null;
  readonly action: string | null;
}

/** What came of embedding one of the two. */
export interface PartRow {
  readonly pk: number;
  readonly part: 'behavior' | 'action';
  readonly textHash: string;
  /** Null: the model has no usable vector for it, and is not asked again until text or model changes. */
  readonly vectors: { readonly vector: Uint8Array; readonly tokens: Uint8Array | null } | null;
}

const WANTED = `m.type = 'feedback' AND ${WITH_GOOD}
  AND (SELECT count(*) FROM embeddings e WHERE e.pk = m.pk AND e.part IN ('behavior', 'action') AND e.space = ?
    AND e.text_hash IS NOT NULL) < 2`;

/**
 * The first `limit` of them with a pk below `below`, the newest first. Only memories that have a vector of their own: search
 * comes first.
 */
export function listPartsUnembedded(
  db: SqliteDatabase,
  space: string,
  below: number,
  limit: number,
): PartsUnembedded[] {
  const rows = allRows<PartsUnembedded & { readonly name: string }>(
    db,
    `SELECT m.pk, name, behavior, action FROM memories m WHERE m.pk < ? AND ${WANTED}
       AND EXISTS (SELECT 1 FROM embeddings e WHERE e.pk = m.pk AND e.part = 'record' AND e.space = ? AND e.state = 'ready'
         AND e.text_hash IS NOT NULL)
     ORDER BY m.pk DESC LIMIT ?`,
    below,
    space,
    space,
    limit,
  );
  return lastGoodToShare(db, rows);
}

/** How many there are, with those whose own vector is missing. */
export function countPartsUnembedded(db: SqliteDatabase, space: string): number {
  const sql = `SELECT count(*) AS n FROM memories m WHERE ${WANTED}`;
  return oneRow<{ n: number }>(db, sql, space)?.n ?? 0;
}

/**
 * Writes what came of embedding parts; those whose text has changed meanwhile are left out.
 *
 * @returns false, and nothing is written, when `space` is no longer the one that is queried (SE-26)
 */
export function writePartEmbeddings(
  store: Transactable,
  space: string,
  rows: readonly PartRow[],
  isCurrent: (pk: number, part: PartRow['part'], textHash: string) => boolean,
  nowMs: number,
): boolean {
  return immediately(store, () => {
    if (!isActiveSpace(store.db, space)) return false;
    for (const { pk, part, textHash, vectors } of rows) {
      if (!isCurrent(pk, part, textHash)) continue;
      run(
        store.db,
        `INSERT INTO embeddings(pk, part, space, text_hash, norm, state, error, at_ms, vector, tokens)
         VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)
         ON CONFLICT(pk, part, space) DO UPDATE SET text_hash = excluded.text_hash, norm = excluded.norm,
           state = excluded.state, error = NULL, at_ms = excluded.at_ms, vector = excluded.vector,
           tokens = excluded.tokens`,
        pk,
        part,
        space,
        textHash,
        vectors === null ? null : 1,
        vectors === null ? 'unreadable' : 'ready',
        nowMs,
        vectors?.vector ?? null,
        vectors?.tokens ?? null,
      );
    }
    return true;
  });
}

/** The current vectors of the parts of these memories, by the hash of their text; null: the model has none for it. */
export function listPartVectors(
  db: SqliteDatabase,
  space: string,
  pks: readonly number[],
): ReadonlyMap<string, PartRow['vectors']> {
  const rows = allRows<{ text_hash: string; vector: Uint8Array | null; tokens: Uint8Array | null }>(
    db,
    `SELECT text_hash, vector, tokens FROM embeddings
     WHERE part IN ('behavior', 'action') AND space = ? AND text_hash IS NOT NULL
       AND pk IN (SELECT value FROM json_each(?))`,
    space,
    JSON.stringify(pks),
  );
  return new Map(rows.map(({ text_hash, vector, tokens }) => [text_hash, vector === null ? null : { vector, tokens }]));
}
