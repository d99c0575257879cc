import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { backUp, sweepPartialCopies } from './backup.ts';
import { setMeta } from './meta.ts';
import { applyMigrations, schemaState } from './migrate.ts';
import { openSqlite, type SqliteDatabase } from './native.ts';
import { takeOpenLock } from './process-locks.ts';
import { REBUILD_HINT, translateSqliteError } from './sqlite-errors.ts';
import { databaseIdentity, type Transactable } from './transaction.ts';

/** An open database. Closing it is the caller's: `using store = await openStore(root)`. */
export interface Store extends Transactable, Disposable {
  readonly root: string;
  /** The root cannot be written: the database lives in memory, starts empty and nothing on disk changes (SY-59). */
  readonly readOnly: boolean;
  /** What keeps it from being written: the root, or the database file; null when it can be. */
  readonly unwritable: string | null;
  close(): void;
}

const BUSY_TIMEOUT_MS = 5000;
/** Of a long-running process, which others wait for meanwhile (SY-61). */
const SHORT_BUSY_TIMEOUT_MS = 250;
/** SQLite makes `-wal` and `-shm` with the mode of the database. */
const OWNER_ONLY = 0o600;

/**
 * Opens `<root>/engram.db`, makes or migrates it where needed (SY-59, SY-60).
 *
 * @param root - absolute path; made with mode 0700 where it does not exist
 * @param options - `longRunning`: waits for other processes only shortly, so that its event loop goes on (SY-61)
 * @throws EngramError `data-root.invalid`, `database.newer`, `database.damaged`, `database.busy`, `native-module`
 */
export async function openStore(root: string, options: { readonly longRunning?: boolean } = {}): Promise<Store> {
  const unwritable = prepareRoot(root);
  if (unwritable !== null) {
    refuseUnreadable(root);
    return openInMemory(root, unwritable);
  }
  const path = join(root, 'engram.db');
  sweepPartialCopies(root);
  refuseStump(path);
  try {
    const db = existsSync(path) ? await openExisting(root, path) : await openUnderLock(root, path);
    if (options.longRunning !== true) return asStore(root, path, db);
    db.pragma(`busy_timeout = ${SHORT_BUSY_TIMEOUT_MS}`);
    return { ...asStore(root, path, db), tries: 1 };
  } catch (error) {
    throw translateSqliteError(error);
  }
}

/** What lies where a database should be. `older`: the next command that writes migrates it. */
export type DatabaseState = 'current' | 'older' | 'absent' | 'unwritable';

/**
 * Opens the database of a root that exists for somebody who changes nothing: neither makes nor migrates one. Where there is
 * none of ours that can be opened so, the store lives in memory.
 *
 * @throws EngramError `data-root.invalid`, `database.newer`, `database.damaged`, `database.busy`, `native-module`
 */
export async function openToExamine(root: string): Promise<{ readonly store: Store; readonly state: DatabaseState }> {
  if (!statSync(root).isDirectory()) throw notADirectory(root);
  refuseUnreadable(root);
  const path = join(root, 'engram.db');
  const inMemory = async (unwritable: string, state: DatabaseState) => ({
    store: await openInMemory(root, unwritable),
    state,
  });
  const unwritable = unwritablePart(root);
  if (unwritable !== null) return inMemory(unwritable, 'unwritable');
  refuseStump(path);
  if (!existsSync(path) || statSync(path).size === 0) return inMemory(path, 'absent');
  try {
    const db = openCurrent(path);
    return db === null ? inMemory(path, 'older') : { store: asStore(root, path, db), state: 'current' };
  } catch (error) {
    throw translateSqliteError(error);
  }
}

const SMALLEST_DATABASE = 512;

/** Of a database without a whole page SQLite takes the `-wal` for a leftover and deletes it; it may be all that is left. */
export function refuseStump(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? SMALLEST_DATABASE;
  if (size >= SMALLEST_DATABASE) return;
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && wal === 0) return;
  throw new EngramError('database.damaged', `the database ${path} was cut to ${size} bytes`, { hint: REBUILD_HINT });
}

async function openExisting(root: string, path: string): Promise<SqliteDatabase> {
  return openCurrent(path) ?? openUnderLock(root, path);
}

