import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { writeFailure } from '../files/replace-file.ts';
import type { ThreeFiles } from '../sync/merge-files.ts';
import { runGit } from './git.ts';

export interface MergedLines {
  /** With marks of a conflict unless `isClean`. */
  readonly file: Uint8Array;
  readonly isClean: boolean;
}

/**
 * Merges three files line by line, as `git merge-file` does. Where only one side changed anything, git is not asked.
 *
 * @param markerSize - number of characters of a mark
 * @throws EngramError `git.failed`, also for files that are binary to git; `file.write`, `disk.full`
 */
export function mergeByLines({ base, ours, theirs }: ThreeFiles, markerSize: number): MergedLines {
  if (same(ours, theirs) || same(theirs, base)) return { file: ours, isClean: true };
  if (same(ours, base)) return { file: theirs, isClean: true };
  const directory = madeDirectory();
  try {
    for (const [name, bytes] of Object.entries({ base, ours, theirs })) writeCopy(join(directory, name), bytes);
    const labels = ['-L', 'ours', '-L', 'base', '-L', 'theirs'];
    const words = ['merge-file', `--marker-size=${markerSize}`, ...labels, 'ours', 'base', 'theirs'];
    const { status, complaint } = runGit(directory, words);
    // The number of conflicts; above are failures.
    if (status > 127) throw new EngramError('git.failed', `git cannot merge the files line by line: ${complaint}`);
    return { file: readFileSync(join(directory, 'ours')), isClean: status === 0 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function madeDirectory(): string {
  const prefix = join(tmpdir(), 'engram-merge-');
  try {
    return mkdtempSync(prefix);
  } catch (error) {
    throw writeFailure(prefix, error);
  }
}

function writeCopy(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes, { mode: 0o600 });
  } catch (error) {
    throw writeFailure(path, error);
  }
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
