import type { conflicts } from '../../drizzle/schema.ts';
import type { MemoryName } from '../memory/slug.ts';
import { redact } from '../text/secrets.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** Clashing text; open while `resolution` is null. */
export type ConflictRow = typeof conflicts.$inferSelect;

export interface NewConflict {
  readonly name: MemoryName;
  readonly field: string;
  readonly baseValue: string | null;
  readonly fileValue: string | null;
  readonly rowValue: string | null;
  readonly reason: string;
  readonly atMs: number;
}

/** Opens a conflict; the same clash is stored once (SY-20). What a row seemed to hold of a secret is a mark in it (D14). */
export function openConflict(db: SqliteDatabase, { rowValue, ...rest }: NewConflict): void {
  const conflict = { ...rest, rowValue: rowValue === null ? null : redact(rowValue) };
  run(
    db,
    `INSERT INTO conflicts(name, field, base_value, file_value, row_value, reason, at_ms)
     SELECT ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (
       SELECT 1 FROM conflicts WHERE name = ? AND field = ? AND file_value IS ? AND row_value IS ? AND resolution IS NULL)`,
    conflict.name,
    conflict.field,
    conflict.baseValue,
    conflict.fileValue,
    conflict.rowValue,
    conflict.reason,
    conflict.atMs,
    conflict.name,
    conflict.field,
    conflict.fileValue,
    conflict.rowValue,
  );
}

export function listConflicts(db: SqliteDatabase, options: { readonly all: boolean }): ConflictRow[] {
  return allRows<ConflictRow>(
    db,
    `SELECT * FROM conflicts ${options.all ? '' : 'WHERE resolution IS NULL'} ORDER BY id`,
  );
}

/** Conflicts of a memory with this reason, resolved ones included, oldest first. */
export function listConflictsOf(db: SqliteDatabase, name: MemoryName, reason: string): ConflictRow[] {
  return allRows<ConflictRow>(db, 'SELECT * FROM conflicts WHERE name = ? AND reason = ? ORDER BY id', name, reason);
}

export function findConflict(db: SqliteDatabase, id: number): ConflictRow | null {
  return oneRow<ConflictRow>(db, 'SELECT * FROM conflicts WHERE id = ?', id);
}

export function countOpenConflicts(db: SqliteDatabase): number {
  return oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM conflicts WHERE resolution IS NULL')?.n ?? 0;
}

export function resolveConflict(db: SqliteDatabase, id: number, resolution: string, atMs: number): void {
  run(db, 'UPDATE conflicts SET resolution = ?, resolved_at_ms = ? WHERE id = ?', resolution, atMs, id);
}

/** Ends the open conflicts of a memory that is no longer live. */
export function closeConflicts(db: SqliteDatabase, name: MemoryName, resolution: string, atMs: number): void {
  run(
    db,
    'UPDATE conflicts SET resolution = ?, resolved_at_ms = ? WHERE name = ? AND resolution IS NULL',
    resolution,
    atMs,
    name,
  );
}