/** Null when the database has to be migrated, or switched to WAL, before it can be used. */
function openCurrent(path: string): SqliteDatabase | null {
  const db = openSqlite(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    if (db.pragma('journal_mode', { simple: true }) === 'wal' && schemaState(db) === 'current') return configured(db);
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return null;
}

/** First open, the switch to WAL and migrations: one process at a time, since none of them bears company (SY-60). */
async function openUnderLock(root: string, path: string): Promise<SqliteDatabase> {
  const lock = takeOpenLock(root);
  try {
    const db = openSqlite(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      // Asked first: a database of a newer engram is left exactly as it is (SY-62).
      const state = schemaState(db);
      db.pragma('journal_mode = WAL');
      if (state === 'older') backUp(db, root, 'before-migration');
      if (state === 'empty') chmodSync(path, OWNER_ONLY);
      if (state !== 'current') await applyMigrations(db);
      // What this file holds from now on was agreed on here; a copy of it will be another file (SY-70).
      const identity = databaseIdentity(path);
      if (state === 'empty' && identity !== null) setMeta(db, 'database-identity', identity);
      return configured(db);
    } catch (error) {
      db.close();
      throw error;
    }
  } finally {
    lock.close();
  }
}

function configured(db: SqliteDatabase): SqliteDatabase {
  db.pragma('synchronous = FULL');
  db.pragma('journal_size_limit = 16777216');
  // As many pages as the limit above. With the default of 1000, a large import copies its index pages over and over.
  db.pragma('wal_autocheckpoint = 4000');
  return db;
}

/**
 * A store for a root that cannot be written, or that is not there: it starts empty and nothing on disk changes.
 *
 * @param unwritable - what keeps the root from being written, as a path
 */
export async function openInMemory(root: string, unwritable: string): Promise<Store> {
  const db = openSqlite(':memory:', { busyTimeoutMs: 0 });
  await applyMigrations(db);
  return {
    root,
    db,
    path: null,
    identity: null,
    readOnly: true,
    unwritable,
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

function asStore(root: string, path: string, db: SqliteDatabase): Store {
  const close = () => db.close();
  const identity = databaseIdentity(path);
  return { root, db, path, identity, readOnly: false, unwritable: null, close, [Symbol.dispose]: close };
}

/** An index in memory of files that nobody may read would be empty, and say that there are no memories. */
function refuseUnreadable(root: string): void {
  for (const directory of [root, join(root, 'memory')]) {
    try {
      accessSync(directory, constants.R_OK | constants.X_OK);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') continue;
      throw new EngramError('data-root.invalid', `${directory} cannot be read: ${reasonOf(error)}`, {
        hint: 'Check its permissions, or name another data root with --data-dir DIR.',
        cause: error,
      });
    }
  }
}

function reasonOf(error: unknown): string {
  const code = systemErrorCode(error);
  return code === 'EACCES' ? 'permission denied' : (code ?? String(error));
}

/** Makes the root; what stands in the way when it exists and cannot be written, else null. */
function prepareRoot(root: string): string | null {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    if (!statSync(root).isDirectory()) throw notADirectory(root);
    return unwritablePart(root);
  } catch (error) {
    if (error instanceof EngramError) throw error;
    const code = systemErrorCode(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') throw notADirectory(root);
    if ((code === 'EACCES' || code === 'EROFS' || code === 'EPERM') && existsSync(root)) return root;
    throw new EngramError('data-root.invalid', `the data root ${root} cannot be made: ${code ?? String(error)}`, {
      hint: 'Name another one with --data-dir DIR.',
      cause: error,
    });
  }
}

/** The root or the database in it, where it cannot be written; null when both can. */
function unwritablePart(root: string): string | null {
  const database = join(root, 'engram.db');
  for (const path of existsSync(database) ? [root, database] : [root]) {
    try {
      accessSync(path, path === root ? constants.W_OK | constants.X_OK : constants.W_OK);
    } catch (error) {
      const code = systemErrorCode(error);
      if (path === database || code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return path;
      throw error;
    }
  }
  return null;
}

function notADirectory(root: string): EngramError {
  return new EngramError('data-root.invalid', `the data root ${root} is not a directory`, {
    hint: 'Name a directory with --data-dir DIR.',
  });
}
