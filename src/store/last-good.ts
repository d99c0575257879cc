import type { MemoryName } from '../memory/slug.ts';
import { findSecrets, redact } from '../text/secrets.ts';
import { findBase } from './bases.ts';
import { recordColumns } from './memories.ts';
import type { SqliteDatabase } from './native.ts';
import { QUARANTINED_ROWS } from './quarantine.ts';
import { allRows, oneRow } from './statement.ts';

/**
 * Rows as indexes and answers have them: a row that a shell made invalid says what its last good record says, which is that
 * of its base (SY-42). One without a base never was good: `admit` keeps it out (SY-24). Neither it nor a row that was changed
 * and not judged yet shows a secret (SY-27).
 *
 * @param rows - of `memories`, with any of its columns but always the name
 */
export function lastGood<Row extends { readonly name: string }>(db: SqliteDatabase, rows: readonly Row[]): Row[] {
  const quarantined = namesAmong(db, QUARANTINED_ROWS, rows);
  const unjudged = namesAmong(db, 'SELECT name FROM changes', rows);
  if (quarantined.size === 0 && unjudged.size === 0) return [...rows];
  return rows.map((row) => {
    const base = quarantined.has(row.name) ? findBase(db, row.name as MemoryName) : null;
    if (base === null) return quarantined.has(row.name) || unjudged.has(row.name) ? withoutSecrets(row) : row;
    const good = Object.entries(recordColumns(base.record)).filter(([column]) => column in row);
    return { ...row, ...Object.fromEntries(good) };
  });
}

/**
 * As `lastGood`, for what is handed to a model, perhaps on another machine: without rows that were changed and not judged
 * yet and hold a secret, in a text or in the name. `WITH_GOOD` leaves out those that were judged.
 */
export function lastGoodToShare<Row extends { readonly name: string }>(
  db: SqliteDatabase,
  rows: readonly Row[],
): Row[] {
  return lastGood(db, rows).filter((good, at) => {
    const [before, after] = [rows[at], good].map((row) => JSON.stringify(row ?? null));
    return before === after ? findSecrets(good.name).length === 0 : after?.includes('[redacted:') === false;
  });
}

/** For a statement over `memories m`: no row that is quarantined and never was good (SY-24). */
export const WITH_GOOD = `(m.name NOT IN (${QUARANTINED_ROWS}) OR m.name IN (SELECT name FROM bases))`;

function namesAmong(db: SqliteDatabase, select: string, rows: readonly { readonly name: string }[]): Set<string> {
  if (oneRow(db, `${select} LIMIT 1`) === null) return new Set();
  const names = JSON.stringify(rows.map(({ name }) => name));
  const sql = `SELECT DISTINCT name FROM (${select}) WHERE name IN (SELECT value FROM json_each(?))`;
  return new Set(allRows<{ name: string }>(db, sql, names).map(({ name }) => name));
}

function withoutSecrets<Row extends { readonly name: string }>(row: Row): Row {
  const columns = Object.entries(row).map(([key, value]) => [
    key,
    key !== 'name' && typeof value === 'string' ? redact(value) : value,
  ]);
  return Object.fromEntries(columns) as Row;
}

const column = (key: string) => `json_extract(b.record, '$.${key}') AS ${key}`;

/** The last good records of quarantined rows, with the columns of `memories` that a filter looks at. */
export const LAST_GOOD = `(SELECT m.pk, m.name, ${['type', 'project_scoped', 'project_slug'].map(column).join(', ')}
  FROM quarantine q JOIN memories m ON m.name = q.name JOIN bases b ON b.name = q.name WHERE q.side = 'row')`;
