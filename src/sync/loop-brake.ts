import type { SyncStep } from './report.ts';

/** Stops writing a file that somebody else keeps changing back (SY-44). */
export interface LoopBrake {
  /** Counts what a pass wrote; returns the memories that have begun to go round in circles. */
  note(steps: readonly SyncStep[], nowMs: number): string[];
  /** Memories whose file is not written at this time. */
  looping(nowMs: number): ReadonlySet<string>;
}

const MOST_WRITES = 10;
const WINDOW_MS = 60_000;
/** How long a looping file is left alone. */
export const PAUSE_MS = 600_000;
const WRITING: ReadonlySet<string> = new Set(['export', 'merge', 'create-file']);

export function createLoopBrake(): LoopBrake {
  const writes = new Map<string, number[]>();
  const until = new Map<string, number>();
  return {
    note: (steps, nowMs) => {
      const begun: string[] = [];
      for (const { name, action } of steps) {
        if (!WRITING.has(action)) continue;
        const recent = [...(writes.get(name) ?? []).filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
        writes.set(name, recent);
        if (recent.length <= MOST_WRITES) continue;
        writes.delete(name);
        until.set(name, nowMs + PAUSE_MS);
        begun.push(name);
      }
      for (const [name, times] of writes) if (nowMs - (times.at(-1) ?? 0) >= WINDOW_MS) writes.delete(name);
      return begun;
    },
    looping: (nowMs) => {
      for (const [name, endMs] of until) if (endMs <= nowMs) until.delete(name);
      return new Set(until.keys());
    },
  };
}
