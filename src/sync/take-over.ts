import { heartbeatPath, readHeartbeat } from '../files/heartbeat.ts';
import { type ProcessLock, takeWatchLock } from '../store/process-locks.ts';
import type { SyncContext } from './context.ts';
import { timer } from './self-test.ts';
import type { WatchOptions } from './watch-events.ts';

const EVERY_MS = 2000;

/** Waits until no other process watches the store; null when the watch was ended before it began (SY-55). */
export async function takeOver(
  { paths, clock }: SyncContext,
  { signal, onEvent }: Pick<WatchOptions, 'signal' | 'onEvent'>,
): Promise<ProcessLock | null> {
  for (let told = false; !signal.aborted; told = true) {
    const lock = takeWatchLock(paths.root);
    if (lock !== null) return lock;
    if (!told) {
      const holder = readHeartbeat(heartbeatPath(paths.root), clock());
      onEvent({ kind: 'waiting', holder: holder === null ? null : `${holder.command} (process ${holder.pid})` });
    }
    await timer(EVERY_MS, signal).promise;
  }
  return null;
}
