import { wholeSecondTimestamp } from '../clock.ts';
import type { StatSignature } from '../files/signature.ts';
import { exactKey } from '../memory/exact-key.ts';
import { type MemoryRecord, sameAuthored, sameRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type ArchiveOrigin, addArchived, markRestored } from '../store/archive.ts';
import { type Base, deleteBase, findBase, keepVersion, writeBase } from '../store/bases.ts';
import { deleteChanges, deleteChangesAfter, lastChangeSeq } from '../store/changes.ts';
import { type Contradiction, closeConflicts, openConflict, openContradiction } from '../store/conflicts.ts';
import { releaseHold } from '../store/holds.ts';
import { keepLearnAnswer, type LearnAnswer } from '../store/learn-answers.ts';
import { deleteRow, findRow, type MemoryRow, rowRecord, writeRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { appendEvent, KIND_OF_COUNTER, type OutcomeEvent, settleEvents } from '../store/outcomes.ts';
import { releaseQuarantined } from '../store/quarantine.ts';
import { dropRecordKey, setRecordKey } from '../store/record-keys.ts';
import type { ContentHash } from '../text/content-hash.ts';
import type { MemoryPath } from './context.ts';
import { lostKeys } from './file-sight.ts';
import { type Clash, type CounterChange, effectiveRowRecord, mergeRecords } from './merge.ts';

/** The file as it stands when an agreement about it is stored. */
export interface AgreedFile {
  readonly path: MemoryPath;
  readonly bytes: Uint8Array;
  readonly hash: ContentHash;
  readonly signature: StatSignature;
  readonly readAtMs: number;
  readonly readOnly: boolean;
}

/** Equal to no real signature: the file is read at the next look. */
export const UNKNOWN_SIGNATURE: StatSignature = { sizeBytes: -1, mtimeMs: 0, ctimeMs: 0, ino: 0 };

/**
 * What is stored together with a memory that nobody was asked about (AG-46): after a crash there is all of it or nothing.
 */
export interface LearnedWith {
  /** Live memories that it contradicts. */
  readonly contradicts: readonly Omit<Contradiction, 'name'>[];
  /** What its caller is told, also when he asks again (AG-10). */
  readonly answer: Omit<LearnAnswer, 'conflictId'> | null;
}

/** What step 7 stores once file and row agree (SY-36); plain data, since the ledger keeps it over a crash. */
export interface Agreement {
  readonly kind: 'agreement';
  readonly name: MemoryName;
  readonly path: MemoryPath;
  /** The record of the new base: what the file says. */
  readonly agreed: MemoryRecord;
  /** What the row is to hold; differs from `agreed` where changes wait. */
  readonly target: MemoryRecord;
  /** The row this was planned on; null where there was none. */
  readonly plannedRow: MemoryRecord | null;
  readonly clashes: readonly Clash[];
  readonly clashReason: string;
  /** Counter changes that the merge found. */
  readonly counterChanges: readonly CounterChange[];
  /** Counts of engram's own; a repeated key changes nothing. */
  readonly events: readonly OutcomeEvent[];
  /** Change log entries that are dealt with; empty where changes wait. */
  readonly seqs: readonly number[];
  readonly rowChangesWait: boolean;
  readonly endsArchive: boolean;
  readonly atMs: number;
  readonly readOnly: boolean;
  readonly learned?: LearnedWith;
}

/** What is stored when a memory goes to the archive. */
export interface Removal {
  readonly kind: 'removal';
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly origin: ArchiveOrigin;
  readonly goneTo: MemoryName | null;
  readonly seqs: readonly number[];
  readonly atMs: number;
}

/** Stores an agreement. Runs inside a transaction; what a shell changed meanwhile stays pending (SY-36 step 7). */
export function commitAgreement(db: SqliteDatabase, agreement: Agreement, file: AgreedFile): void {
  const { name, agreed, target, atMs } = agreement;
  const startSeq = lastChangeSeq(db);
  const before = findBase(db, name);
  if (before !== null && !sameRecord(before.record, agreed)) keepVersion(db, before, atMs);
  writeBase(db, baseOf(agreement, file, before));
  writeTarget(db, agreement);
  storeEvents(db, agreement, before !== null);
  for (const clash of agreement.clashes) {
    openConflict(db, { name, ...clash, reason: agreement.clashReason, atMs });
  }
  if (agreement.learned !== undefined) storeLearned(db, name, agreement.learned, atMs);
  if (agreement.endsArchive) markRestored(db, name, atMs);
  releaseQuarantined(db, 'file', name);
  if (!agreement.rowChangesWait) releaseQuarantined(db, 'row', name);
  releaseHold(db, name);
  setRecordKey(db, name, exactKey(target));
  deleteChanges(db, agreement.seqs);
  // What the file could not take is told by the log as long as it waits (MF-24).
  if (sameRecord(agreed, target)) deleteChangesAfter(db, startSeq);
}

function baseOf(agreement: Agreement, file: AgreedFile, before: Base | null): Base {
  return {
    name: agreement.name,
    path: file.path,
    signature: file.signature,
    readAtMs: file.readAtMs,
    readOnly: file.readOnly,
    syncedAtMs: agreement.atMs,
    bytesHash: file.hash,
    lostKeys: lostKeys(before, file.bytes, file.path),
    record: agreement.agreed,
    bytes: file.bytes,
  };
}

/** The row receives only what this write changed: a shell's statement made meanwhile keeps its effect (SY-36). */
function writeTarget(db: SqliteDatabase, agreement: Agreement): void {
  const { name, target, plannedRow } = agreement;
  const row = findRow(db, name);
  if ((row === null) !== (plannedRow === null)) return;
  const now = row === null ? null : effectiveRowRecord(rowRecord(row), plannedRow, directoryOf(name), null);
  const record =
    now === null || plannedRow === null || sameRecord(now, plannedRow)
      ? target
      : mergeRecords(plannedRow, target, now).record;
  if (row !== null && now !== null && isStored(row, now, record)) return;
  writeRow(db, name, record, rowTimes(agreement, row, now));
}

/** Whether the row already says `record`, its NULLs and its own `extra` included: then nothing is written (SY-18). */
function isStored(row: MemoryRow, now: MemoryRecord, record: MemoryRecord): boolean {
  const literal = rowRecord(row);
  const filled = { ...literal, extra: row.extra };
  return (
    sameRecord(now, record) &&
    Object.entries(record).every(([key, value]) => (filled[key as keyof MemoryRecord] ?? null) === value)
  );
}

function rowTimes({ target, events, atMs }: Agreement, row: MemoryRow | null, now: MemoryRecord | null) {
  const surfaced = events.some((event) => event.kind === 'surfaced');
  const textChanged = now !== null && !sameAuthored(now, target);
  return {
    textUpdatedAt: row === null ? target.created_at : textChanged ? wholeSecondTimestamp(atMs) : row.text_updated_at,
    lastSurfacedAt: surfaced ? wholeSecondTimestamp(atMs) : (row?.last_surfaced_at ?? null),
  };
}

function storeEvents(
  db: SqliteDatabase,
  { name, target, plannedRow, counterChanges, events, atMs }: Agreement,
  hasCountedBefore: boolean,
): void {
  for (const event of events) appendEvent(db, event);
  // A first meeting of sides that agreed in another life of this database (SY-70): most is counted already.
  if (hasCountedBefore && counterChanges.some((change) => change.origin === 'import')) {
    settleEvents(db, name, target, 'import', atMs);
    return;
  }
  const bySql = counterChanges.some((change) => change.origin === 'sql');
  for (const { key, delta, origin } of counterChanges) {
    if (origin !== 'sql') appendEvent(db, { name, kind: KIND_OF_COUNTER[key], delta, origin, atMs });
  }
  // A count that went to the row alone has its event already (SY-40), so only what the sums lack is owed.
  if (bySql) settleEvents(db, name, target, 'sql', atMs);
  // A row that was lost took counts with it that its file never had.
  if (hasCountedBefore && plannedRow === null) settleEvents(db, name, target, 'adjust', atMs);
}

function storeLearned(db: SqliteDatabase, name: MemoryName, { contradicts, answer }: LearnedWith, atMs: number): void {
  // One that went meanwhile contradicts nobody.
  const live = contradicts.filter(({ other }) => findRow(db, other) !== null);
  const [conflictId = null] = live.map((contradiction) => openContradiction(db, { name, ...contradiction }, atMs));
  if (answer !== null) keepLearnAnswer(db, { ...answer, conflictId });
}

/**
 * Archives a memory: the tombstone first, then row, base and everything derived from them. Its events are brought to a
 * sum of 0, so that a new memory of the name starts there (SY-7). Runs inside a transaction.
 *
 * @param bytes - the file as last known; null when nobody has it
 */
export function commitRemoval(db: SqliteDatabase, removal: Removal, bytes: Uint8Array | null): void {
  const { name, record, origin, goneTo, atMs } = removal;
  const startSeq = lastChangeSeq(db);
  const base = findBase(db, name);
  addArchived(db, { name, record, bytes: bytes ?? base?.bytes ?? null, origin, atMs, goneTo });
  deleteRow(db, name);
  deleteBase(db, name);
  dropRecordKey(db, name);
  settleEvents(db, name, null, 'adjust', atMs);
  closeConflicts(db, name, 'archived', atMs);
  releaseQuarantined(db, 'row', name);
  releaseQuarantined(db, 'file', name);
  releaseHold(db, name);
  deleteChanges(db, removal.seqs);
  deleteChangesAfter(db, startSeq);
}
