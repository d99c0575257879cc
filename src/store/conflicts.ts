import type { conflicts } from '../../drizzle/schema.ts';
import type { MemoryName } from '../memory/slug.ts';
import { redact } from '../text/secrets.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run, statement } from './statement.ts';

/** Clashing text of one memory, or with `other` a contradiction of two; open while `resolution` is null. */
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

/** `name`, the newer of two live memories, says in `field` the opposite of `other` (AG-46). */
export interface Contradiction {
  readonly name: MemoryName;
  readonly other: MemoryName;
  readonly field: 'action' | 'object';
}

/** Opens the conflict of two memories, for a person to decide; returns its number. A pair has one at a time, whichever is named first. */
export function openContradiction(db: SqliteDatabase, { name, other, field }: Contradiction, atMs: number): number {
  const open = findContradiction(db, name, other) ?? findContradiction(db, other, name);
  if (open !== null) return open;
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO conflicts(name, other, field, reason, at_ms) VALUES (?, ?, ?, 'contradiction', ?)`,
  ).run(name, other, field, atMs);
  return Number(lastInsertRowid);
}

/** The number of the open conflict of two memories, or null. */
export function findContradiction(db: SqliteDatabase, name: MemoryName, other: MemoryName): number | null {
  return (
    oneRow<{ id: number }>(
      db,
      'SELECT id FROM conflicts WHERE name = ? AND other = ? AND resolution IS NULL ORDER BY id LIMIT 1',
      name,
      other,
    )?.id ?? null
  );
}

/** The newer sides of all unresolved contradictions: the agent shows none of them (AG-16). */
export function listContradicted(db: SqliteDatabase): ReadonlySet<MemoryName> {
  const rows = allRows<{ name: MemoryName }>(
    db,
    'SELECT DISTINCT name FROM conflicts WHERE other IS NOT NULL AND resolution IS NULL',
  );
  return new Set(rows.map(({ name }) => name));
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

/** Ends the open conflicts of a memory that is no longer live, on whichever side it stands. */
export function closeConflicts(db: SqliteDatabase, name: MemoryName, resolution: string, atMs: number): void {
  run(
    db,
    'UPDATE conflicts SET resolution = ?, resolved_at_ms = ? WHERE (name = ? OR other = ?) AND resolution IS NULL',
    resolution,
    atMs,
    name,
    name,
  );
}
