import { exactKey } from '../memory/exact-key.ts';
import { type MemoryRecord, RECORD_KEYS, type RecordKey, sameAuthored, sameRecord } from '../memory/record.ts';
import { withoutSecrets } from '../memory/secrets.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findArchived } from '../store/archive.ts';
import { refreshSignature, writeBase } from '../store/bases.ts';
import { deleteChanges, deleteChangesAfter, lastChangeSeq } from '../store/changes.ts';
import { addHistory, hasHistoryBytes } from '../store/history.ts';
import { holdDeletion, releaseHold } from '../store/holds.ts';
import { rowRecord, writeRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { eventSums } from '../store/outcomes.ts';
import { putQuarantined, releaseQuarantined } from '../store/quarantine.ts';
import { setRecordKey } from '../store/record-keys.ts';
import { findSecrets } from '../text/secrets.ts';
import type { CreateFile, Reconcile, RestoreRow } from './action.ts';
import { type AgreedFile, type Agreement, commitAgreement } from './commit.ts';
import type { SyncContext } from './context.ts';
import { lostKeys } from './file-sight.ts';
import type { MemoryView } from './memory-view.ts';
import { type MergeResult, mergeRecords } from './merge.ts';

/**
 * Carries out a plan that writes no file (SY-39). Runs inside the transaction in which the view was made.
 *
 * @returns false when the plan writes a file or deletes something: that is for a critical section
 */
export function applyToRows(context: SyncContext, view: MemoryView): boolean {
  const { action } = view;
  const { db } = context.store;
  storeSight(context, view);
  switch (action.kind) {
    case 'none':
      refreshBase(context, view);
      return true;
    case 'wait':
    case 'quarantine':
      return true;
    case 'hold':
      if (action.held !== null) {
        holdDeletion(db, {
          name: view.name,
          side: action.held.missing,
          reason: action.reason,
          seen_ms: context.clock(),
        });
      }
      return true;
    case 'restore-row':
      restoreRow(context, view, action);
      return true;
    case 'archive':
    case 'delete-file':
    case 'create-file':
      return false;
    default:
      if (action.touchesFile) return false;
      return importFile(context, view, action);
  }
}

/** Stores or ends what the look at file and row itself says: first sights, quarantine (MF-20, SY-42). */
function storeSight(context: SyncContext, { name, sight, base, row }: MemoryView): void {
  const { db } = context.store;
  if (sight.kind === 'in-progress' && sight.first !== null) putQuarantined(db, sight.first);
  if (sight.kind === 'bad') putQuarantined(db, sight.quarantine);
  if (sight.kind === 'read' || sight.kind === 'gone') releaseQuarantined(db, 'file', name);
  if (row.quarantine !== null) {
    putQuarantined(db, row.quarantine);
    // What the log says of a row without a file is what the row says; it would keep a name that is a secret.
    if (base === null && findSecrets(name).length > 0) deleteChanges(db, row.seqs);
  }
  if (row.side.state !== 'bad') releaseQuarantined(db, 'row', name);
}

function refreshBase(context: SyncContext, { name, path, sight, base, row }: MemoryView): void {
  const { db } = context.store;
  releaseHold(db, name);
  if (sight.kind === 'read' && base !== null) {
    if (sight.hash === base.bytesHash && sight.readOnly === base.readOnly) {
      refreshSignature(db, name, path, sight.signature, sight.readAtMs);
    } else {
      const lost = lostKeys(base, sight.bytes, path);
      const file = { ...fileOf(path, sight), bytesHash: sight.hash, lostKeys: lost };
      writeBase(db, { ...base, ...file, syncedAtMs: context.clock() });
    }
  }
  if (row.row !== null && base !== null && row.seqs.length > 0) undoForeignColumns(context, { name, base, row });
  deleteChanges(db, row.seqs);
}

/** The row says nothing new, but its NULLs are filled, and what is not its to say is undone (SY-25). */
function undoForeignColumns(
  context: SyncContext,
  { name, base, row }: Pick<MemoryView, 'name' | 'row'> & { base: NonNullable<MemoryView['base']> },
): void {
  const stored = row.row;
  if (stored === null) return;
  const said: Partial<Record<RecordKey, unknown>> = { ...rowRecord(stored), extra: stored.extra };
  const complete = RECORD_KEYS.every((key) => (said[key] ?? null) === base.record[key]);
  if (complete) return;
  const { db } = context.store;
  const seq = lastChangeSeq(db);
  writeRow(db, name, base.record, { textUpdatedAt: stored.text_updated_at, lastSurfacedAt: stored.last_surfaced_at });
  deleteChangesAfter(db, seq);
}

function restoreRow(context: SyncContext, { name, row }: MemoryView, action: RestoreRow): void {
  const { db } = context.store;
  deleteChanges(db, row.seqs);
  bringRowBack(db, name, action.target);
  if (action.wish !== null) holdDeletion(db, { name, side: 'row', reason: action.reason, seen_ms: context.clock() });
}

/** Makes a lost row anew. Counts that had gone to the row alone are in its events, and wait for the file again (SY-40). */
export function bringRowBack(db: SqliteDatabase, name: MemoryName, record: MemoryRecord): void {
  const seq = lastChangeSeq(db);
  const counted = { ...record, ...eventSums(db, name) };
  writeRow(db, name, counted, { textUpdatedAt: record.created_at, lastSurfacedAt: null });
  setRecordKey(db, name, exactKey(record));
  if (sameRecord(counted, record)) deleteChangesAfter(db, seq);
}

function importFile(context: SyncContext, view: MemoryView, action: Reconcile): boolean {
  const { sight, base } = view;
  const { db } = context.store;
  const file =
    sight.kind === 'read' ? fileOf(view.path, sight) : base === null ? null : { ...base, hash: base.bytesHash };
  if (file === null) return false;
  if (action.reason === 'returned-edited' || action.reason === 'returned') linkArchived(context, view, action.reason);
  keepReplaced(context, view, action);
  commitAgreement(db, agreementOf(context, view, action), file);
  return true;
}

function linkArchived(context: SyncContext, { name }: MemoryView, reason: string): void {
  const archived = findArchived(context.store.db, name);
  if (archived === null) return;
  const { record, bytes } = archived;
  addHistory(context.store.db, {
    name,
    atMs: context.clock(),
    origin: `archive ${archived.id}`,
    reason,
    record,
    bytes,
  });
}

/**
 * Overwritten text is in history before anything replaces it (SY-16): what both sides agreed on, then what either side made
 * of it and loses. Runs inside the transaction before the write.
 */
export function keepReplaced(context: SyncContext, view: MemoryView, action: Reconcile | CreateFile): void {
  const { name, sight, base, row } = view;
  const { overwritten } = action.merge;
  const keep = (record: MemoryRecord, bytes: Uint8Array | null) =>
    addHistory(context.store.db, {
      name,
      atMs: context.clock(),
      origin: context.origin,
      reason: action.reason,
      record,
      bytes,
    });
  const differs = (record: MemoryRecord) => base === null || !sameAuthored(base.record, record);
  const file = sight.kind === 'read' ? sight : null;
  if (base !== null && differs(action.target)) keep(base.record, base.bytes);
  if (overwritten.row && row.side.state === 'record' && differs(row.side.record)) keep(row.side.record, null);
  const unjudged = mergeWithBadRow(view, action.target);
  if (unjudged?.overwritten.row === true && row.literal !== null) keep(row.literal, null);
  if (!action.touchesFile || file === null) return;
  // Somebody may have put an older version back on purpose: the text is one `engram history` away.
  const loses =
    action.reason === 'stale-buffer'
      ? !hasHistoryBytes(context.store.db, name, file.bytes)
      : overwritten.file && differs(file.parsed.record);
  if (loses) keep(file.parsed.record, file.bytes);
}

/** A quarantined row receives what the file changed and keeps the rest of what it says; what clashes is told as ever. */
function mergeWithBadRow({ row, base }: MemoryView, target: MemoryRecord): MergeResult | null {
  if (row.side.state !== 'bad' || row.literal === null || base === null) return null;
  return mergeRecords(base.record, target, withoutSecrets(row.literal));
}

/** What the plan says, as the data that step 7 and a recovery after a crash work on. */
export function agreementOf(context: SyncContext, view: MemoryView, action: Reconcile): Agreement {
  const { row, sight, base } = view;
  const isBad = row.side.state === 'bad';
  return {
    kind: 'agreement',
    name: view.name,
    path: view.path,
    agreed: action.agreed,
    target: action.target,
    // Of a quarantined row only the base is believed, so all that it says now was changed meanwhile.
    plannedRow: isBad && row.literal !== null && base !== null ? base.record : row.literal,
    clashes: mergeWithBadRow(view, action.target)?.clashes ?? action.merge.clashes,
    clashReason: action.reason,
    counterChanges: action.merge.events,
    events: [],
    seqs: action.rowChangesWait || isBad ? [] : row.seqs,
    rowChangesWait: action.rowChangesWait || isBad,
    endsArchive: base === null && view.hasTombstone,
    atMs: context.clock(),
    readOnly: sight.kind === 'read' ? sight.readOnly : (base?.readOnly ?? false),
  };
}

/** The file of a read sight, as an agreement stores it. */
function fileOf(path: string, sight: Extract<MemoryView['sight'], { kind: 'read' }>): AgreedFile {
  const { bytes, hash, signature, readAtMs, readOnly } = sight;
  return { path, bytes, hash, signature, readAtMs, readOnly };
}
