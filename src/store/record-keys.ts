import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';

/** The memory that holds an exact key, live or being created at this moment, or null (SE-53). */
export function findByRecordKey(db: SqliteDatabase, key: string): MemoryName | null {
  const found = oneRow<{ name: MemoryName }>(
    db,
    `SELECT name FROM record_keys WHERE key = ? AND (EXISTS (SELECT 1 FROM memories WHERE memories.name = record_keys.name)
       OR EXISTS (SELECT 1 FROM pending_writes WHERE pending_writes.name = record_keys.name))`,
    key,
  );
  return found?.name ?? null;
}

/** Makes `key` the key of `name`; the first memory that holds a key keeps it. */
export function setRecordKey(db: SqliteDatabase, name: MemoryName, key: string): void {
  run(db, 'DELETE FROM record_keys WHERE name = ? AND key <> ?', name, key);
  run(
    db,
    `INSERT INTO record_keys(key, name) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET name = excluded.name
       WHERE NOT EXISTS (SELECT 1 FROM memories WHERE memories.name = record_keys.name)
         AND NOT EXISTS (SELECT 1 FROM pending_writes WHERE pending_writes.name = record_keys.name)`,
    key,
    name,
  );
}

export function dropRecordKey(db: SqliteDatabase, name: MemoryName): void {
  run(db, 'DELETE FROM record_keys WHERE name = ?', name);
}
