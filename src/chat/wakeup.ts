import { basename, dirname, join } from 'node:path';
import { type DirectoryWatch, watchDirectory } from '../files/watchable.ts';
import { realDirectory } from '../project/git.ts';
import { identityAt } from './chat-file.ts';

/** Tells that a file may have changed. */
export interface Wakeup {
  /** Called before each reading (CH-26). Sees to it that the system gives events, once somebody has waited. */
  arm(): void;
  /**
   * Resolves once the file may have changed since the last `arm`, 250 ms have passed, or `waitMs`, whichever is first.
   * The events are hints: without them it is the 250 ms. The first time it resolves at once: there were no events while
   * the file was read, so it has to be read again. Who finds what is wanted at once never pays for a watch.
   */
  next(waitMs: number): Promise<void>;
  close(): void;
}

const POLL_MS = 250;

/** Asks the system for events of a directory; `watchDirectory` says what is called when. */
export type WatchDirectory = typeof watchDirectory;

/** @param path - of the file, which need not exist, nor its directory */
export function createWakeup(path: string, watchEntries: WatchDirectory = watchDirectory): Wakeup {
  let watch: DirectoryWatch | null = null;
  let watched: string | null = null;
  let isDue = true;
  let isWaitedFor = false;
  let wake: (() => void) | null = null;
  const changed = () => {
    isDue = true;
    wake?.();
  };
  const disarm = () => {
    watch?.close();
    [watch, watched] = [null, null];
  };
  return {
    arm() {
      if (!isWaitedFor) return;
      isDue = false;
      // Events of a link say nothing about the file behind it.
      const target = realDirectory(path);
      const file = target === path ? join(realDirectory(dirname(path)), basename(path)) : target;
      const identity = identityAt(dirname(file));
      if (identity === watched) return;
      disarm();
      if (identity === null) return;
      try {
        const name = basename(file);
        watch = watchEntries(dirname(file), (entry) => (entry === null || entry === name) && changed(), disarm);
        watched = identity;
      } catch {
        // The system refuses: looking every 250 ms is enough.
      }
    },
    next: (waitMs) =>
      new Promise((resolve) => {
        isWaitedFor = true;
        if (isDue) return resolve();
        const timer = setTimeout(changed, Math.max(0, Math.min(waitMs, POLL_MS)));
        wake = () => {
          clearTimeout(timer);
          wake = null;
          resolve();
        };
      }),
    close() {
      disarm();
      wake?.();
    },
  };
}
