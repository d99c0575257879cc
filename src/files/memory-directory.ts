import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { type FileSystem, realFileSystem } from './file-system.ts';
import { prepareReplacement, writeFailure } from './replace-file.ts';
import { type StatSignature, signatureOf } from './signature.ts';

export { foldName, nameClashes, selectNames } from './file-names.ts';

/** Absolute paths of everything below one data root. Database and backups lie outside `memory/` (SY-58). */
export interface MemoryPaths {
  readonly root: string;
  readonly memory: string;
  readonly feedback: string;
  readonly facts: string;
  readonly database: string;
  readonly backups: string;
  /** The process lock of first opening and migration (SY-60). */
  readonly openLock: string;
}

export function memoryPaths(root: string): MemoryPaths {
  const memory = join(root, 'memory');
  return {
    root,
    memory,
    feedback: join(memory, 'feedback'),
    facts: join(memory, 'facts'),
    database: join(root, 'engram.db'),
    backups: join(root, 'backups'),
    openLock: join(root, 'open.lock'),
  };
}

/** Whether there may be a database. Opening the file to look would drop the locks that SQLite holds on it (SY-13). */
export function mayHaveDatabase(root: string): boolean {
  return lookUp(memoryPaths(root).database) !== 'absent';
}

const GITIGNORE = `# What engram puts here for the length of a write. Names itself, so that git status stays clean; commit it if you like.
/.gitignore
.engram-tmp-*
*.lock
`;

/**
 * Creates what is missing of the data root, `memory/`, `memory/feedback` and `memory/facts` with mode 0700 (MF-6), and
 * `memory/.gitignore` (SY-58). What exists, a link to a directory too (SY-47), is left as it is.
 *
 * @throws EngramError `data-root.invalid` when a regular file is in the way, `data-root.read-only`, `disk.full`,
 * `file.write`
 */
export function ensureMemoryDirectories(root: string, fs: FileSystem = realFileSystem): void {
  const paths = memoryPaths(root);
  for (const directory of [root, paths.memory, paths.feedback, paths.facts]) {
    try {
      if (!isDirectory(directory)) fs.mkdirSync(directory, { mode: 0o700, recursive: true });
    } catch (error) {
      throw directoryFailure(directory, error);
    }
  }
  const gitignore = join(paths.memory, '.gitignore');
  if (lookUp(gitignore) === 'absent') {
    prepareReplacement(gitignore, Buffer.from(GITIGNORE), { mode: 0o600 }, fs).asNew();
  }
}

export type Listing =
  | {
      readonly kind: 'complete';
      /** Every entry but `.` and `..`; bytes that are no UTF-8 appear as U+FFFD, which `selectNames` quarantines. */
      readonly names: readonly string[];
    }
  | { readonly kind: 'missing' }
  /** Nothing may be concluded about what is in the directory (SY-29). */
  | { readonly kind: 'unreadable'; readonly code: string };

/** Lists a directory completely or says that it could not (SY-28, SY-29). Never throws. */
export function listDirectory(directory: string): Listing {
  try {
    return { kind: 'complete', names: readdirSync(directory) };
  } catch (error) {
    const code = systemErrorCode(error) ?? 'failed';
    return code === 'ENOENT' ? { kind: 'missing' } : { kind: 'unreadable', code };
  }
}

/**
 * Looks up one path without opening it. A symlink gets the signature of its target, as `stableRead` does.
 *
 * @returns `absent` only when the system says ENOENT for the name itself (SY-28); a dangling link and every other
 * failure are `failed`
 */
export function lookUp(path: string): StatSignature | 'absent' | 'failed' {
  try {
    const named = lstatSync(path, { throwIfNoEntry: false });
    if (named === undefined) return confirmAbsence(path);
    return signatureOf(named.isSymbolicLink() ? statSync(path) : named);
  } catch {
    return 'failed';
  }
}

/**
 * Tells a directory from another one that took its place: `dev:ino:birth`, links followed; null when it is none or cannot
 * be looked at (SY-28). Without the time of birth, `rm -r` and `mkdir` mostly give the same inode again.
 */
export function directoryIdentity(directory: string): string | null {
  try {
    const stats = statSync(directory, { bigint: true });
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : null;
  } catch {
    return null;
  }
}

/** `throwIfNoEntry: false` may swallow ENOTDIR as well, which says nothing about the name. */
function confirmAbsence(path: string): StatSignature | 'absent' | 'failed' {
  try {
    return signatureOf(lstatSync(path));
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? 'absent' : 'failed';
  }
}

function isDirectory(path: string): boolean {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true;
}

function directoryFailure(directory: string, cause: unknown): EngramError {
  const code = systemErrorCode(cause) ?? 'failed';
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    return new EngramError('data-root.invalid', `${directory}: a file stands where a directory is needed`, {
      hint: 'Name another directory with --data-dir.',
      cause,
    });
  }
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return writeFailure(directory, cause);
  return new EngramError('data-root.read-only', `${directory}: cannot be created (${code})`, {
    hint: 'Name a writable directory with --data-dir.',
    cause,
  });
}
