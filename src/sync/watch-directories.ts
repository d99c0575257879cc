import { join } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import { directoryIdentity, type MemoryPaths } from '../files/memory-directory.ts';
import { type DirectoryWatch, watchDirectory } from '../files/watchable.ts';

/** The directories that are watched, as long as nobody puts others in their place. */
export interface WatchedDirectories {
  /** Events arrive from here on. Rejects with what keeps the system from watching. */
  readonly ready: Promise<void>;
  /** Device and inode of the three directories when the watch began; a directory that is not there is null. */
  readonly identities: readonly (string | null)[];
  close(): Promise<void>;
}

/**
 * Watches `memory/` and the two directories in it, whatever the number of files (SY-50). Events are hints: only the path
 * is used, never what they say has happened (SY-51).
 *
 * @param onHint - called with the absolute path of an entry of one of the three
 * @param onFailure - the system gave up: events can no longer be trusted
 */
export function watchDirectories(
  paths: MemoryPaths,
  onHint: (path: string) => void,
  onFailure: (reason: string) => void,
): WatchedDirectories {
  const identities = watchedIdentities(paths);
  const watches: DirectoryWatch[] = [];
  const close = () => {
    for (const watch of watches.splice(0)) watch.close();
  };
  let refusal: string | null = null;
  for (const [at, directory] of [paths.memory, paths.feedback, paths.facts].entries()) {
    if (identities[at] === null) continue;
    try {
      const hinted = (name: string | null) => onHint(name === null ? directory : join(directory, name));
      watches.push(watchDirectory(directory, hinted, onFailure));
    } catch (error) {
      refusal ??= systemErrorCode(error) ?? String(error);
    }
  }
  const ready = refusal === null ? Promise.resolve() : Promise.reject(new Error(refusal));
  // Whoever watches asks for it; a refusal that nobody has asked for yet is no accident.
  ready.catch(() => {});
  return { ready, identities, close: async () => close() };
}

export function watchedIdentities(paths: MemoryPaths): (string | null)[] {
  return [paths.memory, paths.feedback, paths.facts].map(directoryIdentity);
}

/** Whether a path, absolute, may be that of a memory file below `memory`. */
export function isMemoryFile(path: string, memory: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path.slice(memory.length + 1).includes('/') && name.endsWith('.toml') && !name.startsWith('.');
}
