import type { MemoryName } from '../memory/slug.ts';
import { findBase } from './bases.ts';
import { recordColumns } from './memories.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows } from './statement.ts';

/**
 * Rows as answers show them: a row that a shell made invalid says what its last good record says, which is that of its base
 * (SY-42). One without a base never was good and stays as it is: `admit` keeps it out (SY-24).
 *
 * @param rows - of `memories`, with any of its columns but always the name
 */
export function lastGood<Row extends { readonly name: string }>(db: SqliteDatabase, rows: readonly Row[]): Row[] {
  const quarantined = allRows<{ name: string }>(db, `SELECT name FROM quarantine WHERE side = 'row'`);
  if (quarantined.length === 0) return [...rows];
  const names = new Set(quarantined.map(({ name }) => name));
  return rows.map((row) => {
    const base = names.has(row.name) ? findBase(db, row.name as MemoryName) : null;
    if (base === null) return row;
    const good = Object.entries(recordColumns(base.record)).filter(([column]) => column in row);
    return { ...row, ...Object.fromEntries(good) };
  });
}

const column = (key: string) => `json_extract(b.record, '$.${key}') AS ${key}`;

/** The last good records of quarantined rows, with the columns of `memories` that a filter looks at. */
export const LAST_GOOD = `(SELECT m.pk, m.name, ${['type', 'project_scoped', 'project_slug'].map(column).join(', ')}
  FROM quarantine q JOIN memories m ON m.name = q.name JOIN bases b ON b.name = q.name WHERE q.side = 'row')`;
