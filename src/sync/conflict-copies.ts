import { join } from 'node:path';
import { originalOfCopy } from '../files/file-names.ts';
import { acquireLock } from '../files/lock.ts';
import { removeFile } from '../files/replace-file.ts';
import { stableRead } from '../files/stable-read.ts';
import { readMemory } from '../memory/read-toml.ts';
import { type MemoryRecord, sameAuthored } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { addArchived, findArchived } from '../store/archive.ts';
import { findBase, listVersions } from '../store/bases.ts';
import { listConflictsOf, openConflict } from '../store/conflicts.ts';
import { findRow, rowRecord } from '../store/memories.ts';
import { findQuarantined, putQuarantined, releaseQuarantined } from '../store/quarantine.ts';
import { immediately } from '../store/transaction.ts';
import { findSecrets } from '../text/secrets.ts';
import { directoryOfPath, type MemoryPath, nameOfFile, type SyncContext } from './context.ts';
import { effectiveRowRecord, mergeFirstMeeting } from './merge.ts';
import type { StepLog } from './report.ts';
import type { Scan } from './scan.ts';

const REASON = 'sync-copy';

/** A copy that a file synchroniser left, beside the live memory it was made of. */
interface Copy {
  readonly path: MemoryPath;
  /** The name the copy itself would have; its tombstone gets it. */
  readonly ownName: MemoryName;
  readonly of: MemoryName;
  readonly bytes: Uint8Array;
  readonly record: MemoryRecord;
  readonly live: MemoryRecord;
}

/**
 * Compares the copies that file synchronisers left with the memories they were made of (SY-48). A copy is never live: what
 * it says differently becomes conflict rows, and when these are resolved the copy goes to the archive.
 */
export function handleConflictCopies(context: SyncContext, scan: Scan, log: StepLog): void {
  for (const { path, reason } of scan.refused) {
    const copy = reason === 'conflict-copy' ? readCopy(context, path) : null;
    if (copy !== null) handleCopy(context, copy, log);
  }
}

function handleCopy(context: SyncContext, copy: Copy, log: StepLog): void {
  const { db } = context.store;
  // What the memory itself said before is no edit of the copy's.
  const earlier = listVersions(db, copy.of).map((version) => version.record);
  const { clashes: different } = mergeFirstMeeting(copy.live, copy.record);
  const clashes = different.filter(({ field, rowValue }) => !earlier.some((record) => record[field] === rowValue));
  const known = listConflictsOf(db, copy.of, REASON).filter(
    (conflict) => copy.record[conflict.field as keyof MemoryRecord] === conflict.row_value,
  );
  const added = clashes.filter((clash) => !known.some((conflict) => conflict.field === clash.field));
  if (added.length > 0) {
    const atMs = context.clock();
    immediately(context.store, () => {
      for (const clash of added) openConflict(db, { name: copy.of, ...clash, reason: REASON, atMs });
    });
    log.add(copy.of, 'note', 'sync-copy', copy.path);
    return;
  }
  if (known.some((conflict) => conflict.resolution === null)) return;
  if (known.length > 0) archiveCopy(context, copy, log);
  else noteRedundant(context, copy, log);
}

function noteRedundant(context: SyncContext, { path, of, live, record }: Copy, log: StepLog): void {
  const { db } = context.store;
  const same = sameAuthored({ ...live, extra: record.extra }, record);
  const message = same
    ? `a copy left by a file synchroniser, equal to ${of}: redundant, remove it`
    : `a copy left by a file synchroniser, whose texts ${of} has or had: look at the rest, then remove it`;
  const stored = findQuarantined(db, 'file', path);
  if (stored === null || stored.message === message) return;
  immediately(context.store, () => putQuarantined(db, { ...stored, message }));
  log.add(of, 'note', same ? 'redundant-copy' : 'copy-with-equal-texts', path);
}

/** The tombstone first, then the file; a copy that changed meanwhile stays. */
function archiveCopy(context: SyncContext, copy: Copy, log: StepLog): void {
  const { db } = context.store;
  const absolute = join(context.paths.memory, copy.path);
  using _lock = acquireLock(absolute, { now: context.clock }, context.fs);
  const read = stableRead(absolute);
  if (read.kind !== 'file' || Buffer.compare(read.bytes, copy.bytes) !== 0) return;
  immediately(context.store, () => {
    const { ownName: name, record, bytes } = copy;
    const archived = findArchived(db, name);
    const isKept =
      archived?.bytes !== null && archived?.bytes !== undefined && Buffer.compare(archived.bytes, bytes) === 0;
    if (!isKept) addArchived(db, { name, record, bytes, origin: REASON, atMs: context.clock(), goneTo: copy.of });
    releaseQuarantined(db, 'file', copy.path);
  });
  removeFile(absolute, context.fs);
  log.add(copy.of, 'note', 'sync-copy-archived', copy.path);
}

/** Null when there is nothing to compare: no memory in the copy, or no live memory of the name. */
function readCopy(context: SyncContext, path: MemoryPath): Copy | null {
  const { db } = context.store;
  const directory = directoryOfPath(path);
  const fileName = path.slice(directory.length + 1);
  const ownName = nameOfFile(directory, fileName);
  const of = nameOfFile(directory, originalOfCopy(fileName));
  const row = of === null ? null : findRow(db, of);
  // Nothing is made of a file whose name is a secret: it would be in the report and in the archive.
  if (ownName === null || of === null || row === null || findSecrets(path).length > 0) return null;
  const read = stableRead(join(context.paths.memory, path));
  if (read.kind !== 'file') return null;
  const parsed = readMemory(read.bytes, directory);
  if (parsed.kind !== 'ok') return null;
  const live = effectiveRowRecord(rowRecord(row), findBase(db, of)?.record ?? null, directory, null);
  return { path, ownName, of, bytes: read.bytes, record: parsed.memory.record, live };
}
