import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import { lookUp } from './memory-directory.ts';

/**
 * Whether git is busy with the tree around `directory` (SY-28): names that are missing now may be back in a moment.
 * What cannot be determined counts as busy. Runs no git command (SY-46).
 */
export function gitOperationUnderWay(directory: string): boolean {
  const git = findGitDirectory(directory);
  if (git === null) return false;
  return ['index.lock', 'rebase-merge', 'rebase-apply'].some((name) => lookUp(join(git, name)) !== 'absent');
}

/**
 * Changes whenever git may have written the tree around `directory`: by `HEAD` and `index` of its git directory (SY-19).
 *
 * @returns null outside a git tree
 */
export function gitTreeStamp(directory: string): string | null {
  const git = findGitDirectory(directory);
  if (git === null) return null;
  return ['HEAD', 'index'].map((name) => stampOf(join(git, name))).join(' ');
}

function stampOf(path: string): string {
  const found = lookUp(path);
  if (typeof found === 'string') return found;
  return `${found.ino}:${found.sizeBytes}:${found.mtimeMs}:${found.ctimeMs}`;
}

/** The git directory whose `HEAD` and `index` belong to the tree: that of the worktree or submodule, if it is one. */
function findGitDirectory(directory: string): string | null {
  for (let current = realPath(directory); ; current = dirname(current)) {
    const git = gitDirectoryAt(join(current, '.git'));
    if (git !== null) return git;
    if (dirname(current) === current) return null;
  }
}

function gitDirectoryAt(candidate: string): string | null {
  try {
    if (!lstatSync(candidate).isFile()) return candidate;
    const target = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(candidate, 'utf8'))?.[1];
    return target === undefined ? null : resolve(dirname(candidate), target);
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : candidate;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/**
 * When git last wrote `HEAD` or the index of the tree around `directory`, in epoch milliseconds; null outside a git tree.
 * A file that changed after a base was stored and with git moving since was put there by git (SY-19).
 */
export function gitTreeMovedMs(directory: string): number | null {
  const git = findGitDirectory(directory);
  if (git === null) return null;
  const found = ['HEAD', 'index'].map((name) => lookUp(join(git, name)));
  return Math.max(0, ...found.map((stat) => (typeof stat === 'string' ? 0 : stat.ctimeMs)));
}
