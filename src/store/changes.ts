import type { changes } from '../../drizzle/schema.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** One line of the change log that the triggers on `memories` write (D7). */
export type Change = typeof changes.$inferSelect;

export function hasChanges(db: SqliteDatabase): boolean {
  return oneRow(db, 'SELECT 1 FROM changes LIMIT 1') !== null;
}

export function listChanges(db: SqliteDatabase): Change[] {
  return allRows<Change>(db, 'SELECT * FROM changes ORDER BY seq');
}

/** Changes of one name, as new or old name, oldest first. */
export function changesOf(db: SqliteDatabase, name: MemoryName): Change[] {
  // The log is empty most of the time, and an import asks for every file.
  if (!hasChanges(db)) return [];
  return allRows<Change>(
    db,
    'SELECT * FROM changes WHERE name = ? UNION SELECT * FROM changes WHERE old_name = ? ORDER BY seq',
    name,
    name,
  );
}

export function lastChangeSeq(db: SqliteDatabase): number {
  return (
    oneRow<{ seq: number }>(db, `SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence WHERE name = 'changes'`)
      ?.seq ?? 0
  );
}

export function deleteChanges(db: SqliteDatabase, seqs: readonly number[]): void {
  for (const seq of seqs) run(db, 'DELETE FROM changes WHERE seq = ?', seq);
}

/** Removes what this transaction itself logged: everything after `seq`, read at its start. */
export function deleteChangesAfter(db: SqliteDatabase, seq: number): void {
  run(db, 'DELETE FROM changes WHERE seq > ?', seq);
}

/** What waits for the file of a memory follows it to its new name. */
export function renameChanges(db: SqliteDatabase, from: MemoryName, to: MemoryName): void {
  run(db, 'UPDATE changes SET name = ? WHERE name = ?', to, from);
}

/** Logs a change of a row that no trigger saw, as the trigger would have. */
export function logRowChange(db: SqliteDatabase, name: MemoryName, at: string): void {
  run(db, `INSERT INTO changes(op, name, old_name, at) VALUES ('update', ?, NULL, ?)`, name, at);
}

/** Forgets every logged change, in the transaction that makes all rows anew. */
export function clearChanges(db: SqliteDatabase): void {
  run(db, 'DELETE FROM changes');
}
