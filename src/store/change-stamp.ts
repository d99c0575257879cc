import type { SqliteDatabase } from './native.ts';
import { oneRow } from './statement.ts';

/**
 * Says whether anything in the database may have changed: two equal stamps of one connection mean that no other
 * connection committed and this one changed no row in between. What long-running processes keep in memory hangs on it.
 */
export function changeStamp(db: SqliteDatabase): string {
  // One counts what others committed, the other what this connection did.
  const others = oneRow<{ data_version: number }>(db, 'PRAGMA data_version')?.data_version;
  const own = oneRow<{ n: number }>(db, 'SELECT total_changes() AS n')?.n;
  return `${others}/${own}`;
}
