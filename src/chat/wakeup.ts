import { basename, dirname, join } from 'node:path';
import { type DirectoryWatch, watchDirectory } from '../files/watchable.ts';
import { realDirectory } from '../project/git.ts';
import { identityAt } from './chat-file.ts';

/** Tells that a file may have changed. */
export interface Wakeup {
  /** Asks the system for events, where it does not give them already. Called before reading (CH-26). */
  arm(): void;
  /**
   * Resolves once the file may have changed since the last `arm`, 250 ms have passed, or `waitMs`, whichever is first.
   * The events are hints: without them it is the 250 ms.
   */
  next(waitMs: number): Promise<void>;
  close(): void;
}

const POLL_MS = 250;

/** @param path - of the file, which need not exist, nor its directory */
export function createWakeup(path: string): Wakeup {
  let watch: DirectoryWatch | null = null;
  let watched: string | null = null;
  let isDue = false;
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
        watch = watchDirectory(dirname(file), (entry) => (entry === null || entry === name) && changed(), disarm);
        watched = identity;
      } catch {
        // The system refuses: looking every 250 ms is enough.
      }
    },
    next: (waitMs) =>
      new Promise((resolve) => {
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
