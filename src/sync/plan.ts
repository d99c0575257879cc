import { type MemoryRecord, type RecordKey, sameAuthored, sameRecord } from '../memory/record.ts';
import type { ArchiveEntry, Deletion, FileSide, Reconcile, RowSide, SyncAction, SyncState } from './action.ts';
import { type MergeResult, mergeFirstMeeting, mergeRecords, mergeStaleFile, takeWhole } from './merge.ts';

export type * from './action.ts';

/**
 * Decides how one memory is reconciled (SY-14): a total function of what file, row, base and archive say. A side has
 * changed when its record differs from the base. An edit beats a delete; a change of counters and times alone does not.
 */
export function planSync(state: SyncState): SyncAction {
  const { file, row, base, archived } = state;
  if (file.state === 'unknown') return hold('file-unknown', null);
  if (file.state === 'bad') return planBadFile(row, base);
  if (row.state === 'bad') return planBadRow(file, base);
  if (base === null) return planWithoutBase(file, row, archived);
  if (file.state === 'gone') return planGoneFile(row, base);
  if (row.state === 'gone') return planGoneRow(file, row.wish, base);
  if (row.state === 'none') return reconcile('import', 'row-lost', file, null, mergeRecords(base, file.record, base));
  return planBothSides(file, row.record, base, state.staleBase ?? null);
}

type RecordFile = Extract<FileSide, { state: 'record' }>;

function planBothSides(
  file: RecordFile,
  row: MemoryRecord,
  base: MemoryRecord,
  stale: MemoryRecord | null,
): SyncAction {
  const fileChanged = !sameRecord(file.record, base);
  const rowChanged = !sameRecord(row, base);
  if (!fileChanged && !rowChanged) return { kind: 'none', reason: 'unchanged', ...UNTOUCHED };
  if (fileChanged && sameRecord(file.record, row)) {
    return reconcile('agree', 'same-change', file, row, sameChange(base, row));
  }
  if (fileChanged && stale !== null) {
    return reconcile('merge', 'stale-buffer', file, row, mergeStaleFile(stale, base, file.record, row));
  }
  const merge = mergeRecords(base, file.record, row);
  if (!rowChanged) return reconcile('import', 'file-changed', file, row, merge);
  if (!fileChanged) return reconcile('export', 'row-changed', file, row, merge);
  return reconcile('merge', 'both-changed', file, row, merge);
}

/** Both sides made the same change: it counts once, and no side loses a text. */
function sameChange(base: MemoryRecord, record: MemoryRecord): MergeResult {
  return { ...mergeRecords(base, record, base), overwritten: { file: false, row: false } };
}

function planGoneFile(row: Exclude<RowSide, { state: 'bad' }>, base: MemoryRecord): SyncAction {
  if (row.state === 'none') return archive(base, 'file-removed', false);
  if (row.state === 'gone') return archive(base, row.wish === 'forget' ? 'forget' : 'sql-delete', false);
  if (sameAuthored(row.record, base)) return archive(row.record, 'file-removed', true);
  return createFile('edit-beats-delete', mergeRecords(base, base, row.record));
}

function planGoneRow(file: RecordFile, wish: 'sql' | 'forget', base: MemoryRecord): SyncAction {
  if (file.readOnly && wish === 'sql') return hold('read-only', { missing: 'row', reason: 'sql-delete' });
  if (file.readOnly || sameAuthored(file.record, base)) return deleteFile(file.record, wish);
  return reconcile('import', 'edit-beats-delete', file, null, mergeRecords(base, file.record, base));
}

function planBadFile(row: RowSide, base: MemoryRecord | null): SyncAction {
  if (base === null || row.state === 'record' || row.state === 'bad') {
    return { kind: 'quarantine', side: 'file', reason: 'file-quarantined', ...UNTOUCHED };
  }
  const wish = row.state === 'gone' ? row.wish : null;
  return {
    kind: 'restore-row',
    reason: wish === null ? 'row-lost' : 'file-quarantined',
    target: base,
    wish,
    touchesFile: false,
    touchesRow: true,
    deletion: false,
  };
}

/** A quarantined row counts as its base, but its absent file deletes nothing: what the row says cannot be judged. */
function planBadRow(file: Exclude<FileSide, { state: 'unknown' | 'bad' }>, base: MemoryRecord | null): SyncAction {
  if (file.state === 'record' && base !== null && !sameRecord(file.record, base)) {
    return reconcile('import', 'file-changed', file, base, mergeRecords(base, file.record, base));
  }
  if (file.state === 'gone' && base !== null)
    return hold('row-quarantined', { missing: 'file', reason: 'file-removed' });
  return { kind: 'quarantine', side: 'row', reason: 'row-quarantined', ...UNTOUCHED };
}

