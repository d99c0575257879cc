import { getMeta, setMeta } from '../store/meta.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import { PAUSE_MS } from './loop-brake.ts';

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
