import { mayBeFromGit } from '../files/git-tree.ts';
import { readMemory } from '../memory/read-toml.ts';
import { type MemoryRecord, type RecordKey, sameRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { parseTimestamp } from '../memory/timestamps.ts';
import { findArchived } from '../store/archive.ts';
import { type Base, findBase, listVersions } from '../store/bases.ts';
import { changesOf } from '../store/changes.ts';
import { findRow, type MemoryRow, rowRecord } from '../store/memories.ts';
import type { QuarantineRow } from '../store/quarantine.ts';
import type { FileSide, RowSide, SyncAction } from './action.ts';
import { defaultPath, directoryOfPath, type MemoryPath, type SyncContext } from './context.ts';
import { type FileSight, presentInBase } from './file-sight.ts';
import { problemOfNewName, problemOfRecord, type RowProblem } from './judge-row.ts';
import { loggedFate } from './logged-fate.ts';
import { effectiveFileRecord, effectiveRowRecord, staleBufferBase } from './merge.ts';
import { planSync } from './plan.ts';

/** `unchanged`: by its stat signature the file still is what the base says, so it was not read. */
export type Sight = FileSight | { readonly kind: 'unchanged' } | { readonly kind: 'not-determined' };

/** The row of a memory as sync sees it, with the change log entries it was judged by. */
export interface RowView {
  readonly side: RowSide;
  readonly row: MemoryRow | null;
  /** What the row literally says, NULLs filled; what a later look at the row is compared with. */
  readonly literal: MemoryRecord | null;
  readonly seqs: readonly number[];
  /** Why the row is quarantined. */
  readonly quarantine: Omit<QuarantineRow, 'tries'> | null;
}

/** Everything that is known of one memory, and what is to be done about it. */
export interface MemoryView {
  readonly name: MemoryName;
  readonly path: MemoryPath;
  readonly sight: Sight;
  readonly base: Base | null;
  readonly row: RowView;
  readonly action: SyncAction;
  /** A memory of this name was archived and not restored since. */
  readonly hasTombstone: boolean;
}

export interface ViewOptions {
  /** A person wants the memory gone; sync itself never does (SY-30). */
  readonly forget?: boolean;
  /** Believe a base only where file and row both confirm it (SY-70). */
  readonly distrustBase?: boolean;
  /** The file cannot be edited in place (MF-30): what the row has waits. */
  readonly layoutRefused?: boolean;
}

/**
 * Puts file, row, base and archive of one memory together and plans it (SY-14). Reads the database only: run it inside
 * the transaction that acts on it, or act under the lock and check again.
 */
export function viewMemory(
  context: SyncContext,
  name: MemoryName,
  path: MemoryPath | null,
  sight: Sight,
  options: ViewOptions = {},
): MemoryView {
  const { db } = context.store;
  const base = findBase(db, name);
  const wherePath = path ?? base?.path ?? defaultPath(name);
  const file = fileSide(sight, base, options.layoutRefused === true);
  const stand = file.state === 'record' ? file.record : null;
  const row = viewRow(context, name, base?.record ?? stand, base === null, options);
  const agreed = options.distrustBase === true && !confirms(base, file, row.side) ? null : (base?.record ?? null);
  const staleBase = agreed === null || base === null ? null : staleBaseOf(context, base, file, sight);
  const archived = agreed === null ? findArchived(db, name) : null;
  const action = planSync({ file, row: row.side, base: agreed, archived, staleBase });
  return { name, path: wherePath, sight, base, row, action, hasTombstone: archived !== null };
}

function confirms(base: Base | null, file: FileSide, row: RowSide): boolean {
  if (base === null || file.state !== 'record' || row.state !== 'record') return false;
  return sameRecord(file.record, base.record) && sameRecord(row.record, base.record);
}

/** What git put there since the base was stored is no editor's old buffer: it is taken as it is (SY-19). */
function staleBaseOf(context: SyncContext, base: Base, file: FileSide, sight: Sight): MemoryRecord | null {
  if (file.state !== 'record' || sight.kind !== 'read' || sight.hash === base.bytesHash) return null;
  const versions = listVersions(context.store.db, base.name);
  if (versions.length === 0) return null;
  const stale = staleBufferBase(file.record, base.record, versions, context.clock());
  if (stale === null) return null;
  const times = { sinceMs: base.syncedAtMs, changedMs: sight.signature.ctimeMs };
  return mayBeFromGit(context.paths.memory, times) ? null : stale;
}

function fileSide(sight: Sight, base: Base | null, refused: boolean): FileSide {
  switch (sight.kind) {
    case 'gone':
      return { state: 'gone' };
    case 'in-progress':
    case 'not-determined':
      return { state: 'unknown' };
    case 'bad':
      return { state: 'bad' };
    case 'unchanged':
      if (base === null) return { state: 'unknown' };
      return {
        state: 'record',
        record: base.record,
        readOnly: base.readOnly || refused,
        unwritable: unusableKeys(base),
      };
    case 'read': {
      const { unusable } = sight.parsed;
      // The same bytes say what was agreed on, whatever had to be read into them then.
      if (base !== null && sight.hash === base.bytesHash) {
        return { state: 'record', record: base.record, readOnly: sight.readOnly || refused, unwritable: unusable };
      }
      const known = base === null ? null : { record: base.record, present: presentInBase(base) };
      const endsWithNewline = sight.bytes.at(-1) === 10;
      return {
        state: 'record',
        record: effectiveFileRecord(sight.parsed, known, endsWithNewline),
        readOnly: sight.readOnly || refused,
        unwritable: unusable,
      };
    }
  }
}

function unusableKeys(base: Base): readonly RecordKey[] {
  const read = readMemory(base.bytes, directoryOfPath(base.path));
  return read.kind === 'ok' ? read.memory.unusable : [];
}

function viewRow(
  context: SyncContext,
  name: MemoryName,
  known: MemoryRecord | null,
  firstMeeting: boolean,
  options: ViewOptions,
): RowView {
  const { db } = context.store;
  const changes = changesOf(db, name);
  const row = findRow(db, name);
  const directory = directoryOf(name);
  const said = row === null ? null : saidBy(row, known, firstMeeting);
  const literal = said === null ? null : effectiveRowRecord(said, known, directory, null);
  const fate = row === null ? loggedFate(db, name) : null;
  const seen = { row, literal, seqs: fate?.seqs ?? changes.map((change) => change.seq), quarantine: null };
  if (options.forget === true) return { ...seen, side: { state: 'gone', wish: 'forget' } };
  const last = changes.at(-1);
  if (said === null) {
    return { ...seen, side: fate?.deleted === true ? { state: 'gone', wish: 'sql' } : { state: 'none' } };
  }
  const record = effectiveRowRecord(said, known, directory, wholeSeconds(parseTimestamp(last?.at ?? '')));
  const suspect = changes.length > 0 || firstMeeting;
  const problem = suspect ? problemOfRow(context, name, record, known) : null;
  if (problem === null) return { ...seen, side: { state: 'record', record } };
  return { ...seen, side: { state: 'bad' }, quarantine: quarantinedRow(name, problem, context.clock()) };
}

/** Who decided `core` in the file is no answer for a row that says another `core` and never met it. */
function saidBy(row: MemoryRow, known: MemoryRecord | null, firstMeeting: boolean) {
  const said = rowRecord(row);
  if (!firstMeeting || said.core === undefined || said.core === known?.core) return said;
  return { core_origin: null, ...said };
}

function problemOfRow({ store }: SyncContext, name: MemoryName, record: MemoryRecord, known: MemoryRecord | null) {
  return problemOfRecord(record, known) ?? (known === null ? problemOfNewName(store.db, name) : null);
}

function wholeSeconds(timestamp: string | null): string | null {
  return timestamp === null ? null : timestamp.replace(/\.\d+Z$/, 'Z');
}

function quarantinedRow(
  name: MemoryName,
  { reason, message }: RowProblem,
  seenMs: number,
): Omit<QuarantineRow, 'tries'> {
  return {
    side: 'row',
    name,
    path: name,
    size_bytes: null,
    mtime_ms: null,
    ctime_ms: null,
    ino: null,
    hash: null,
    reason,
    line: null,
    col: null,
    message,
    seen_ms: seenMs,
  };
}
