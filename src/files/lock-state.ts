import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { systemErrorCode } from '../errors.ts';
import { mayStillHold } from './process-life.ts';

/** What stands at a lock path, judged by MF-36. */
export interface LockInspection {
  /** `content`: a file that names no process. `other`: a link, FIFO, socket, unreadable file or full directory. */
  readonly kind: 'absent' | 'pid' | 'empty' | 'content' | 'directory' | 'other';
  readonly pid: number | null;
  /** By its mtime, negative when that lies in the future. Null when absent. */
  readonly ageMs: number | null;
  readonly stale: boolean;
}

/** A lock as seen at one moment, and what a take-over has to recognise it by. */
export interface ExaminedLock extends LockInspection {
  /** Device, inode and mtime: changes when somebody else gets the lock. Empty when absent. */
  readonly identity: string;
  readonly linkCount: number;
  /** How long ago a link to it was made or removed, at least. */
  readonly linksUnchangedMs: number;
  /** This process holds it. */
  readonly ours: boolean;
}

/**
 * Judges the lock at `lockPath` without changing anything, for `db check` (SY-68).
 *
 * @param nowMs - epoch milliseconds
 */
export function inspectLock(lockPath: string, nowMs: number): LockInspection {
  return withExaminedLock(lockPath, nowMs, ({ kind, pid, ageMs, stale }) => ({ kind, pid, ageMs, stale }));
}

/** Judges the lock and keeps its file open while `use` runs, so that its inode cannot be given to another lock. */
export function withExaminedLock<T>(lockPath: string, nowMs: number, use: (lock: ExaminedLock) => T): T {
  const stats = lstatSync(lockPath, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return use(ABSENT);
  if (stats.isDirectory()) return use(judgeDirectory(lockPath, stats, nowMs));
  if (!stats.isFile()) return use(seen('other', stats, nowMs));
  let descriptor: number;
  try {
    descriptor = openSync(lockPath, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return use(systemErrorCode(error) === 'ENOENT' ? ABSENT : seen('other', stats, nowMs));
  }
  try {
    return use(judgeOpened(descriptor, nowMs));
  } finally {
    closeSync(descriptor);
  }
}

const held = new Set<string>();

/** Tells "ours" from "ours without the lock" (MF-36). `inode` is `inodeOf` the lock. */
export function markHeld(inode: string): void {
  held.add(inode);
}

export function markReleased(inode: string): void {
  held.delete(inode);
}

export function inodeOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

/** Device, inode and mtime: file systems give the inode of a removed file to the next one. */
export function identityOf(stats: BigIntStats): string {
  return `${inodeOf(stats)}:${stats.mtimeNs}`;
}

const PID_LIMIT_MS = 300_000;
const CONTENT_LIMIT_MS = 30_000;
const DIRECTORY_LIMIT_MS = 300_000;
const LONGEST_CONTENT = 64;

const ABSENT: ExaminedLock = {
  kind: 'absent',
  pid: null,
  ageMs: null,
  stale: false,
  identity: '',
  linkCount: 0,
  linksUnchangedMs: 0,
  ours: false,
};

function judgeOpened(descriptor: number, nowMs: number): ExaminedLock {
  const stats = fstatSync(descriptor, { bigint: true });
  if (!stats.isFile()) return seen('other', stats, nowMs);
  const content = readStart(descriptor);
  const pid = parsePid(content);
  if (pid === null) {
    const found = seen(content === '' ? 'empty' : 'content', stats, nowMs);
    return { ...found, stale: isAwayFromNow(found, CONTENT_LIMIT_MS) };
  }
  const ours = pid === process.pid && held.has(inodeOf(stats));
  const found = { ...seen('pid', stats, nowMs), pid, ours };
  return { ...found, stale: !ours && (isAwayFromNow(found, PID_LIMIT_MS) || !ownerMayHold(pid, stats)) };
}

/** Only an empty directory can be a lock of `mkdir`; one with something in it is somebody's, and is not moved away. */
function judgeDirectory(lockPath: string, stats: BigIntStats, nowMs: number): ExaminedLock {
  const found = seen('directory', stats, nowMs);
  if (!isAwayFromNow(found, DIRECTORY_LIMIT_MS)) return found;
  try {
    return readdirSync(lockPath).length > 0 ? { ...found, kind: 'other' } : { ...found, stale: true };
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? ABSENT : { ...found, kind: 'other' };
  }
}

function seen(kind: LockInspection['kind'], stats: BigIntStats, nowMs: number): ExaminedLock {
  return {
    kind,
    pid: null,
    ageMs: nowMs - milliseconds(stats.mtimeNs),
    stale: false,
    identity: identityOf(stats),
    linkCount: Number(stats.nlink),
    linksUnchangedMs: Math.abs(nowMs - milliseconds(stats.ctimeNs)),
    ours: false,
  };
}

/** A time in the future counts like one in the past: a clock that was set back must not make a lock last for years. */
function isAwayFromNow(lock: ExaminedLock, limitMs: number): boolean {
  return lock.ageMs !== null && Math.abs(lock.ageMs) > limitMs;
}

function ownerMayHold(pid: number, stats: BigIntStats): boolean {
  return pid !== process.pid && mayStillHold(pid, milliseconds(stats.mtimeNs));
}

/** Optional blanks, digits, optional LF; INN's `shlock` pads to 10. Null for anything that can be no PID. */
function parsePid(content: string): number | null {
  const digits = /^[ \t]*(\d{1,10})\n?$/.exec(content)?.[1];
  const pid = Number(digits);
  // 0 and negative numbers would signal process groups.
  return pid >= 1 && pid <= 0x7fffffff ? pid : null;
}

function readStart(descriptor: number): string {
  const buffer = Buffer.alloc(LONGEST_CONTENT);
  return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, LONGEST_CONTENT, 0));
}

function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6;
}
