import fc from 'fast-check';
import { COUNTER_KEYS, type MemoryRecord, type RecordKey } from '../../src/memory/record.ts';
import type { ArchiveEntry, FileSide, RowSide, SyncAction, SyncState } from '../../src/sync/plan.ts';
import { fact, record } from '../sync/records.ts';

const text = fc.constantFrom('a', 'b', 'c', 'c ');
const count = fc.integer({ min: 0, max: 5 });
const time = fc.constantFrom('2026-04-01T00:00:00Z', '2026-04-01T00:00:00.5Z', '2026-04-02T00:00:00Z');

const CHANGES = fc.record(
  {
    situation: text,
    behavior: text,
    action: text,
    source: text,
    core: fc.boolean(),
    core_origin: fc.constantFrom('user', 'auto', null),
    needs_review: fc.boolean(),
    project_scoped: fc.boolean(),
    project_slug: fc.constantFrom('api', 'web'),
    ...Object.fromEntries(COUNTER_KEYS.map((key) => [key, count])),
    initial_confidence: fc.constantFrom(0, 0.7, 1),
    created_at: time,
    updated_at: time,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<MemoryRecord>>;

const START = record({ situation: 'a', behavior: 'a', action: 'a', source: 'a', project_slug: 'api' });

/** Feedback records of a small world, so that equal and clashing values are common. */
export const records: fc.Arbitrary<MemoryRecord> = CHANGES.map((changes) => ({ ...START, ...changes }));

/** A base and two sides that each changed a few keys of it; the file may change its type and its unknown keys. */
export const threeSides = fc
  .tuple(records, CHANGES, CHANGES, fc.constantFrom('as is', 'as is', 'fact', 'extra'))
  .map(([base, fileChanges, rowChanges, twist]) => {
    const file = { ...base, ...fileChanges };
    const twisted = twist === 'fact' ? fact({ situation: file.situation }) : file;
    return {
      base,
      file: twist === 'extra' ? { ...twisted, extra: '{"owner":"platform"}' } : twisted,
      row: { ...base, ...rowChanges },
    };
  });

/** Every state the planner can meet. */
export const syncStates: fc.Arbitrary<SyncState> = threeSides.chain(({ base, file, row }) =>
  fc.record({
    base: fc.constantFrom(base, base, null),
    file: fc.constantFrom<FileSide[]>(
      { state: 'record', record: file, readOnly: false },
      { state: 'record', record: file, readOnly: false },
      { state: 'record', record: base, readOnly: false },
      { state: 'record', record: file, readOnly: true },
      { state: 'record', record: file, readOnly: false, unwritable: ['surfaced_count', 'source'] },
      { state: 'gone' },
      { state: 'unknown' },
      { state: 'bad' },
    ),
    row: fc.constantFrom<RowSide[]>(
      { state: 'record', record: row },
      { state: 'record', record: row },
      { state: 'record', record: base },
      { state: 'bad' },
      { state: 'gone', wish: 'sql' },
      { state: 'gone', wish: 'forget' },
      { state: 'none' },
    ),
    archived: fc.constantFrom<(ArchiveEntry | null)[]>(
      null,
      { record: file, origin: 'file-removed' },
      { record: base, origin: 'forget' },
      { record: file, origin: 'superseded' },
    ),
  }),
);

/** What a faithful executor leaves behind: the next state, and every record it stored away. */
export interface Applied {
  readonly state: SyncState;
  /** Records in `history` and `archive`. */
  readonly kept: readonly MemoryRecord[];
  /** `field: text` of every conflict row. */
  readonly conflicts: readonly string[];
}

export function applied(state: SyncState, action: SyncAction): Applied {
  const same: Applied = { state, kept: [], conflicts: [] };
  switch (action.kind) {
    case 'none':
    case 'wait':
    case 'hold':
    case 'quarantine':
      return same;
    case 'restore-row':
      return { ...same, state: { ...state, row: { state: 'record', record: action.target } } };
    case 'archive':
    case 'delete-file':
      return {
        state: { file: { state: 'gone' }, row: { state: 'none' }, base: null, archived: archiveOf(action) },
        kept: [action.record],
        conflicts: [],
      };
    case 'create-file':
      return { ...same, state: agreed(state, { state: 'record', record: action.target, readOnly: false }, action) };
    default: {
      const fileSide: FileSide =
        state.file.state === 'record' && action.touchesFile ? { ...state.file, record: action.agreed } : state.file;
      return {
        state: agreed(state, fileSide, action),
        kept: overwrittenRecords(state, action.merge.overwritten),
        conflicts: action.merge.clashes.map((clash) => `${clash.field}: ${clash.rowValue}`),
      };
    }
  }
}

function agreed(
  state: SyncState,
  file: FileSide,
  action: { readonly target: MemoryRecord; readonly agreed?: MemoryRecord; readonly touchesRow: boolean },
): SyncState {
  const row: RowSide = action.touchesRow ? { state: 'record', record: action.target } : state.row;
  return { file, row, base: action.agreed ?? action.target, archived: null };
}

function archiveOf(action: { readonly record: MemoryRecord; readonly reason: string }): ArchiveEntry {
  return { record: action.record, origin: action.reason };
}

function overwrittenRecords(state: SyncState, overwritten: { readonly file: boolean; readonly row: boolean }) {
  const sides = [overwritten.file ? state.file : null, overwritten.row ? state.row : null];
  return sides.flatMap((side) => (side?.state === 'record' ? [side.record] : []));
}

/** The keys a side changed: against the base, or all when it never agreed with anything. */
export function changedKeys(side: MemoryRecord, base: MemoryRecord | null): RecordKey[] {
  return (Object.keys(side) as RecordKey[]).filter((key) => base === null || side[key] !== base[key]);
}