/** No base, no deletion (SY-23). */
function planWithoutBase(
  file: Exclude<FileSide, { state: 'unknown' | 'bad' }>,
  row: Exclude<RowSide, { state: 'bad' }>,
  archived: ArchiveEntry | null,
): SyncAction {
  if (file.state === 'gone') {
    return row.state === 'record'
      ? createFile('new-row', takeWhole(row.record, 'sql'))
      : { kind: 'none', reason: 'absent', ...UNTOUCHED };
  }
  if (row.state === 'record') return planFirstMeeting(file, row.record);
  const merge = takeWhole(file.record, 'import');
  // The memory that had this name lives on under another one (SY-21), or never was a memory (SY-48).
  if (archived === null || archived.origin === 'renamed' || archived.origin === 'sync-copy') {
    return reconcile('import', 'new', file, null, merge);
  }
  if (!sameRecord(archived.record, file.record)) return reconcile('import', 'returned-edited', file, null, merge);
  return reconcile('restore', archived.origin === 'file-removed' ? 'restored' : 'returned', file, null, merge);
}

function planFirstMeeting(file: RecordFile, row: MemoryRecord): SyncAction {
  const merge = mergeFirstMeeting(file.record, row);
  const same = sameRecord({ ...row, extra: file.record.extra }, file.record);
  return reconcile(same ? 'agree' : 'merge', 'first-meeting', file, row, merge);
}

/**
 * The action that makes `file` and `row` hold the merged record, as far as the file can be written: the rest stays in the
 * row and waits (MF-3, MF-17, MF-24). The new base is what the file then says.
 */
function reconcile(
  kind: Reconcile['kind'],
  reason: Reconcile['reason'],
  file: RecordFile,
  row: MemoryRecord | null,
  merge: MergeResult,
): SyncAction {
  const target = merge.record;
  const agreed = file.readOnly ? file.record : keeping(file.record, file.unwritable ?? [], target);
  const touchesFile = !sameRecord(file.record, agreed);
  const touchesRow = row === null || !sameRecord(row, target);
  const rowChangesWait = !sameRecord(agreed, target);
  if (kind === 'export' && rowChangesWait && !touchesFile && !touchesRow) {
    return { kind: 'wait', reason: file.readOnly ? 'read-only' : 'unusable-value', ...UNTOUCHED };
  }
  const effective = rowChangesWait && !touchesFile ? 'read-only-import' : kind;
  return { kind: effective, reason, target, agreed, merge, touchesFile, touchesRow, rowChangesWait, deletion: false };
}

function keeping(file: MemoryRecord, keys: readonly RecordKey[], target: MemoryRecord): MemoryRecord {
  if (keys.every((key) => file[key] === target[key])) return target;
  return { ...target, ...Object.fromEntries(keys.map((key) => [key, file[key]])) };
}

function createFile(reason: 'edit-beats-delete' | 'new-row', merge: MergeResult): SyncAction {
  return {
    kind: 'create-file',
    reason,
    target: merge.record,
    merge,
    touchesFile: true,
    touchesRow: false,
    deletion: false,
  };
}

function archive(record: MemoryRecord, reason: Deletion['reason'], touchesRow: boolean): SyncAction {
  return {
    kind: 'archive',
    reason,
    record,
    missing: 'file',
    touchesFile: false,
    touchesRow,
    deletion: reason !== 'forget',
  };
}

function deleteFile(record: MemoryRecord, wish: 'sql' | 'forget'): SyncAction {
  const reason = wish === 'sql' ? 'sql-delete' : 'forget';
  return {
    kind: 'delete-file',
    reason,
    record,
    missing: 'row',
    touchesFile: true,
    touchesRow: false,
    deletion: wish === 'sql',
  };
}

function hold(
  reason: 'file-unknown' | 'read-only' | 'row-quarantined',
  held: { readonly missing: 'file' | 'row'; readonly reason: 'file-removed' | 'sql-delete' } | null,
): SyncAction {
  return { kind: 'hold', reason, held, ...UNTOUCHED };
}

const UNTOUCHED = { touchesFile: false, touchesRow: false, deletion: false } as const;
