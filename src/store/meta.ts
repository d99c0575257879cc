import type { MemoryDirectory } from '../memory/record.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';

type MetaKey = 'database-identity' | 'looping' | `directory:${MemoryDirectory}`;

export function getMeta(db: SqliteDatabase, key: MetaKey): string | null {
  return oneRow<{ value: string }>(db, 'SELECT value FROM meta WHERE key = ?', key)?.value ?? null;
}

export function setMeta(db: SqliteDatabase, key: MetaKey, value: string): void {
  run(
    db,
    'INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value',
    key,
    value,
  );
}
