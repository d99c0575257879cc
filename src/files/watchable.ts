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

/** The code with which the system refuses to watch a directory (`ENOSPC`, `EMFILE` ...); null when it agrees. */
export function refusalToWatch(directory: string): string | null {
  try {
    const watcher = watch(directory);
    // What happens to the directory meanwhile is of no interest.
    watcher.on('error', () => {});
    watcher.close();
    return null;
  } catch (error) {
    return systemErrorCode(error) ?? String(error);
  }
}
