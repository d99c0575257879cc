import { getMeta, setMeta } from '../store/meta.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
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
const PAUSE_MS = 600_000;
const WRITING: ReadonlySet<string> = new Set(['export', 'merge', 'create-file']);

/** Tells other processes which memories are looping now. */
export function noteLooping({ store, clock }: SyncContext, names: ReadonlySet<string>): void {
  immediately(store, () =>
    setMeta(store.db, 'looping', JSON.stringify({ untilMs: clock() + PAUSE_MS, names: [...names] })),
  );
}

/** The memories that a watcher said are looping. */
export function listLooping({ store, clock }: SyncContext): string[] {
  const noted: unknown = JSON.parse(getMeta(store.db, 'looping') ?? 'null');
  if (typeof noted !== 'object' || noted === null || !('untilMs' in noted && 'names' in noted)) return [];
  const { untilMs, names } = noted;
  if (typeof untilMs !== 'number' || untilMs <= clock() || !Array.isArray(names)) return [];
  return names.filter((name) => typeof name === 'string');
}

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
