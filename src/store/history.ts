import type { MemoryRecord } from '../memory/record.ts';
import { recordToJson } from '../memory/record-json.ts';
import { withoutSecrets } from '../memory/secrets.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findSecrets } from '../text/secrets.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** A replaced record or text (SY-16). `bytes` is the file as it was, null when only the row was replaced. */
export interface HistoryEntry {
  readonly name: MemoryName;
  readonly atMs: number;
  readonly origin: string;
  readonly reason: string;
  readonly record: MemoryRecord | null;
  readonly bytes: Uint8Array | null;
}

/** Keeps what is replaced, with a mark in place of every secret: a text that never was to come in (D14). */
export function addHistory(db: SqliteDatabase, entry: HistoryEntry): void {
  run(
    db,
    'INSERT INTO history(name, at_ms, origin, reason, record, bytes) VALUES (?, ?, ?, ?, ?, ?)',
    entry.name,
    entry.atMs,
    entry.origin,
    entry.reason,
    entry.record === null ? null : recordToJson(withoutSecrets(entry.record)),
    entry.bytes === null || holdsSecret(entry.bytes) ? null : entry.bytes,
  );
}

function holdsSecret(bytes: Uint8Array): boolean {
  return findSecrets(Buffer.from(bytes).toString('utf8')).length > 0;
}

export interface HistoryRow {
  readonly id: number;
  readonly name: MemoryName;
  readonly at_ms: number;
  readonly origin: string;
  readonly reason: string;
  readonly record: string | null;
  readonly bytes: Uint8Array | null;
}

/** Whether these very bytes of the file are kept already. */
export function hasHistoryBytes(db: SqliteDatabase, name: MemoryName, bytes: Uint8Array): boolean {
  return oneRow(db, 'SELECT 1 FROM history WHERE name = ? AND bytes = ? LIMIT 1', name, bytes) !== null;
}

/** What was replaced in one memory, newest first. */
export function listHistory(db: SqliteDatabase, name: MemoryName): HistoryRow[] {
  return allRows<HistoryRow>(db, 'SELECT * FROM history WHERE name = ? ORDER BY id DESC', name);
}
