import type { quarantine } from '../../drizzle/schema.ts';
import { findSecrets, redact } from '../text/secrets.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** An unusable file or row; `reason` `in-progress` only keeps the first sight of a file (MF-20). */
export type QuarantineRow = typeof quarantine.$inferSelect;
export type QuarantineSide = QuarantineRow['side'];

const IN_PROGRESS = 'in-progress';

/**
 * Where the first sight is the one that counts. Of a file that is what it is, the last one does: only then the file's
 * signature proves that nothing has changed since, and it is not parsed again and again.
 */
const KEEPS_FIRST = `(side = 'row' OR reason = '${IN_PROGRESS}')`;

/**
 * The names of all quarantined rows. A row whose name holds a secret stands in the table as `#` and its pk, which no name
 * begins with: the name is kept in no second place (SY-27).
 */
export const QUARANTINED_ROWS = `SELECT name FROM quarantine WHERE side = 'row' AND name NOT GLOB '#*'
  UNION ALL SELECT m.name FROM quarantine q JOIN memories m ON m.pk = CAST(substr(q.name, 2) AS INTEGER)
  WHERE q.side = 'row' AND q.name GLOB '#*'`;

/** Stores or refreshes an entry without the secret that its name may hold, and counts the sights of the same content. */
export function putQuarantined(db: SqliteDatabase, entry: Omit<QuarantineRow, 'tries'>): void {
  run(
    db,
    `INSERT INTO quarantine(side, name, path, size_bytes, mtime_ms, ctime_ms, ino, hash, reason, line, col, message, seen_ms, tries)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
     ON CONFLICT(side, name) DO UPDATE SET path = excluded.path, size_bytes = excluded.size_bytes,
       mtime_ms = excluded.mtime_ms, ctime_ms = excluded.ctime_ms, ino = excluded.ino, reason = excluded.reason,
       line = excluded.line, col = excluded.col, message = excluded.message,
       seen_ms = CASE WHEN hash IS excluded.hash AND reason = excluded.reason AND ${KEEPS_FIRST} THEN seen_ms ELSE excluded.seen_ms END,
       tries = CASE WHEN hash IS excluded.hash THEN tries + 1 ELSE 1 END, hash = excluded.hash`,
    entry.side,
    storedName(db, entry.side, entry.name),
    redact(entry.path),
    entry.size_bytes,
    entry.mtime_ms,
    entry.ctime_ms,
    entry.ino,
    entry.hash,
    entry.reason,
    entry.line,
    entry.col,
    entry.message,
    entry.seen_ms,
  );
  if (entry.side === 'row') markTextOld(db, entry.name);
}

function storedName(db: SqliteDatabase, side: QuarantineSide, name: string): string {
  if (findSecrets(name).length === 0) return name;
  const row = side === 'row' ? oneRow<{ pk: number }>(db, 'SELECT pk FROM memories WHERE name = ?', name) : null;
  return row === null ? redact(name) : `#${row.pk}`;
}

/** What is searched changes with the quarantine of a row: its last good texts stand in for its own (SY-42). */
function markTextOld(db: SqliteDatabase, name: string): void {
  run(db, 'UPDATE index_state SET text_hash = NULL WHERE pk = (SELECT pk FROM memories WHERE name = ?)', name);
}

export function findQuarantined(db: SqliteDatabase, side: QuarantineSide, name: string): QuarantineRow | null {
  return oneRow<QuarantineRow>(
    db,
    'SELECT * FROM quarantine WHERE side = ? AND name = ?',
    side,
    storedName(db, side, name),
  );
}

/** Memories whose file holds a secret: the last good record is shown to who asks for it, and offered to nobody (SY-42). */
export function listSecretFiles(db: SqliteDatabase): ReadonlySet<string> {
  const rows = allRows<{ name: string }>(db, `SELECT name FROM quarantine WHERE side = 'file' AND reason = 'secret'`);
  return new Set(rows.map(({ name }) => name));
}

export function releaseQuarantined(db: SqliteDatabase, side: QuarantineSide, name: string): void {
  const ended = run(db, 'DELETE FROM quarantine WHERE side = ? AND name = ?', side, name);
  if (side === 'file') return;
  if (ended + run(db, RELEASE_NAMELESS, name) > 0) markTextOld(db, name);
}

/** Of the rows that stand there without their name, the one that has this name now and those that are gone. */
const RELEASE_NAMELESS = `DELETE FROM quarantine WHERE side = 'row' AND name GLOB '#*' AND NOT EXISTS
  (SELECT 1 FROM memories m WHERE m.pk = CAST(substr(quarantine.name, 2) AS INTEGER) AND m.name <> ?)`;

/** Ends the quarantine of all rows, in the transaction that makes them anew. */
export function releaseAllRows(db: SqliteDatabase): void {
  run(db, `DELETE FROM quarantine WHERE side = 'row'`);
}

/** Every entry, the first sights of files in progress left out. */
export function listQuarantined(db: SqliteDatabase): QuarantineRow[] {
  return allRows<QuarantineRow>(db, `SELECT * FROM quarantine WHERE reason <> '${IN_PROGRESS}' ORDER BY path, side`);
}

/** The names of quarantined rows as the rows have them. */
export function listQuarantinedRows(db: SqliteDatabase): string[] {
  return allRows<{ name: string }>(db, QUARANTINED_ROWS).map(({ name }) => name);
}

/** Entries of files, first sights included: the scan skips a file whose signature is unchanged (SY-42). */
export function listFileSights(db: SqliteDatabase): QuarantineRow[] {
  return allRows<QuarantineRow>(db, `SELECT * FROM quarantine WHERE side = 'file'`);
}
