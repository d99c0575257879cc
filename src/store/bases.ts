import { type MemoryDirectory, type MemoryRecord, TRACKING_KEYS, type TrackingKey } from '../memory/record.ts';
import { recordFromJson, recordToJson } from '../memory/record-json.ts';
import type { MemoryName } from '../memory/slug.ts';
import { type ContentHash, contentHash } from '../text/content-hash.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run, statement } from './statement.ts';

/** What a stat says of a file; doubles of milliseconds, compared for equality only. */
interface Signature {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** What file and row last agreed on. `path` lies below `memory/`, with the exact name on disk. */
export interface Base {
  readonly name: MemoryName;
  readonly path: string;
  readonly signature: Signature;
  readonly readAtMs: number;
  readonly readOnly: boolean;
  readonly syncedAtMs: number;
  readonly bytesHash: ContentHash;
  /** Tracking keys that the file had before and lost since (MF-22). */
  readonly lostKeys: readonly TrackingKey[];
  readonly record: MemoryRecord;
  readonly bytes: Uint8Array;
}

interface BaseRow {
  name: MemoryName;
  path: string;
  size_bytes: number;
  mtime_ms: number;
  ctime_ms: number;
  ino: number;
  read_at_ms: number;
  read_only: number;
  synced_at_ms: number;
  bytes_hash: ContentHash;
  lost_keys: string;
  record: string;
  bytes: Uint8Array;
}

export function findBase(db: SqliteDatabase, name: MemoryName): Base | null {
  const row = oneRow<BaseRow>(db, 'SELECT * FROM bases WHERE name = ?', name);
  return row === null ? null : toBase(row);
}

export function findBasesByBytes(db: SqliteDatabase, hash: ContentHash): { name: MemoryName; path: string }[] {
  return allRows(db, 'SELECT name, path FROM bases WHERE bytes_hash = ? ORDER BY name', hash);
}

const WRITE = `INSERT INTO bases(name, path, size_bytes, mtime_ms, ctime_ms, ino, read_at_ms, read_only, synced_at_ms,
    bytes_hash, lost_keys, record_hash, record, bytes)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(name) DO UPDATE SET path = excluded.path, size_bytes = excluded.size_bytes, mtime_ms = excluded.mtime_ms,
    ctime_ms = excluded.ctime_ms, ino = excluded.ino, read_at_ms = excluded.read_at_ms, read_only = excluded.read_only,
    synced_at_ms = excluded.synced_at_ms, bytes_hash = excluded.bytes_hash, lost_keys = excluded.lost_keys, record_hash = excluded.record_hash,
    record = excluded.record, bytes = excluded.bytes`;

/** Stores an agreement. The one it replaces is kept by `keepVersion`, which callers run first (SY-19). */
export function writeBase(
  db: SqliteDatabase,
  base: Omit<Base, 'bytesHash' | 'lostKeys'> & Partial<Pick<Base, 'bytesHash' | 'lostKeys'>>,
): void {
  const { signature } = base;
  const record = recordToJson(base.record);
  run(
    db,
    WRITE,
    base.name,
    base.path,
    signature.sizeBytes,
    signature.mtimeMs,
    signature.ctimeMs,
    signature.ino,
    base.readAtMs,
    Number(base.readOnly),
    base.syncedAtMs,
    base.bytesHash ?? contentHash(base.bytes),
    (base.lostKeys ?? []).join(' '),
    contentHash(record),
    record,
    base.bytes,
  );
}

/** Notes that a file with these bytes now has another stat signature; nothing else moved. */
export function refreshSignature(
  db: SqliteDatabase,
  name: MemoryName,
  path: string,
  signature: Signature,
  readAtMs: number,
): void {
  run(
    db,
    'UPDATE bases SET path = ?, size_bytes = ?, mtime_ms = ?, ctime_ms = ?, ino = ?, read_at_ms = ? WHERE name = ?',
    path,
    signature.sizeBytes,
    signature.mtimeMs,
    signature.ctimeMs,
    signature.ino,
    readAtMs,
    name,
  );
}

export function deleteBase(db: SqliteDatabase, name: MemoryName): void {
  run(db, 'DELETE FROM bases WHERE name = ?', name);
  run(db, 'DELETE FROM base_versions WHERE name = ?', name);
}

export function renameBase(db: SqliteDatabase, from: MemoryName, to: MemoryName, path: string): void {
  run(db, 'UPDATE bases SET name = ?, path = ? WHERE name = ?', to, path, from);
  run(db, 'UPDATE base_versions SET name = ? WHERE name = ?', to, from);
}

/** `[path, sizeBytes, mtimeMs, ctimeMs, ino, readAtMs, name]` of every base, in the order of path, from the index alone. */
export type SignatureTuple = readonly [string, number, number, number, number, number, MemoryName];

export function listSignatures(db: SqliteDatabase): SignatureTuple[] {
  return statement(db, 'SELECT path, size_bytes, mtime_ms, ctime_ms, ino, read_at_ms, name FROM bases ORDER BY path')
    .raw(true)
    .all() as SignatureTuple[];
}

/** Whether a based file has this path but for ASCII case; a second one would be a `name-clash` (MF-4). */
export function hasFoldEqualPath(db: SqliteDatabase, path: string): boolean {
  return oneRow(db, 'SELECT 1 FROM bases WHERE path = ? COLLATE NOCASE LIMIT 1', path) !== null;
}

export function hasBaseIn(db: SqliteDatabase, directory: MemoryDirectory): boolean {
  return (
    oneRow(db, 'SELECT 1 FROM bases WHERE name >= ? AND name < ? LIMIT 1', `${directory}/`, `${directory}0`) !== null
  );
}

/** The files of the last agreements, by path. */
export function listAgreedFiles(db: SqliteDatabase): { path: string; bytes: Uint8Array; isReadOnly: boolean }[] {
  const rows = allRows<{ path: string; bytes: Uint8Array; read_only: number }>(
    db,
    'SELECT path, bytes, read_only FROM bases ORDER BY path',
  );
  return rows.map(({ path, bytes, read_only }) => ({ path, bytes, isReadOnly: read_only === 1 }));
}

export function countBases(db: SqliteDatabase): number {
  return oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM bases')?.n ?? 0;
}

const VERSIONS_KEPT = 32;

/** Keeps the agreement that is about to be replaced, so that a stale editor buffer can be recognised (SY-19). */
export function keepVersion(db: SqliteDatabase, base: Base, nowMs: number): void {
  const record = recordToJson(base.record);
  run(
    db,
    'INSERT INTO base_versions(name, record_hash, record, at_ms) VALUES (?, ?, ?, ?)',
    base.name,
    contentHash(record),
    record,
    nowMs,
  );
  run(
    db,
    `DELETE FROM base_versions WHERE name = ? AND id <=
       (SELECT id FROM base_versions WHERE name = ? ORDER BY id DESC LIMIT 1 OFFSET ${VERSIONS_KEPT})`,
    base.name,
    base.name,
  );
}

/** Earlier agreements, newest first. */
export function listVersions(db: SqliteDatabase, name: MemoryName): { record: MemoryRecord; atMs: number }[] {
  return allRows<{ record: string; at_ms: number }>(
    db,
    'SELECT record, at_ms FROM base_versions WHERE name = ? ORDER BY id DESC',
    name,
  ).map((row) => ({ record: recordFromJson(row.record), atMs: row.at_ms }));
}

function toBase(row: BaseRow): Base {
  return {
    name: row.name,
    path: row.path,
    signature: { sizeBytes: row.size_bytes, mtimeMs: row.mtime_ms, ctimeMs: row.ctime_ms, ino: row.ino },
    readAtMs: row.read_at_ms,
    readOnly: row.read_only === 1,
    syncedAtMs: row.synced_at_ms,
    bytesHash: row.bytes_hash,
    lostKeys: TRACKING_KEYS.filter((key) => row.lost_keys.split(' ').includes(key)),
    record: recordFromJson(row.record),
    bytes: row.bytes,
  };
}
