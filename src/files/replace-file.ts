import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { type FileSystem, meansNoHardLinks, realFileSystem } from './file-system.ts';
import { pause } from './pause.ts';
import { forgetTemp, newTempPath, removeTemp } from './temp-files.ts';

/** Complete new content on disk under a temp name, waiting to become `file` (MF-41). Used up by one of its functions. */
export interface Replacement {
  /**
   * Renames over the file and syncs the directory. EBUSY and EPERM, as virus scanners and indexers cause them, are
   * retried for 2 s.
   *
   * @throws EngramError `file.write`, `disk.full`; the file then has its old content and no temp is left. Where only the
   * sync of the directory failed, it has the new content.
   */
  over(): void;
  /**
   * Gives the file its name if nothing has it (MF-8) and syncs the directory.
   *
   * @returns false when the name exists; nothing has changed then and no temp is left
   */
  asNew(): boolean;
  /** Removes the temp; does nothing after one of the others. */
  discard(): void;
}

/**
 * Writes `bytes` to a temp file beside `file` and syncs it (MF-9, SY-36 step 4).
 *
 * @param file - absolute path in an existing directory
 * @param options - `mode`: permission bits of the new file, whatever the umask
 * @throws EngramError `disk.full`, `file.write`; no temp is left then
 */
export function prepareReplacement(
  file: string,
  bytes: Uint8Array,
  options: { readonly mode: number },
  fs: FileSystem = realFileSystem,
): Replacement {
  const temp = newTempPath(dirname(file));
  const discard = (): void => {
    removeTemp(temp, fs);
  };
  const orDiscard = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      discard();
      throw writeFailure(file, error);
    }
  };
  orDiscard(() => writeTemp(temp, bytes, options.mode, fs));
  return {
    over: () => {
      orDiscard(() => renamePatiently(temp, file, fs));
      forgetTemp(temp);
      syncDirectory(file, fs);
    },
    asNew: () => {
      const created = orDiscard(() => giveNewName(temp, file, fs));
      discard();
      if (created) syncDirectory(file, fs);
      return created;
    },
    discard,
  };
}

/**
 * Replaces `file` with `bytes`, all or nothing (MF-41). A reader, or a crash at any point, finds the old content or the
 * new. On return the new content is on disk, its name included. Keeps the file's mode; a new file gets 0600 (MF-6).
 * Callers hold the file's lock.
 *
 * @param file - absolute path in an existing directory
 * @throws EngramError `disk.full`, `file.write`; the file then has its old content and no temp is left.
 * `memory.read-only` for a symlink (MF-3)
 */
export function replaceFile(file: string, bytes: Uint8Array, fs: FileSystem = realFileSystem): void {
  prepareReplacement(file, bytes, { mode: modeOf(file) }, fs).over();
}

/**
 * Removes the name `file` (a link itself, never its target) and syncs the directory. A name that is gone is no error.
 *
 * @throws EngramError `file.write`
 */
export function removeFile(file: string, fs: FileSystem = realFileSystem): void {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw writeFailure(file, error);
  }
  syncDirectory(file, fs);
}

/** Translates a system error of writing `file`: `disk.full` when there is no room, else `file.write`. */
export function writeFailure(file: string, cause: unknown): EngramError {
  if (cause instanceof EngramError) return cause;
  const code = systemErrorCode(cause);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EngramError('disk.full', `${file}: no room on the disk`, {
      hint: 'Free some space there, then try again.',
      cause,
    });
  }
  return new EngramError('file.write', `${file}: cannot be written (${code ?? String(cause)})`, { cause });
}

function writeTemp(temp: string, bytes: Uint8Array, mode: number, fs: FileSystem): void {
  const descriptor = fs.openSync(temp, 'wx', 0o600);
  try {
    writeAll(descriptor, bytes, fs);
    // Not by `open`: the umask would take bits away that the replaced file has.
    if (mode !== 0o600) fs.fchmodSync(descriptor, mode);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** One call may write less than asked for, on a disk that is filling up for instance. */
export function writeAll(descriptor: number, bytes: Uint8Array, fs: FileSystem): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(descriptor, bytes, written, bytes.length - written);
  }
}

const RENAME_PATIENCE_MS = 2000;
const RENAME_STEP_MS = 20;

function renamePatiently(temp: string, file: string, fs: FileSystem): void {
  for (let waitedMs = 0; ; waitedMs += RENAME_STEP_MS) {
    try {
      fs.renameSync(temp, file);
      return;
    } catch (error) {
      const code = systemErrorCode(error);
      if ((code !== 'EBUSY' && code !== 'EPERM') || waitedMs >= RENAME_PATIENCE_MS) throw error;
      pause(RENAME_STEP_MS);
    }
  }
}

function giveNewName(temp: string, file: string, fs: FileSystem): boolean {
  try {
    fs.linkSync(temp, file);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return false;
    if (!meansNoHardLinks(code)) throw error;
    return reserveAndRename(temp, file, fs);
  }
}

/** MF-8 without hard links: the name is taken by an empty file of ours, which the rename then replaces. */
function reserveAndRename(temp: string, file: string, fs: FileSystem): boolean {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    renamePatiently(temp, file, fs);
    return true;
  } catch (error) {
    fs.unlinkSync(file);
    throw error;
  }
}

const CANNOT_SYNC_DIRECTORIES: ReadonlySet<string | null> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']);

/** Makes the names in the directory of `file` durable. Some file systems cannot; they have nothing better to offer. */
export function syncDirectory(file: string, fs: FileSystem): void {
  try {
    const descriptor = fs.openSync(dirname(file), 'r');
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (!CANNOT_SYNC_DIRECTORIES.has(systemErrorCode(error))) throw writeFailure(file, error);
  }
}

function modeOf(file: string): number {
  const named = lstatSync(file, { throwIfNoEntry: false });
  if (named === undefined) return 0o600;
  if (named.isSymbolicLink()) {
    throw new EngramError('memory.read-only', `${file}: is a link, which a rewrite would replace`, {
      hint: 'Edit the file it points to.',
    });
  }
  return named.mode & 0o7777;
}
