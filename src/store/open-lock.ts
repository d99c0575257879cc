import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from './native.ts';

const LOCK_TIMEOUT_MS = 30_000;

/**
 * Runs `work` while no other process makes, migrates or moves the database of `root` (SY-60). The lock is an empty SQLite
 * file held exclusively, which the kernel frees at death.
 */
export function withOpenLock<T>(root: string, work: () => T): T {
  const lock = takeOpenLock(root);
  try {
    return work();
  } finally {
    lock.close();
  }
}

/** The same for work that waits; the caller closes it. */
export function takeOpenLock(root: string): { close(): void } {
  const path = join(root, 'open.lock');
  const lock = openSqlite(path, { busyTimeoutMs: LOCK_TIMEOUT_MS });
  try {
    chmodSync(path, 0o600);
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}
