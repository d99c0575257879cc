import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import type { SqliteDatabase } from './native.ts';

const BACKUPS_KEPT = 5;

/**
 * Copies the database to `<root>/backups/` with `VACUUM INTO`, never through the file system (SY-13), and keeps the newest
 * 5 of a kind. A copy under way ends in `.partial`; those of dead processes are swept (SY-62).
 *
 * @param kind - why: `manual`, `before-migration`, `before-repair`
 * @returns absolute path of the copy
 */
export function backUp(db: SqliteDatabase, root: string, kind: string): string {
  const directory = join(root, 'backups');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  sweepPartialCopies(root);
  const target = join(directory, `engram-${kind}-${backupStamp()}.db`);
  const partial = `${target}.${process.pid}.partial`;
  try {
    db.prepare('VACUUM INTO ?').run(partial);
    chmodSync(partial, 0o600);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  renameSync(partial, target);
  const kept = readdirSync(directory).filter((name) => name.startsWith(`engram-${kind}-`) && name.endsWith('.db'));
  for (const name of kept.sort().slice(0, -BACKUPS_KEPT)) rmSync(join(directory, name), { force: true });
  return target;
}

/** Sorts by time, and no two processes make the same. */
export function backupStamp(): string {
  return `${new Date().toISOString().replace(/[-:]/g, '').replace('Z', '')}-${process.pid}`;
}

/** Removes copies under way whose maker died. Called at every opening: costs one listing. */
export function sweepPartialCopies(root: string): void {
  const directory = join(root, 'backups');
  for (const name of namesIn(directory)) {
    const pid = /\.(\d+)\.partial(-journal)?$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(directory, name), { force: true });
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
