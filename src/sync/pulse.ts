import { announceWatcher, beat, endHeartbeat, heartbeatPath, type WatcherState } from '../files/heartbeat.ts';
import type { SyncContext } from './context.ts';

/** Tells other processes that this one watches, and how it is doing (SY-55). */
export interface Pulse {
  readonly mode: WatcherState['mode'];
  set(change: Partial<Pick<WatcherState, 'mode' | 'selfTest'>>): void;
  stop(): void;
}

const EVERY_MS = 1000;

/** A beat every second from here on, also while a long pass runs. Nobody waits for it, and nothing breaks without it. */
export function startPulse({ paths, clock }: SyncContext, command: string): Pulse {
  const path = heartbeatPath(paths.root);
  let state: WatcherState = { pid: process.pid, command, mode: 'starting', selfTest: null };
  const announce = () => {
    try {
      announceWatcher(path, state);
    } catch {
      // Without a heartbeat others look at the files themselves: slower, not wrong.
    }
  };
  announce();
  const timer = setInterval(() => {
    if (!beat(path, clock())) announce();
  }, EVERY_MS);
  return {
    get mode() {
      return state.mode;
    },
    set: (change) => {
      state = { ...state, ...change };
      announce();
    },
    stop: () => {
      clearInterval(timer);
      endHeartbeat(path);
    },
  };
}
