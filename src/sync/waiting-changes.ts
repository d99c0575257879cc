import { readMemory } from '../memory/read-toml.ts';
import { differingKeys, type RecordKey } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type Base, findBase } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { findRow, rowRecord } from '../store/memories.ts';
import { directoryOfPath, type SyncContext } from './context.ts';
import { effectiveRowRecord } from './merge.ts';

/** Changes of a row that its file does not take (MF-3, MF-17, MF-24). */
export interface WaitingChange {
  readonly name: string;
  readonly path: string;
  readonly keys: readonly RecordKey[];
  readonly reason: 'unusable-value' | 'read-only';
}

/** What waits until a person repairs a value or makes a file writable; a sync does not change that. */
export function listWaitingChanges(context: SyncContext): WaitingChange[] {
  const names = new Set(listChanges(context.store.db).map(({ name }) => name as MemoryName));
  return [...names].sort().flatMap((name) => waitingOf(context, name) ?? []);
}

function waitingOf({ store: { db } }: SyncContext, name: MemoryName): WaitingChange | null {
  const base = findBase(db, name);
  const row = findRow(db, name);
  if (base === null || row === null) return null;
  const said = effectiveRowRecord(rowRecord(row), base.record, directoryOf(name), null);
  const blocked = base.readOnly ? null : unusableKeys(base);
  const keys = differingKeys(said, base.record).filter((key) => blocked === null || blocked.includes(key));
  if (keys.length === 0) return null;
  return { name, path: base.path, keys, reason: base.readOnly ? 'read-only' : 'unusable-value' };
}

function unusableKeys({ bytes, path }: Base): readonly RecordKey[] {
  const read = readMemory(bytes, directoryOfPath(path));
  return read.kind === 'ok' ? read.memory.unusable : [];
}
