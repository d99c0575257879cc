import { statSync } from 'node:fs';
import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from './native.ts';
import { translateSqliteError } from './sqlite-errors.ts';

const TRIES = 8;
const LONGEST_MS = 15_000;

/** What a transaction needs of a store. `path` is null for a database in memory. */
export interface Transactable {
  readonly db: SqliteDatabase;
  readonly path: string | null;
  /** `dev:ino` of the database file at open. */
  readonly identity: string | null;
  /** How often a busy transaction is tried; 8 times when not given. A long-running process tries once and waits elsewhere. */
  readonly tries?: number;
  /** How long other processes are still waited for, over all transactions; see `patientFor`. */
  readonly patience?: { leftMs: number };
}

/**
 * Runs `work` in one immediate transaction and returns its value once it is on disk (SY-40). Busy is retried whole, 8
 * times with jitter, at most 15 s (SY-61). `work` must be repeatable and synchronous.
 *
 * @throws EngramError `database.busy` after the last try, also when the database file was replaced under us (SY-64)
 */
export function immediately<T>(store: Transactable, work: () => T): T {
  const startedMs = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      checkIdentity(store);
      return store.patience === undefined
        ? store.db.transaction(work).immediate()
        : patiently(store.db, store.patience, work);
    } catch (raw) {
      const error = translateSqliteError(raw);
      const again = error instanceof EngramError && error.code === 'database.busy' && !(raw instanceof EngramError);
      const isOver = store.patience !== undefined || Date.now() - startedMs > LONGEST_MS;
      if (!again || isOver || attempt === (store.tries ?? TRIES)) throw error;
      pause(20 + Math.random() * 480);
    }
  }
}

/**
 * The same store for somebody who can do without writing: it waits for other processes so long in all, however many
 * transactions there are. What cannot be written then throws `database.busy` at once.
 */
export function patientFor<S extends Transactable>(store: S, patienceMs: number): S {
  return { ...store, patience: { leftMs: patienceMs } };
}

/** SQLite waits as long as there is patience; what it took to get in is taken off it. */
function patiently<T>(db: SqliteDatabase, patience: { leftMs: number }, work: () => T): T {
  const usualMs = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma(`busy_timeout = ${Math.min(usualMs, patience.leftMs)}`);
  const askedMs = Date.now();
  let isIn = false;
  const noteWait = () => {
    isIn = true;
    patience.leftMs = Math.max(0, patience.leftMs - (Date.now() - askedMs));
  };
  try {
    return db
      .transaction(() => {
        noteWait();
        return work();
      })
      .immediate();
  } catch (error) {
    if (!isIn) noteWait();
    throw error;
  } finally {
    db.pragma(`busy_timeout = ${usualMs}`);
  }
}

/** `dev:ino` of a database file; the file is never opened, which would drop SQLite's locks on it (SY-13). */
export function databaseIdentity(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

function checkIdentity({ path, identity }: Transactable): void {
  if (path === null || databaseIdentity(path) === identity) return;
  throw new EngramError('database.busy', `${path} was replaced while it was open`, { hint: 'Run the command again.' });
}

function pause(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
