import type { archive } from '../../drizzle/schema.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { recordFromJson, recordToJson } from '../memory/record-json.ts';
import type { MemoryName } from '../memory/slug.ts';
import { contentHash } from '../text/content-hash.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

type ArchiveRow = typeof archive.$inferSelect;

export type ArchiveOrigin = ArchiveRow['origin'];

/** A tombstone: the record and the bytes of a memory that is no longer live (SY-33). */
export interface ArchivedMemory {
  readonly id: number;
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly bytes: Uint8Array | null;
  readonly origin: ArchiveOrigin;
  readonly atMs: number;
  readonly goneTo: string | null;
  readonly restoredAtMs: number | null;
}

export function addArchived(
  db: SqliteDatabase,
  entry: Omit<ArchivedMemory, 'id' | 'restoredAtMs' | 'goneTo'> & { readonly goneTo?: string | null },
): void {
  const record = recordToJson(entry.record);
  run(
    db,
    'INSERT INTO archive(name, record, bytes, record_hash, origin, at_ms, gone_to) VALUES (?, ?, ?, ?, ?, ?, ?)',
    entry.name,
    record,
    entry.bytes,
    contentHash(record),
    entry.origin,
    entry.atMs,
    entry.goneTo ?? null,
  );
}

/** The newest tombstone of a name that was not restored since. */
export function findArchived(db: SqliteDatabase, name: MemoryName): ArchivedMemory | null {
  const row = oneRow<ArchiveRow>(
    db,
    'SELECT * FROM archive WHERE name = ? AND restored_at_ms IS NULL ORDER BY id DESC LIMIT 1',
    name,
  );
  return row === null ? null : toArchived(row);
}

/** Every tombstone that was not restored, newest first. */
export function listArchived(db: SqliteDatabase): ArchivedMemory[] {
  return allRows<ArchiveRow>(db, 'SELECT * FROM archive WHERE restored_at_ms IS NULL ORDER BY id DESC').map(toArchived);
}

export function markRestored(db: SqliteDatabase, name: MemoryName, atMs: number): void {
  run(db, 'UPDATE archive SET restored_at_ms = ? WHERE name = ? AND restored_at_ms IS NULL', atMs, name);
}

/** How many deletions sync itself applied since `sinceMs`; `forget` and superseding are wishes of a person (SY-31). */
export function countSyncDeletionsSince(db: SqliteDatabase, sinceMs: number): number {
  return (
    oneRow<{ n: number }>(
      db,
      `SELECT count(*) AS n FROM archive WHERE at_ms >= ? AND origin IN ('file-removed', 'sql-delete')`,
      sinceMs,
    )?.n ?? 0
  );
}

/** Whether one of these names is live, or was. */
export function hasEverBeen(db: SqliteDatabase, names: readonly MemoryName[]): boolean {
  const list = JSON.stringify(names);
  return (
    oneRow(
      db,
      `SELECT 1 FROM memories WHERE name IN (SELECT value FROM json_each(?))
       UNION ALL SELECT 1 FROM archive WHERE name IN (SELECT value FROM json_each(?)) LIMIT 1`,
      list,
      list,
    ) !== null
  );
}

function toArchived(row: ArchiveRow): ArchivedMemory {
  return {
    id: row.id,
    name: row.name as MemoryName,
    record: recordFromJson(row.record),
    bytes: row.bytes,
    origin: row.origin,
    atMs: row.at_ms,
    goneTo: row.gone_to,
    restoredAtMs: row.restored_at_ms,
  };
}
