import { type BigIntStats, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import { type FileSystem, meansNoHardLinks } from './file-system.ts';
import { type ExaminedLock, identityOf } from './lock-state.ts';
import { newTempPath, removeTemp, sweepLockTemps } from './temp-files.ts';

const LINKS_LEFT_BEHIND_MS = 1000;

/**
 * Removes a lock judged stale so that exactly one of all waiters does it, and none removes a live one (MF-37). It gives
 * no privilege: afterwards everybody competes for the name again. Runs while the examined lock is open.
 *
 * @param hardLinks - false where the file system has none; then two of the safeguards fall away
 * @returns whether something changed, so that trying again at once makes sense
 */
export function takeOver(
  lockPath: string,
  lock: ExaminedLock,
  hardLinks: boolean,
  nowMs: number,
  fs: FileSystem,
): boolean {
  if (lock.kind === 'directory' || !hardLinks) return moveAway(lockPath, lock, fs);
  if (lock.linkCount !== 1) {
    // Somebody is at it, or was killed at it (MF-38). Changes of the link count show in ctime.
    if (lock.linksUnchangedMs <= LINKS_LEFT_BEHIND_MS) return false;
    return sweepLockTemps(dirname(lockPath), nowMs, fs).length > 0;
  }
  const guard = newTempPath(dirname(lockPath));
  try {
    return linkGuard(lockPath, guard, fs) && isGuardedAlone(lockPath, lock) && moveAway(lockPath, lock, fs);
  } finally {
    removeTemp(guard, fs);
  }
}

function linkGuard(lockPath: string, guard: string, fs: FileSystem): boolean {
  try {
    fs.linkSync(lockPath, guard);
    return true;
  } catch {
    // Released meanwhile, or another user's lock that the system does not let us link.
    return false;
  }
}

/** With every waiter linking first, only one of them can ever see a count of exactly two. */
function isGuardedAlone(lockPath: string, lock: ExaminedLock): boolean {
  const stats = lookAt(lockPath);
  return stats !== null && identityOf(stats) === lock.identity && stats.nlink === 2n;
}

function moveAway(lockPath: string, lock: ExaminedLock, fs: FileSystem): boolean {
  const aside = newTempPath(dirname(lockPath));
  try {
    fs.renameSync(lockPath, aside);
  } catch (error) {
    removeTemp(aside, fs);
    return systemErrorCode(error) === 'ENOENT';
  }
  const moved = lookAt(aside);
  const wasStale = moved === null || identityOf(moved) === lock.identity;
  if (!wasStale) putBack(lockPath, aside, moved, fs);
  removeTemp(aside, fs);
  return wasStale;
}

/** A live lock that came between judging and renaming gets its name again; its holder proves it by the inode. */
function putBack(lockPath: string, aside: string, moved: BigIntStats, fs: FileSystem): void {
  try {
    if (moved.isDirectory()) fs.mkdirSync(lockPath, { mode: 0o700, recursive: false });
    else if (!linkBack(aside, lockPath, fs) && lookAt(lockPath) === null) fs.renameSync(aside, lockPath);
  } catch {
    // Another lock has the name. The holder of this one finds out before it writes (MF-41).
  }
}

/** @returns false where there are no hard links */
function linkBack(aside: string, lockPath: string, fs: FileSystem): boolean {
  try {
    fs.linkSync(aside, lockPath);
    return true;
  } catch (error) {
    if (!meansNoHardLinks(systemErrorCode(error))) throw error;
    return false;
  }
}

function lookAt(path: string): BigIntStats | null {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
}
