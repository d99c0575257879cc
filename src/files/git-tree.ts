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
 * Whether git may have put a file of the tree around `directory` there, and no editor (SY-19). git writes the files first,
 * under `index.lock`, and then the index: so it did if it is at work, or wrote `HEAD` or the index after the file.
 *
 * @param times - epoch milliseconds: since when git must have moved, and when the file changed last (`ctime`)
 */
export function mayBeFromGit(
  directory: string,
  { sinceMs, changedMs }: { readonly sinceMs: number; readonly changedMs: number },
): boolean {
  const git = findGitDirectory(directory);
  if (git === null) return false;
  // In this order: a lock that is gone by now has left its index behind.
  if (lookUp(join(git, 'index.lock')) !== 'absent') return true;
  const found = ['HEAD', 'index'].map((name) => lookUp(join(git, name)));
  const movedMs = Math.max(0, ...found.map((stat) => (typeof stat === 'string' ? 0 : stat.ctimeMs)));
  return movedMs >= sinceMs && movedMs >= changedMs;
}
