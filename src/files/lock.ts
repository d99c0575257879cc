import { fstatSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { EngramError, systemErrorCode } from '../errors.ts';
import { type FileSystem, meansNoHardLinks, realFileSystem } from './file-system.ts';
import { type ExaminedLock, inodeOf, inspectLock, markHeld, markReleased, withExaminedLock } from './lock-state.ts';
import { pause as pauseThread } from './pause.ts';
import { writeAll, writeFailure } from './replace-file.ts';
import { takeOver } from './take-over.ts';
import { newTempPath, removeTemp } from './temp-files.ts';

export { inspectLock } from './lock-state.ts';
export { sweepTemps } from './temp-files.ts';

/** The lock of one file, held by this process (MF-34). Released once; later calls answer the same. */
export interface FileLock {
  /** `<file>.lock` */
  readonly path: string;
  /** Asked before anything is written under the lock: a lock can be taken over (MF-41). */
  isOurs(): boolean;
  /** Unlinks the lock if it is still ours (MF-40). @throws EngramError `file.write`; the next try of this process gets it */
  release(): 'released' | 'taken-over';
  /** Releases it too, and never throws: what was done under the lock is done, and its answer must say so. */
  [Symbol.dispose](): void;
}

export interface LockOptions {
  /** False: try once and give up (MF-39), for processes with an event loop to keep. True by default. */
  readonly wait?: boolean;
  /** Judges the age of foreign locks. */
  readonly now?: Clock;
  /** Waits that many milliseconds between tries. */
  readonly pause?: (ms: number) => void;
}

/**
 * Takes the lock of `file`, which need not exist itself (MF-34 to MF-39). Respects and cleans up the locks of shells:
 * PID files, `mkdir` directories, and half-made ones. Synchronous; waits up to 10 s for a lock that does not change
 * hands and 60 s in all. At most one thread of a process may take locks.
 *
 * @param file - absolute path in an existing directory
 * @throws EngramError `lock.timeout` naming the lock, its kind, PID and age, at once when this process holds it already;
 * `disk.full`, `file.write` when no lock can be made
 */
export function acquireLock(file: string, options: LockOptions = {}, fs: FileSystem = realFileSystem): FileLock {
  const lockPath = `${file}.lock`;
  const temp = newTempPath(dirname(file));
  let claim: Claim | null = null;
  try {
    claim = { temp, descriptor: writeOwnPid(temp, fs), hardLinks: null };
    waitForTurn(lockPath, claim, options, fs);
    return heldLock(lockPath, claim.descriptor, fs);
  } catch (error) {
    if (claim !== null) closeAnyway(claim.descriptor, fs);
    throw writeFailure(lockPath, error);
  } finally {
    removeTemp(temp, fs);
  }
}

/**
 * Removes the lock at `lockPath` if it is stale, for `db repair --locks` (SY-69).
 *
 * @returns whether it was removed; false leaves a live lock, or none
 */
export function breakStaleLock(lockPath: string, now: Clock = systemClock, fs: FileSystem = realFileSystem): boolean {
  if (!inspectLock(lockPath, now()).stale) return false;
  try {
    return acquireLock(lockPath.replace(/\.lock$/, ''), { wait: false, now }, fs).release() === 'released';
  } catch (error) {
    if (error instanceof EngramError && error.code === 'lock.timeout') return false;
    throw error;
  }
}

/** A complete lock file under a temp name, to be linked to the lock's name. */
interface Claim {
  readonly temp: string;
  /** Open while the lock is held: its inode proves ownership. */
  descriptor: number;
  /** Null until it matters: `link` to a name that exists fails with EEXIST on any file system. */
  hardLinks: boolean | null;
}

/** The PID and LF, nothing else: shells test it with `kill -0 "$(cat L)"`, and remove an empty lock at once (MF-35). */
function writeOwnPid(path: string, fs: FileSystem): number {
  const descriptor = fs.openSync(path, 'wx', 0o600);
  try {
    writeAll(descriptor, Buffer.from(`${process.pid}\n`), fs);
    return descriptor;
  } catch (error) {
    closeAnyway(descriptor, fs);
    removeTemp(path, fs);
    throw error;
  }
}

const UNCHANGED_LIMIT_MS = 10_000;
const TOTAL_LIMIT_MS = 60_000;
const LONGEST_STEP_MS = 20;
const TRIES_WITHOUT_WAITING = 4;

function waitForTurn(lockPath: string, claim: Claim, options: LockOptions, fs: FileSystem): void {
  const { wait = true, now = systemClock, pause = pauseThread } = options;
  let identity = '';
  let unchangedMs = 0;
  let totalMs = 0;
  for (let attempt = 1; !place(lockPath, claim, fs); attempt += 1) {
    const { lock, again } = withExaminedLock(lockPath, now(), (found) => ({
      lock: found,
      again: found.kind === 'absent' || (found.stale && takeOver(lockPath, found, haveHardLinks(claim, fs), now(), fs)),
    }));
    if (lock.ours || (!wait && (!again || attempt === TRIES_WITHOUT_WAITING))) throw lockTimeout(lockPath, lock);
    if (again) continue;
    if (lock.identity !== identity) unchangedMs = 0;
    identity = lock.identity;
    if (unchangedMs >= UNCHANGED_LIMIT_MS || totalMs >= TOTAL_LIMIT_MS) throw lockTimeout(lockPath, lock);
    const waitedMs = pauseRandomly(pause);
    unchangedMs += waitedMs;
    totalMs += waitedMs;
  }
}

/** The time asked for, or more if more has gone by. Counted, not read from a clock that may be set. */
function pauseRandomly(pause: (ms: number) => void): number {
  const stepMs = 1 + Math.random() * (LONGEST_STEP_MS - 1);
  const startedMs = performance.now();
  pause(stepMs);
  return Math.max(stepMs, performance.now() - startedMs);
}

/** Gives the claim the lock's name if that is free. */
function place(lockPath: string, claim: Claim, fs: FileSystem): boolean {
  if (claim.hardLinks !== false) {
    try {
      fs.linkSync(claim.temp, lockPath);
      return true;
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'EEXIST') return false;
      if (!meansNoHardLinks(code)) throw error;
      claim.hardLinks = false;
    }
  }
  try {
    const descriptor = writeOwnPid(lockPath, fs);
    closeAnyway(claim.descriptor, fs);
    claim.descriptor = descriptor;
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Tried with our own file: another user's lock may refuse a link for other reasons. */
function haveHardLinks(claim: Claim, fs: FileSystem): boolean {
  if (claim.hardLinks !== null) return claim.hardLinks;
  const probe = newTempPath(dirname(claim.temp));
  try {
    fs.linkSync(claim.temp, probe);
    claim.hardLinks = true;
  } catch (error) {
    if (!meansNoHardLinks(systemErrorCode(error))) throw error;
    claim.hardLinks = false;
  } finally {
    removeTemp(probe, fs);
  }
  return claim.hardLinks;
}

function heldLock(lockPath: string, descriptor: number, fs: FileSystem): FileLock {
  const inode = inodeOf(fstatSync(descriptor, { bigint: true }));
  markHeld(inode);
  let outcome: 'released' | 'taken-over' | null = null;
  const release = (): 'released' | 'taken-over' => {
    if (outcome !== null) return outcome;
    outcome = 'taken-over';
    try {
      if (isInodeAt(lockPath, inode) && unlinkPatiently(lockPath, fs)) outcome = 'released';
      return outcome;
    } finally {
      markReleased(inode);
      closeAnyway(descriptor, fs);
    }
  };
  return {
    path: lockPath,
    isOurs: () => outcome === null && isInodeAt(lockPath, inode),
    release,
    [Symbol.dispose]: () => {
      try {
        release();
      } catch {
        // It names this process: others wait until it ends, and this one gets it again at once.
      }
    },
  };
}

/** The descriptor is gone even where `close` fails, and nothing depends on what it says. */
function closeAnyway(descriptor: number, fs: FileSystem): void {
  try {
    fs.closeSync(descriptor);
  } catch {}
}

function isInodeAt(lockPath: string, inode: string): boolean {
  const stats = lstatSync(lockPath, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && inodeOf(stats) === inode;
}

/** Twice, since a lock that stays keeps everybody else waiting. */
function unlinkPatiently(lockPath: string, fs: FileSystem): boolean {
  for (let attempt = 1; ; attempt += 1) {
    try {
      fs.unlinkSync(lockPath);
      return true;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return false;
      if (attempt === 2) throw writeFailure(lockPath, error);
    }
  }
}

function lockTimeout(lockPath: string, lock: ExaminedLock): EngramError {
  const age = lock.ageMs === null ? '' : ` since ${Math.max(0, Math.round(lock.ageMs / 1000))} s`;
  const hint = lock.kind === 'other' ? 'Look at it; if nothing uses it, remove it.' : HINT;
  return new EngramError('lock.timeout', `${lockPath}: locked by ${holderOf(lock)}${age}`, { hint });
}

const HINT = 'If nothing holds it any more, run: engram db repair --locks';

function holderOf(lock: ExaminedLock): string {
  if (lock.ours) return `this process (${lock.pid})`;
  switch (lock.kind) {
    case 'pid':
      return `process ${lock.pid}`;
    case 'empty':
      return 'an empty lock file';
    case 'content':
      return 'a lock file that names no process';
    case 'directory':
      return 'a lock directory';
    case 'other':
      return 'something that is no lock';
    case 'absent':
      return 'others in quick succession';
  }
}
