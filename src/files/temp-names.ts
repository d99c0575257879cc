import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** Paths of temp files that this process has made and not yet given up. */
const ownTemps = new Set<string>();

/** A new temp path in `directory`, `.engram-tmp-<pid>-<16 hex>` (MF-9), known as ours until `forgetTemp`. */
export function newTempPath(directory: string): string {
  const path = join(directory, `.engram-tmp-${process.pid}-${randomBytes(8).toString('hex')}`);
  ownTemps.add(path);
  return path;
}

/** The temp is renamed or removed. One that could not be removed is then swept like a dead process's. */
export function forgetTemp(path: string): void {
  ownTemps.delete(path);
}

export function isOwnTemp(path: string): boolean {
  return ownTemps.has(path);
}

/** The process that made this temp file, null when the name is none of engram's. */
export function tempOwner(name: string): number | null {
  const digits = /^\.engram-tmp-(\d{1,10})-[0-9a-f]{16}$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
