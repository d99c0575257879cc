import { basename, dirname, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { systemErrorCode } from '../errors.ts';
import { directoryIdentity, type MemoryPaths } from '../files/memory-directory.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';

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
  const wanted = new Set([paths.memory, ...MEMORY_DIRECTORIES.map((directory) => paths[directory])]);
  const identities = watchedIdentities(paths);
  // With files included chokidar sets one watch a file; a glob would watch nothing at all.
  const watcher: FSWatcher = watch(paths.memory, {
    depth: 1,
    ignoreInitial: true,
    ignorePermissionErrors: true,
    ignored: (path) => !wanted.has(path),
  });
  watcher.on('raw', (_event, path, details: unknown) => {
    const hinted = hintedPath(path, details);
    if (hinted !== null && wanted.has(dirname(hinted))) onHint(hinted);
  });
  const ready = new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve);
    watcher.on('error', (error) => {
      const reason = systemErrorCode(error) ?? String(error);
      reject(new Error(reason));
      onFailure(reason);
    });
  });
  return { ready, identities, close: () => watcher.close() };
}

export function watchedIdentities(paths: MemoryPaths): (string | null)[] {
  return [paths.memory, paths.feedback, paths.facts].map(directoryIdentity);
}

/** What a raw event is about: Node gives the entry's name, and chokidar the directory that it watches. */
function hintedPath(path: string, details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  const { watchedPath } = details;
  if (typeof watchedPath !== 'string') return null;
  return typeof path === 'string' && path !== '' ? join(watchedPath, basename(path)) : watchedPath;
}
