import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { type FileSystem, realFileSystem } from './file-system.ts';
import { mayStillHold } from './process-life.ts';

/** Names of temp files that this process has made and not yet given up. 16 random hex digits tell them apart. */
const ownTemps = new Set<string>();

/** A new temp path in `directory`, `.engram-tmp-<pid>-<16 hex>` (MF-9), ours until `forgetTemp` or `removeTemp`. */
export function newTempPath(directory: string): string {
  const name = `.engram-tmp-${process.pid}-${randomBytes(8).toString('hex')}`;
  ownTemps.add(name);
  return join(directory, name);
}

/** The temp has become something else. */
export function forgetTemp(path: string): void {
  ownTemps.delete(basename(path));
}

/** Removes a file, or a lock directory, under a temp name. One that resists is left for the sweep. */
export function removeTemp(path: string, fs: FileSystem): boolean {
  forgetTemp(path);
  for (const remove of [fs.unlinkSync, fs.rmdirSync]) {
    try {
      remove(path);
      return true;
    } catch {
      // A directory, for the first; renamed or gone already, mostly.
    }
  }
  return false;
}

/**
 * Removes what dead processes left in `directory` (MF-9): temps of engram at least `minimumAgeMs` old whose process is
 * dead, or is this one and has given them up. Foreign temps are left alone. Never throws.
 *
 * @param options - `minimumAgeMs`: 60,000 at start
 * @param nowMs - epoch milliseconds
 * @returns the names removed
 */
export function sweepTemps(
  directory: string,
  options: { readonly minimumAgeMs: number },
  nowMs: number,
  fs: FileSystem = realFileSystem,
): string[] {
  return removeWhere(directory, fs, (name, stats) => {
    return nowMs - stats.ctimeMs >= options.minimumAgeMs && isAbandoned(name, stats);
  });
}

/** The temps that `sweepTemps` would remove; changes nothing (SY-68). */
export function listAbandonedTemps(
  directory: string,
  options: { readonly minimumAgeMs: number },
  nowMs: number,
): string[] {
  return entriesOf(directory).filter((name) => {
    const stats = tempOwner(name) === null ? undefined : lstatSync(join(directory, name), { throwIfNoEntry: false });
    return stats !== undefined && nowMs - stats.ctimeMs >= options.minimumAgeMs && isAbandoned(name, stats);
  });
}

const LOCK_TEMP_LIMIT_MS = 300_000;

/** The sweep of MF-38, for a lock whose links were left behind: at any age, and everything of others above 300 s. */
export function sweepLockTemps(directory: string, nowMs: number, fs: FileSystem): string[] {
  return removeWhere(directory, fs, (name, stats) => {
    const isOld = Math.abs(nowMs - stats.ctimeMs) > LOCK_TEMP_LIMIT_MS;
    return isAbandoned(name, stats) || (isOld && !ownTemps.has(name));
  });
}

/** Ages are told by ctime: links to a lock share its mtime, which is that of the lock's making. */
function isAbandoned(name: string, stats: Stats): boolean {
  const owner = tempOwner(name);
  if (owner === null) return false;
  return owner === process.pid ? !ownTemps.has(name) : !mayStillHold(owner, stats.ctimeMs);
}

function removeWhere(directory: string, fs: FileSystem, chosen: (name: string, stats: Stats) => boolean): string[] {
  return entriesOf(directory).filter((name) => {
    if (tempOwner(name) === null) return false;
    const path = join(directory, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && chosen(name, stats) && removeTemp(path, fs);
  });
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function tempOwner(name: string): number | null {
  const digits = /^\.engram-tmp-([1-9]\d{0,9})-[0-9a-f]{16}$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
