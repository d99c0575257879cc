import { contentHash } from '../text/content-hash.ts';
import { fieldTexts, INDEX_RECIPE, type MemoryTexts, termsText } from '../text/index-text.ts';
import { lastGood } from './last-good.ts';
import type { SqliteDatabase } from './native.ts';
import { listQuarantinedRows } from './quarantine.ts';
import { allRows, oneRow, run, statement } from './statement.ts';
import type { Transactable } from './transaction.ts';

export const FULL_TEXT_TABLES = ['fts_prose', 'fts_terms'] as const;
export type FullTextTableName = (typeof FULL_TEXT_TABLES)[number];

const MOST_PROBLEMS = 20;

/** What SQLite itself finds wrong with the file, full text left out: that can be made anew. Empty when all is well. */
export function integrityProblems(db: SqliteDatabase): string[] {
  return problems(db, () => [`PRAGMA integrity_check(${MOST_PROBLEMS})`]);
}

/**
 * The greater part of `integrityProblems` in half the time: each table by itself. Whether indexes agree with their tables
 * and whether pages are lost is left out; and SQLite, asked about the whole file, would check full text, which
 * `fullTextProblem` does as well.
 */
export function quickIntegrityProblems(db: SqliteDatabase): string[] {
  return problems(db, () =>
    allRows<{ name: string }>(
      db,
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')`,
    ).map(({ name }) => `PRAGMA quick_check("${name.replaceAll('"', '""')}")`),
  );
}

function problems(db: SqliteDatabase, checks: () => readonly string[]): string[] {
  try {
    return checks()
      .flatMap((check) => allRows<Record<string, string>>(db, check).flatMap((row) => Object.values(row)))
      .filter((line) => line !== 'ok' && !/fts5/i.test(line))
      .slice(0, MOST_PROBLEMS);
  } catch (error) {
    return [message(error)];
  }
}

/**
 * What the check with rank = 1 finds in a full-text table, the only one that compares index and text (SY-11); null when
 * all is well. It is a writing statement, so it runs in a transaction that is rolled back.
 */
export function fullTextProblem({ db }: Transactable, table: FullTextTableName): string | null {
  run(db, 'BEGIN IMMEDIATE');
  try {
    run(db, `INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    return null;
  } catch (error) {
    return message(error);
  } finally {
    if (db.inTransaction) run(db, 'ROLLBACK');
  }
}

export interface WrongIndexText {
  readonly pk: number;
  readonly name: string;
}

/** Memories whose index calls itself current but holds another text than their row. */
export function listWrongIndexTexts(db: SqliteDatabase): WrongIndexText[] {
  const wrong: WrongIndexText[] = [];
  const quarantined = new Set(listQuarantinedRows(db));
  for (const stored of statement(db, INDEXED).iterate(INDEX_RECIPE) as Iterable<IndexedRow>) {
    const row = quarantined.has(stored.name) ? (lastGood(db, [stored])[0] ?? stored) : stored;
    const { situation, entity, content } = fieldTexts(row);
    const same =
      row.hash === contentHash(`${situation}\0${entity}\0${content}`) &&
      row.prose_situation === situation &&
      row.prose_entity === entity &&
      row.prose_content === content &&
      row.terms_situation === termsText(situation) &&
      row.terms_entity === termsText(entity) &&
      row.terms_content === termsText(content);
    if (!same) wrong.push({ pk: row.pk, name: row.name });
  }
  return wrong;
}

interface IndexedRow extends MemoryTexts, WrongIndexText {
  readonly hash: string;
  readonly prose_situation: string | null;
  readonly prose_entity: string | null;
  readonly prose_content: string | null;
  readonly terms_situation: string | null;
  readonly terms_entity: string | null;
  readonly terms_content: string | null;
}

const INDEXED = `SELECT m.pk, m.name, m.situation, m.behavior, m.impact, m.action, m.subject, m.predicate, m.object,
    s.text_hash AS hash, p.situation AS prose_situation, p.entity AS prose_entity, p.content AS prose_content,
    t.situation AS terms_situation, t.entity AS terms_entity, t.content AS terms_content
  FROM memories m JOIN index_state s ON s.pk = m.pk
  LEFT JOIN fts_prose p ON p.rowid = m.pk LEFT JOIN fts_terms t ON t.rowid = m.pk
  WHERE s.text_hash IS NOT NULL AND s.recipe = ? ORDER BY m.name`;

/** Makes a full-text table anew, empty; a damaged one too. Runs inside a transaction. */
export function emptyFullText(db: SqliteDatabase, table: FullTextTableName): void {
  const made = oneRow<{ sql: string }>(db, `SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?`, table);
  if (made === null) return;
  db.exec(`DROP TABLE ${table}; ${made.sql}`);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
