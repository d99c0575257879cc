import { EngramError } from '../errors.ts';
import { readMemory } from '../memory/read-toml.ts';
import { differingKeys, type MemoryRecord, type ParsedMemory, type RecordKey } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type Base, findBase } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { findRow, rowRecord } from '../store/memories.ts';
import { findQuarantined } from '../store/quarantine.ts';
import { lastCompleteRun } from '../store/runs.ts';
import { directoryOfPath, type SyncContext } from './context.ts';
import { effectiveRowRecord } from './merge.ts';
import { bytesSaying } from './new-bytes.ts';

/** Changes of a row that its file does not take (MF-3, MF-17, MF-24, MF-30). */
export interface WaitingChange {
  readonly name: string;
  readonly path: string;
  readonly keys: readonly RecordKey[];
  readonly reason: 'unusable-value' | 'read-only' | 'layout';
}

/** What waits until a person repairs a value or makes a file writable; a sync does not change that. */
export function listWaitingChanges(context: SyncContext): WaitingChange[] {
  return listDifferences(context).flatMap(({ waiting }) => waiting ?? []);
}

/** Names of rows of which a sync would take nothing at all. */
export function listStuckNames(context: SyncContext): string[] {
  return listDifferences(context).flatMap(({ waiting, keyCount }) =>
    waiting !== null && waiting.keys.length === keyCount ? [waiting.name] : [],
  );
}

interface Difference {
  readonly waiting: WaitingChange | null;
  /** How many keys differ from the last agreement. */
  readonly keyCount: number;
}

function listDifferences(context: SyncContext): Difference[] {
  const { db } = context.store;
  const lastRun = lastCompleteRun(db);
  const seenBefore = lastRun === null ? '' : new Date(lastRun.finished_ms).toISOString();
  const lastChange = new Map(listChanges(db).map(({ name, at }) => [name as MemoryName, at]));
  return [...lastChange]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, at]) => differenceOf(context, name, at < seenBefore) ?? []);
}

function differenceOf({ store: { db } }: SyncContext, name: MemoryName, isOld: boolean): Difference | null {
  const base = findBase(db, name);
  const row = findRow(db, name);
  // A quarantined row is named as such.
  if (base === null || row === null || findQuarantined(db, 'row', name) !== null) return null;
  const said = effectiveRowRecord(rowRecord(row), base.record, directoryOf(name), null);
  const keys = differingKeys(said, base.record);
  const waits = (blocked: readonly RecordKey[], reason: WaitingChange['reason']): Difference => ({
    waiting: blocked.length === 0 ? null : { name, path: base.path, keys: blocked, reason },
    keyCount: keys.length,
  });
  if (base.readOnly) return waits(keys, 'read-only');
  const read = readMemory(base.bytes, directoryOfPath(base.path));
  if (read.kind !== 'ok') return null;
  // Only what a sync has left behind is worth a try: there may be thousands of changes that none has seen.
  if (isOld && !canSay(base, read.memory, said)) return waits(keys, 'layout');
  return waits(
    keys.filter((key) => read.memory.unusable.includes(key)),
    'unusable-value',
  );
}

function canSay({ bytes }: Base, parsed: ParsedMemory, said: MemoryRecord): boolean {
  try {
    bytesSaying(said, { bytes, parsed }, []);
    return true;
  } catch (error) {
    if (error instanceof EngramError && error.code === 'memory.layout') return false;
    throw error;
  }
}
