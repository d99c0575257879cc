import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { openSqlite } from './native.ts';
import { translateSqliteError } from './sqlite-errors.ts';

/** Held by one process at a time. An empty SQLite file held exclusively, so that the kernel frees it at death. */
export interface ProcessLock {
  close(): void;
}

const OPEN_TIMEOUT_MS = 30_000;

/** Runs `work` while no other process makes, migrates or moves the database of `root` (SY-60). */
export function withOpenLock<T>(root: string, work: () => T): T {
  const lock = takeOpenLock(root);
  try {
    return work();
  } finally {
    lock.close();
  }
}

/** The same for work that waits; the caller closes it. */
export function takeOpenLock(root: string): ProcessLock {
  return hold(join(root, 'open.lock'), OPEN_TIMEOUT_MS);
}

/**
 * The right to watch a store; null while another process has it (SY-55).
 *
 * @throws EngramError `data-root.read-only`, `database.failed`
 */
export function takeWatchLock(root: string): ProcessLock | null {
  try {
    return hold(join(root, 'watch.lock'), 0);
  } catch (error) {
    const translated = translateSqliteError(error);
    if (translated instanceof EngramError && translated.code === 'database.busy') return null;
    throw translated;
  }
}

function hold(path: string, busyTimeoutMs: number): ProcessLock {
  const lock = openSqlite(path, { busyTimeoutMs });
  try {
    chmodSync(path, 0o600);
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}
