import { contentHash } from '../text/content-hash.ts';
import { type FieldTexts, fieldTexts, INDEX_RECIPE, type MemoryTexts, termsText } from '../text/index-text.ts';
import { changeStamp } from './change-stamp.ts';
import { lastGood } from './last-good.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';

export interface IndexUpdate {
  /** Rows whose index was made anew. */
  readonly indexed: number;
  /** Rows left because of the limit; they are not searched until a later update (`index_partial`). */
  readonly remaining: number;
}

/** Rows a transaction: fewer cost more merging of segments, more keep other writers waiting (about 0.4 s). */
const CHUNK = 5000;

/**
 * Brings both full-text tables and `index_state` up to date with `memories`, and removes index rows whose memory is
 * gone. The one function that writes them (SE-8, SE-9, SY-9); it costs next to nothing when there is nothing to do.
 *
 * @param options - `limit`: how many rows at most; all of them when not given
 * @throws EngramError `database.busy`, `database.damaged`, `disk.full`
 */
export function updateIndexes(store: Transactable, options: { readonly limit?: number } = {}): IndexUpdate {
  if (currentAt.get(store.db) === changeStamp(store.db)) return { indexed: 0, remaining: 0 };
  const stale = listStale(store.db);
  const chosen = stale.slice(0, options.limit ?? stale.length);
  for (let from = 0; from < chosen.length; from += CHUNK) {
    const chunk = chosen.slice(from, from + CHUNK);
    immediately(store, () => indexRows(store.db, chunk));
  }
  if (chosen.length === stale.length) {
    // With no row missing, equal counts mean that no row is left over either.
    if (!countsAgree(store.db)) immediately(store, () => removeOrphans(store.db));
    currentAt.set(store.db, changeStamp(store.db));
  }
  return { indexed: chosen.length, remaining: stale.length - chosen.length };
}

/** Index rows without a memory: what a deletion leaves until the next update. For `db status`. */
export function countOrphans(db: SqliteDatabase): number {
  return countsAgree(db) && listStale(db).length === 0 ? 0 : listOrphans(db).length;
}

/** Memories that are not searched until the next update. For `db status`. */
export function countStale(db: SqliteDatabase): number {
  return listStale(db).length;
}

/** Marks the index of these memories old, so that the next update makes it anew. */
export function markStale(db: SqliteDatabase, pks: readonly number[]): void {
  for (const pk of pks) run(db, 'UPDATE index_state SET text_hash = NULL WHERE pk = ?', pk);
}

/** Forgets which rows are indexed, for tables that were emptied. Runs in their transaction. */
export function forgetIndex(db: SqliteDatabase): void {
  run(db, 'DELETE FROM index_state');
}

/** When each database was last found wholly indexed. */
const currentAt = new WeakMap<SqliteDatabase, string>();

/** Sorted here: sorted in SQL, it would read the wide rows of `memories` in place of an index. */
function listStale(db: SqliteDatabase): number[] {
  return allRows<{ pk: number }>(
    db,
    `SELECT memories.pk AS pk FROM memories LEFT JOIN index_state ON index_state.pk = memories.pk
     WHERE index_state.text_hash IS NULL OR index_state.recipe <> ?`,
    INDEX_RECIPE,
  )
    .map((row) => row.pk)
    .sort((one, other) => one - other);
}

function countsAgree(db: SqliteDatabase): boolean {
  const counts = oneRow<Record<'memories' | 'state' | 'prose' | 'terms', number>>(
    db,
    `SELECT (SELECT count(*) FROM memories) AS memories, (SELECT count(*) FROM index_state) AS state,
       (SELECT count(*) FROM fts_prose_docsize) AS prose, (SELECT count(*) FROM fts_terms_docsize) AS terms`,
  );
  return counts !== null && new Set(Object.values(counts)).size === 1;
}

function indexRows(db: SqliteDatabase, pks: readonly number[]): void {
  const present = new Set(listPresent(db, pks));
  // A memory deleted since the list was made is not among the rows: its index rows are orphans now.
  const rows = allRows<MemoryTexts & { readonly pk: number; readonly name: string }>(
    db,
    TEXTS_OF_ROWS,
    JSON.stringify(pks),
  );
  for (const row of lastGood(db, rows)) {
    if (present.has(row.pk)) removeIndexRow(db, row.pk);
    addIndexRow(db, row.pk, fieldTexts(row));
  }
}

const TEXTS_OF_ROWS = `SELECT pk, name, situation, behavior, impact, action, subject, predicate, object
  FROM memories WHERE pk IN (SELECT value FROM json_each(?))`;

/** Which of these have a row in either full-text table, as another process may have made since. */
function listPresent(db: SqliteDatabase, pks: readonly number[]): number[] {
  return allRows<{ pk: number }>(
    db,
    `SELECT value AS pk FROM json_each(?) WHERE value IN (SELECT id FROM fts_prose_docsize)
       OR value IN (SELECT id FROM fts_terms_docsize)`,
    JSON.stringify(pks),
  ).map((row) => row.pk);
}

function addIndexRow(db: SqliteDatabase, pk: number, texts: FieldTexts): void {
  const { situation, entity, content } = texts;
  run(
    db,
    'INSERT INTO fts_prose(rowid, situation, entity, content) VALUES (?, ?, ?, ?)',
    pk,
    situation,
    entity,
    content,
  );
  run(
    db,
    'INSERT INTO fts_terms(rowid, situation, entity, content) VALUES (?, ?, ?, ?)',
    pk,
    termsText(situation),
    termsText(entity),
    termsText(content),
  );
  run(
    db,
    `INSERT INTO index_state(pk, text_hash, recipe) VALUES (?, ?, ?)
     ON CONFLICT(pk) DO UPDATE SET text_hash = excluded.text_hash, recipe = excluded.recipe`,
    pk,
    contentHash(`${situation}\0${entity}\0${content}`),
    INDEX_RECIPE,
  );
}

/** A table that keeps its own text needs only the rowid to take a row out (SY-11). */
function removeIndexRow(db: SqliteDatabase, pk: number): void {
  run(db, 'DELETE FROM fts_prose WHERE rowid = ?', pk);
  run(db, 'DELETE FROM fts_terms WHERE rowid = ?', pk);
}

function listOrphans(db: SqliteDatabase): number[] {
  return allRows<{ pk: number }>(
    db,
    `SELECT id AS pk FROM fts_prose_docsize WHERE id NOT IN (SELECT pk FROM memories)
     UNION SELECT id FROM fts_terms_docsize WHERE id NOT IN (SELECT pk FROM memories)
     UNION SELECT pk FROM index_state WHERE pk NOT IN (SELECT pk FROM memories)`,
  ).map((row) => row.pk);
}

function removeOrphans(db: SqliteDatabase): void {
  for (const pk of listOrphans(db)) {
    removeIndexRow(db, pk);
    run(db, 'DELETE FROM index_state WHERE pk = ?', pk);
  }
}
