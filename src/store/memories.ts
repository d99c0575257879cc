import type { memories } from '../../drizzle/schema.ts';
import {
  CONTENT_KEYS,
  contentKeysOf,
  type MemoryDirectory,
  type MemoryRecord,
  RECORD_KEYS,
  type RecordKey,
} from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** A row of `memories`; NULL is an absent key (SY-25). */
export type MemoryRow = typeof memories.$inferSelect;

const FLAG_KEYS = ['core', 'needs_review', 'project_scoped'] as const satisfies readonly RecordKey[];

/**
 * What a row says: keys with NULL are missing, for the base to fill. So are empty texts of the keys that only the other
 * type has, which is what `.import` of a CSV file writes (SY-24). `extra` is not the row's to say.
 */
export function rowRecord(row: MemoryRow): Partial<MemoryRecord> {
  const type = row.type ?? (row.name.startsWith('facts/') ? 'fact' : 'feedback');
  const own: readonly RecordKey[] = contentKeysOf(type);
  const foreign: readonly RecordKey[] = CONTENT_KEYS.filter((key) => !own.includes(key));
  const record: Partial<Record<RecordKey, MemoryRecord[RecordKey]>> = {};
  for (const key of RECORD_KEYS) {
    const value = row[key];
    if (value === null || key === 'extra' || (value === '' && foreign.includes(key))) continue;
    record[key] = isFlagKey(key) ? value === 1 : value;
  }
  return record as Partial<MemoryRecord>;
}

export function findRow(db: SqliteDatabase, name: MemoryName): MemoryRow | null {
  return oneRow<MemoryRow>(db, 'SELECT * FROM memories WHERE name = ?', name);
}

export function countRows(db: SqliteDatabase): number {
  return oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM memories')?.n ?? 0;
}

export function listMemoryRows(db: SqliteDatabase): MemoryRow[] {
  return allRows<MemoryRow>(db, 'SELECT * FROM memories ORDER BY name');
}

export function countRowsIn(db: SqliteDatabase, directory: MemoryDirectory): number {
  const sql = 'SELECT count(*) AS n FROM memories WHERE substr(name, 1, ?) = ?';
  const prefix = `${directory}/`;
  return oneRow<{ n: number }>(db, sql, prefix.length, prefix)?.n ?? 0;
}

/** Memories that a person pinned, and those that outcomes promoted (MF-43, MF-44). */
export function countCores(db: SqliteDatabase): { readonly core: number; readonly promoted: number } {
  const sql = `SELECT count(*) AS core, coalesce(sum(core_origin = 'auto'), 0) AS promoted FROM memories WHERE core = 1`;
  return oneRow(db, sql) ?? { core: 0, promoted: 0 };
}

/** How often memories were shown without an outcome that is known (MF-48). */
export function countUnresolved(db: SqliteDatabase): number {
  const sql = `SELECT coalesce(sum(max(0, coalesce(surfaced_count, 0) - coalesce(followed_count, 0)
    - coalesce(not_followed_count, 0) - coalesce(irrelevant_count, 0))), 0) AS n FROM memories`;
  return oneRow<{ n: number }>(db, sql)?.n ?? 0;
}

export function listNames(db: SqliteDatabase): MemoryName[] {
  return allRows<{ name: MemoryName }>(db, 'SELECT name FROM memories ORDER BY name').map((row) => row.name);
}

/** Rows without a base, and bases without a row: each is a difference that no change log has to tell (SY-26). */
export function listNamesOnOneSide(db: SqliteDatabase): MemoryName[] {
  return allRows<{ name: MemoryName }>(
    db,
    `SELECT name FROM memories WHERE NOT EXISTS (SELECT 1 FROM bases WHERE bases.name = memories.name)
     UNION SELECT name FROM bases WHERE NOT EXISTS (SELECT 1 FROM memories WHERE memories.name = bases.name)`,
  ).map((row) => row.name);
}

const COLUMNS = [...RECORD_KEYS, 'text_updated_at', 'last_surfaced_at'] as const;
const UPSERT = `INSERT INTO memories(name, ${COLUMNS.join(', ')}) VALUES (?, ${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT(name) DO UPDATE SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/** Times that only the database keeps (MF-11). */
export interface RowTimes {
  readonly textUpdatedAt: string | null;
  readonly lastSurfacedAt: string | null;
}

/** A record as the columns of its row. */
export function recordColumns(record: MemoryRecord): Record<RecordKey, string | number | null> {
  const columns = RECORD_KEYS.map((key) => {
    const value = record[key];
    return [key, typeof value === 'boolean' ? Number(value) : value];
  });
  return Object.fromEntries(columns) as Record<RecordKey, string | number | null>;
}

/** Makes the row of `name` hold `record`; an existing row keeps its `pk`. */
export function writeRow(db: SqliteDatabase, name: MemoryName, record: MemoryRecord, times: RowTimes): void {
  run(db, UPSERT, name, ...Object.values(recordColumns(record)), times.textUpdatedAt, times.lastSurfacedAt);
}

export function deleteRow(db: SqliteDatabase, name: MemoryName): void {
  run(db, 'DELETE FROM memories WHERE name = ?', name);
}

/** Moves a row to another name, its `pk` and with it its index rows kept (SY-21). */
export function renameRow(db: SqliteDatabase, from: MemoryName, to: MemoryName): void {
  run(db, 'UPDATE memories SET name = ? WHERE name = ?', to, from);
}

/** The promoted memories, as the cap counts them (MF-46). */
export function listPromoted(db: SqliteDatabase): { name: MemoryName; textUpdatedAt: string | null }[] {
  return allRows(
    db,
    `SELECT name, text_updated_at AS textUpdatedAt FROM memories WHERE core = 1 AND core_origin = 'auto' ORDER BY name`,
  );
}

function isFlagKey(key: RecordKey): boolean {
  return (FLAG_KEYS as readonly RecordKey[]).includes(key);
}
