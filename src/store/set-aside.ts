import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import { backupStamp } from './backup.ts';
import { openSqlite, type SqliteDatabase } from './native.ts';
import { withOpenLock } from './open-lock.ts';

/**
 * Moves the database with its `-wal` and `-shm` to `backups/`, where they still belong together; nobody opens it meanwhile.
 * The database itself goes last: without it, a new one would take the old `-wal` for its own.
 *
 * @returns absolute path of the moved database
 */
export function setAside(root: string): string {
  const directory = join(root, 'backups');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const target = join(directory, `engram-damaged-${backupStamp()}.db`);
  return withOpenLock(root, () => {
    for (const suffix of ['-wal', '-shm', '']) moveIfThere(join(root, `engram.db${suffix}`), `${target}${suffix}`);
    return target;
  });
}

/** Rows of a table that no file says anything about. */
export interface OnlyHere {
  readonly table: string;
  readonly rows: number | 'unknown';
}

const ONLY_HERE = [
  'history',
  'archive',
  'conflicts',
  'outcome_events',
  'project_bindings',
  'project_aliases',
  'changes',
];

/** Counts what only this database holds, as far as it can still be read. */
export function countOnlyHere(path: string): OnlyHere[] {
  const db = tryToOpen(path);
  const counts = ONLY_HERE.map((table) => ({
    table,
    rows: db === null ? ('unknown' as const) : tryToCount(db, table),
  }));
  db?.close();
  return counts.filter(({ rows }) => rows !== 0);
}

function tryToOpen(path: string): SqliteDatabase | null {
  try {
    return openSqlite(path, { busyTimeoutMs: 0, readonly: true });
  } catch {
    return null;
  }
}

function tryToCount(db: SqliteDatabase, table: string): number | 'unknown' {
  try {
    return db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  } catch {
    return 'unknown';
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
