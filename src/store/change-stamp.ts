import type { SqliteDatabase } from './native.ts';
import { oneRow } from './statement.ts';

/**
 * Says whether anything in the database may have changed: two equal stamps of one connection mean that no other
 * connection committed and this one changed no row in between. What long-running processes keep in memory hangs on it.
 */
export function changeStamp(db: SqliteDatabase): string {
  // One counts what others committed, the other what this connection did.
  const others = oneRow<{ data_version: number }>(db, 'PRAGMA data_version')?.data_version;
  const own = totalChanges(db) - (ofNoCount.get(db) ?? 0);
  return `${others}/${own}`;
}

/** Runs `work`, whose changes (of temporary tables) leave the stamp as it is. */
export function withoutStamp<T>(db: SqliteDatabase, work: () => T): T {
  const before = totalChanges(db);
  try {
    return work();
  } finally {
    ofNoCount.set(db, (ofNoCount.get(db) ?? 0) + totalChanges(db) - before);
  }
}

const ofNoCount = new WeakMap<SqliteDatabase, number>();

function totalChanges(db: SqliteDatabase): number {
  return oneRow<{ n: number }>(db, 'SELECT total_changes() AS n')?.n ?? 0;
}
