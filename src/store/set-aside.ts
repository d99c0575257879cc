import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import { backupStamp } from './backup.ts';
import { integrityProblems } from './health.ts';
import { openSqlite, type SqliteDatabase } from './native.ts';
import { withOpenLock } from './process-locks.ts';

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

const SALVAGED = ['history', 'archive', 'conflicts', 'outcome_events'] as const;

/**
 * Copies into `db` what only the database at `path` holds, when SQLite finds that one whole: a shell dropped a table of it.
 * Of a damaged one no row can be believed. Runs inside a transaction.
 *
 * @returns what was copied; a table that is empty, gone or of another shape is left out
 */
export function copyOnlyHere(path: string, db: SqliteDatabase): OnlyHere[] {
  const old = tryToOpen(path);
  if (old === null) return [];
  try {
    if (integrityProblems(old).length > 0) return [];
    return SALVAGED.flatMap((table) => {
      const rows = copyTable(old, db, table);
      return rows === 0 ? [] : [{ table, rows }];
    });
  } finally {
    old.close();
  }
}

/** Ids are kept, people know conflicts by them; what has the id of a new event gets another one. */
function copyTable(old: SqliteDatabase, db: SqliteDatabase, table: (typeof SALVAGED)[number]): number {
  const columns = columnsOf(db, table);
  if (columnsOf(old, table).join() !== columns.join()) return 0;
  const copied = table === 'outcome_events' ? columns.filter((column) => column !== 'id') : columns;
  const rows = old
    .prepare(`SELECT ${copied.join(', ')} FROM ${table} ORDER BY id`)
    .raw()
    .all() as unknown[][];
  const insert = db.prepare(
    `INSERT INTO ${table}(${copied.join(', ')}) VALUES (${copied.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  );
  for (const row of rows) insert.run(...row);
  return rows.length;
}

function columnsOf(db: SqliteDatabase, table: string): string[] {
  return db.prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(table) as string[];
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
