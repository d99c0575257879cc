import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';

/** The live memory that holds an exact key, or null (SE-53). */
export function findByRecordKey(db: SqliteDatabase, key: string): MemoryName | null {
  return oneRow<{ name: MemoryName }>(db, 'SELECT name FROM record_keys WHERE key = ?', key)?.name ?? null;
}

/** Makes `key` the key of `name`; the first memory that holds a key keeps it. */
export function setRecordKey(db: SqliteDatabase, name: MemoryName, key: string): void {
  run(db, 'DELETE FROM record_keys WHERE name = ? AND key <> ?', name, key);
  run(db, 'INSERT INTO record_keys(key, name) VALUES (?, ?) ON CONFLICT(key) DO NOTHING', key, name);
}

export function dropRecordKey(db: SqliteDatabase, name: MemoryName): void {
  run(db, 'DELETE FROM record_keys WHERE name = ?', name);
}
