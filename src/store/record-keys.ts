import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';

/*
 * A key stands once as it is, for the first memory that had it. Copies made by hand have it too, as `<key>:<name>`, so
 * that the key is still known when that first memory goes.
 */

const ALIVE = `(EXISTS (SELECT 1 FROM memories WHERE memories.name = record_keys.name)
  OR EXISTS (SELECT 1 FROM pending_writes WHERE pending_writes.name = record_keys.name))`;

/** The memory that holds an exact key, live or being created at this moment, or null (SE-53). */
export function findByRecordKey(db: SqliteDatabase, key: string): MemoryName | null {
  const found = oneRow<{ name: MemoryName }>(
    db,
    // From the key itself to the end of its copies: `;` follows `:`.
    `SELECT name FROM record_keys WHERE key >= ? AND key < ? || ';' AND ${ALIVE} ORDER BY key LIMIT 1`,
    key,
    key,
  );
  return found?.name ?? null;
}

/** Makes `key` the key of `name`; the first memory that holds a key keeps it. */
export function setRecordKey(db: SqliteDatabase, name: MemoryName, key: string): void {
  const copy = `${key}:${name}`;
  run(db, 'DELETE FROM record_keys WHERE name = ? AND key NOT IN (?, ?)', name, key, copy);
  const isTaken =
    run(
      db,
      `INSERT INTO record_keys(key, name) VALUES (?, ?)
         ON CONFLICT(key) DO UPDATE SET name = excluded.name WHERE NOT ${ALIVE}`,
      key,
      name,
    ) === 0;
  if (!isTaken || oneRow(db, 'SELECT 1 FROM record_keys WHERE key = ? AND name = ?', key, name) !== null) return;
  run(db, 'INSERT INTO record_keys(key, name) VALUES (?, ?) ON CONFLICT(key) DO NOTHING', copy, name);
}

export function dropRecordKey(db: SqliteDatabase, name: MemoryName): void {
  run(db, 'DELETE FROM record_keys WHERE name = ?', name);
}
