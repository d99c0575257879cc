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
  return allRows<LedgerEntry>(
    db,
    'SELECT * FROM pending_writes WHERE name = ? OR other_name = ? ORDER BY id',
    name,
    name,
  );
}

export function listLedger(db: SqliteDatabase): LedgerEntry[] {
  return allRows<LedgerEntry>(db, 'SELECT * FROM pending_writes ORDER BY id');
}

export function hasLedgerEntry(db: SqliteDatabase, name: MemoryName): boolean {
  return oneRow(db, 'SELECT 1 FROM pending_writes WHERE name = ? OR other_name = ?', name, name) !== null;
}

/** Whether somebody is archiving a memory at this moment. */
export function isBeingRemoved(db: SqliteDatabase, name: MemoryName): boolean {
  return oneRow(db, `SELECT 1 FROM pending_writes WHERE name = ? AND op = 'delete'`, name) !== null;
}

/** Uses an entry up; false when somebody else did. */
export function removeLedgerEntry(db: SqliteDatabase, id: number): boolean {
  return statement(db, 'DELETE FROM pending_writes WHERE id = ?').run(id).changes === 1;
}

/** Memories that a write under way promotes; they count against the cap before their rows say so (MF-46). */
export function promotionsUnderWay(db: SqliteDatabase): MemoryName[] {
  return allRows<{ name: MemoryName }>(
    db,
    `SELECT name FROM pending_writes WHERE op = 'write'
       AND json_extract(payload, '$.agreement.target.core') = 1
       AND json_extract(payload, '$.agreement.target.core_origin') = 'auto'`,
  ).map((row) => row.name);
}
