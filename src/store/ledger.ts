import type { pendingWrites } from '../../drizzle/schema.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, statement } from './statement.ts';

type LedgerRow = typeof pendingWrites.$inferSelect;

/** A file write under way. Hashes are of the file's bytes; null means no file (SY-36, SY-43). */
export type LedgerEntry = LedgerRow;

export type NewLedgerEntry = Omit<LedgerRow, 'id'>;

/** Notes a write before its rename; returns the entry's id. */
export function addLedgerEntry(db: SqliteDatabase, entry: NewLedgerEntry): number {
  const result = statement(
    db,
    `INSERT INTO pending_writes(name, other_name, op, old_hash, new_hash, payload, owner, at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    entry.name,
    entry.other_name,
    entry.op,
    entry.old_hash,
    entry.new_hash,
    entry.payload,
    entry.owner,
    entry.at_ms,
  );
  return Number(result.lastInsertRowid);
}

/** Entries of a name; a rename is listed under both of its names (SY-38). */
export function ledgerOf(db: SqliteDatabase, name: MemoryName): LedgerEntry[] {
  return allRows<LedgerEntry>(db, 'SELECT * FROM pending_writes WHERE name = ?1 OR other_name = ?1 ORDER BY id', name);
}

export function listLedger(db: SqliteDatabase): LedgerEntry[] {
  return allRows<LedgerEntry>(db, 'SELECT * FROM pending_writes ORDER BY id');
}

export function hasLedgerEntry(db: SqliteDatabase, name: MemoryName): boolean {
  return oneRow(db, 'SELECT 1 FROM pending_writes WHERE name = ?1 OR other_name = ?1', name) !== null;
}

/** Uses an entry up; false when somebody else did. */
export function removeLedgerEntry(db: SqliteDatabase, id: number): boolean {
  return statement(db, 'DELETE FROM pending_writes WHERE id = ?').run(id).changes === 1;
}
