import { readFileSync, watch } from 'node:fs';
import { systemErrorCode } from '../errors.ts';

/** What the system allows one user to watch; null on systems without such limits. */
export interface WatchLimits {
  readonly watches: number;
  readonly instances: number;
}

const INOTIFY = '/proc/sys/fs/inotify';

/** The limits of inotify; null where there is none, or where they cannot be read. */
export function watchLimits(): WatchLimits | null {
  try {
    const limit = (name: string) => Number.parseInt(readFileSync(`${INOTIFY}/${name}`, 'utf8'), 10);
    return { watches: limit('max_user_watches'), instances: limit('max_user_instances') };
  } catch {
    return null;
  }
}

/** Closing it ends the events. */
export interface DirectoryWatch {
  close(): void;
}

/**
 * Asks the system for events of a directory: one watch, whatever it holds.
 *
 * @param onEntry - called with the name of an entry that something happened to, null where the system does not say which
 * @param onFailure - no more events will come
 * @throws system errors, `ENOSPC` and `EMFILE` where no more may be watched
 */
export function watchDirectory(
  directory: string,
  onEntry: (name: string | null) => void,
  onFailure: (code: string) => void,
): DirectoryWatch {
  const watcher = watch(directory, (_event, name) => onEntry(name));
  watcher.on('error', (error) => onFailure(systemErrorCode(error) ?? String(error)));
  return { close: () => watcher.close() };
}

/** The code with which the system refuses to watch a directory (`ENOSPC`, `EMFILE` ...); null when it agrees. */
export function refusalToWatch(directory: string): string | null {
  try {
    const ignore = () => {};
    watchDirectory(directory, ignore, ignore).close();
    return null;
  } catch (error) {
    return systemErrorCode(error) ?? String(error);
  }
}
