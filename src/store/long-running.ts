import type { SqliteDatabase } from './native.ts';
import { oneRow } from './statement.ts';

/** Changes only when another connection has committed (SY-56). */
export function dataVersion(db: SqliteDatabase): number {
  return oneRow<{ data_version: number }>(db, 'PRAGMA data_version')?.data_version ?? 0;
}

/** Takes the write-ahead log into the database and empties it; where a reader is in the way, as far as it goes (SY-65). */
export function checkpoint(db: SqliteDatabase): void {
  db.pragma('wal_checkpoint(TRUNCATE)');
}
