import type { MemoryTexts } from '../text/index-text.ts';
import { ADMITTED } from './admitted.ts';
import { lastGood } from './last-good.ts';
import type { MemoryRow } from './memories.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows } from './statement.ts';

export type FullTextTable = 'fts_prose' | 'fts_terms';

/** A memory that full text found. The hash is that of its texts: equal hash, equal texts. */
export interface Candidate {
  readonly pk: number;
  readonly textHash: string;
}

/** Candidates of one full-text table (SE-11). */
export const MOST_CANDIDATES = 200;

/**
 * The best admitted memories for `match`, by `bm25` with the weights of SE-11; `admit` has filled the set. The order
 * decides about the cut only: raw `bm25` is shown to nobody (SE-12).
 *
 * @param match - made by `compile-query`, which alone makes such texts (SE-10)
 */
export function listCandidates(db: SqliteDatabase, table: FullTextTable, match: string): Candidate[] {
  return allRows<Candidate>(db, candidateSql(table), match, MOST_CANDIDATES);
}

/**
 * The plus keeps the planner from probing FTS5 once per memory (SE-30). The filter stands inside, before the limit:
 * nothing is filtered after it.
 */
export function candidateSql(table: FullTextTable): string {
  return `SELECT found.pk AS pk, index_state.text_hash AS textHash
    FROM (SELECT rowid AS pk, bm25(${table}, 4.0, 4.0, 1.0) AS score FROM ${table}
      WHERE ${table} MATCH ? AND +rowid IN (${ADMITTED}) ORDER BY score LIMIT ?) AS found
    JOIN index_state ON index_state.pk = found.pk`;
}

/** These memories as candidates; one that is not indexed is left out. */
export function listIndexed(db: SqliteDatabase, pks: readonly number[]): Candidate[] {
  return allRows<Candidate>(
    db,
    `SELECT pk, text_hash AS textHash FROM index_state
     WHERE text_hash IS NOT NULL AND pk IN (SELECT value FROM json_each(?))`,
    JSON.stringify(pks),
  );
}

/** The keys of live memories, in no order; a name without a memory is left out. */
export function listPks(db: SqliteDatabase, names: readonly string[]): number[] {
  const sql = 'SELECT pk FROM memories WHERE name IN (SELECT value FROM json_each(?))';
  return allRows<{ pk: number }>(db, sql, JSON.stringify(names)).map(({ pk }) => pk);
}

/** The texts of live memories, in no order; a pk without a memory is left out. */
export function listTexts(db: SqliteDatabase, pks: readonly number[]): (MemoryTexts & { readonly pk: number })[] {
  const rows = allRows<MemoryTexts & { readonly pk: number; readonly name: string }>(
    db,
    `SELECT pk, name, situation, behavior, impact, action, subject, predicate, object
     FROM memories WHERE pk IN (SELECT value FROM json_each(?))`,
    JSON.stringify(pks),
  );
  return lastGood(db, rows);
}

export function findRowByPk(db: SqliteDatabase, pk: number): MemoryRow | null {
  return lastGood(db, allRows<MemoryRow>(db, 'SELECT * FROM memories WHERE pk = ?', pk))[0] ?? null;
}

/** The best 1,000 of the admitted rows for a session: core first, then the last changed text, unknown last. */
export function listAdmittedRows(db: SqliteDatabase): MemoryRow[] {
  const rows = allRows<MemoryRow>(
    db,
    `SELECT * FROM memories WHERE pk IN (${ADMITTED})
     ORDER BY coalesce(core, 0) DESC, text_updated_at IS NULL, text_updated_at DESC, name LIMIT 1000`,
  );
  return lastGood(db, rows);
}

/** An outcome that was counted in a situation (SE-38). */
export interface OutcomeSituation {
  readonly kind: 'followed' | 'irrelevant';
  readonly situation: string;
}

export function listOutcomeSituations(db: SqliteDatabase, name: string): OutcomeSituation[] {
  return allRows<OutcomeSituation>(
    db,
    `SELECT kind, situation FROM outcome_events
     WHERE name = ? AND kind IN ('followed', 'irrelevant') AND delta > 0 AND situation IS NOT NULL
     ORDER BY id DESC LIMIT 200`,
    name,
  );
}
