import { join } from 'node:path';
import { heartbeatPath, readHeartbeat } from '../files/heartbeat.ts';
import { type Listing, listDirectory, selectNames } from '../files/memory-directory.ts';
import { stableRead } from '../files/stable-read.ts';
import { MEMORY_DIRECTORIES, type MemoryDirectory } from '../memory/record.ts';
import { findBase } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { countOpenConflicts } from '../store/conflicts.ts';
import { listHolds } from '../store/holds.ts';
import { countOrphans, countStale } from '../store/indexes.ts';
import { listLedger } from '../store/ledger.ts';
import { countRowsIn, listNamesOnOneSide } from '../store/memories.ts';
import { SCHEMA_VERSION } from '../store/migrate.ts';
import { findQuarantined, listQuarantined, listQuarantinedRows } from '../store/quarantine.ts';
import { lastCompleteRun } from '../store/runs.ts';
import { contentHash } from '../text/content-hash.ts';
import type { SyncContext } from './context.ts';
import { type FileNote, listFileNotes } from './file-notes.ts';
import type { Candidate } from './look.ts';
import { listLooping } from './looping.ts';
import { listNotImported, type NotImported } from './not-imported.ts';
import { type QuarantineSummary, summariseQuarantine } from './report.ts';
import { type Scan, scanFiles } from './scan.ts';
import { hasUnverifiedBases } from './verification.ts';
import { listStuckNames, listWaitingChanges, type WaitingChange } from './waiting-changes.ts';

/** A count that could not be made is `unknown`, never 0 (SY-66). */
export type Count = number | 'unknown';

export interface DirectoryStatus {
  readonly directory: MemoryDirectory;
  /** Memory files, quarantined ones included; counted now. */
  readonly files: Count;
  readonly rows: Count;
  /** Why the files could not be counted. */
  readonly problem: string | null;
}

/** One block for text, JSON and the other ways to ask (SY-66). */
export interface StoreStatus {
  readonly root: string;
  /** `dev:ino` of the database file, null when it lives in memory. */
  readonly database: string | null;
  readonly schema: number;
  readonly directories: readonly DirectoryStatus[];
  /** Memories whose side has something that a sync would take. */
  readonly pending: { readonly files: Count; readonly rows: Count };
  /** Changes of rows that wait for a person: the file has a value that cannot be used, or is never written. */
  readonly waiting: readonly WaitingChange[] | 'unknown';
  readonly quarantined: readonly QuarantineSummary[] | 'unknown';
  /** Files that are read, and what their owner should know about them (MF-27). */
  readonly notes: readonly FileNote[] | 'unknown';
  readonly openConflicts: Count;
  readonly holds:
    | readonly { readonly name: string; readonly side: 'file' | 'row'; readonly reason: string }[]
    | 'unknown';
  readonly index: { readonly lag: Count; readonly orphans: Count };
  /** File writes that are under way or were cut off. */
  readonly unfinishedWrites: Count;
  /** Who watches the store; null when nobody does. */
  readonly watcher: WatcherStatus | null;
  /** Files that a watcher does not write for a while, since somebody changes them back each time (SY-44). */
  readonly looping: readonly string[] | 'unknown';
  readonly lastCompleteRun: { readonly origin: string; readonly at: string } | null | 'unknown';
  /** Where files of an older layout lie that no memory came from (MF-49). */
  readonly notImported: readonly NotImported[] | 'unknown';
  /** What does not work as it should, in words. */
  readonly degraded: readonly string[];
}

export interface WatcherStatus {
  readonly pid: number;
  readonly command: string;
  readonly mode: string;
  /** Since its last sign of life, which it gives every second. */
  readonly heartbeatAgeMs: number;
  readonly selfTest: { readonly ageMs: number; readonly passed: boolean } | null;
}

export interface StatusOptions {
  /** Leaves `notes` empty, which every file of the last agreement has to be read for. */
  readonly withoutNotes?: boolean;
}

/** Counts what is there now; changes nothing. */
export function storeStatus(context: SyncContext, { withoutNotes = false }: StatusOptions = {}): StoreStatus {
  const { db, readOnly, identity } = context.store;
  const scan = attempt<Scan | 'unknown'>(() => scanFiles(context));
  // A database in memory knows nothing of what the one on disk holds.
  const ask = <T>(question: () => T): T | 'unknown' => (readOnly ? 'unknown' : attempt(question));
  return {
    root: context.paths.root,
    database: identity,
    schema: SCHEMA_VERSION,
    directories: MEMORY_DIRECTORIES.map((directory) => directoryStatus(context, directory, ask)),
    pending: { files: ask(() => countPendingFiles(context, scan)), rows: ask(() => countPendingRows(context)) },
    waiting: ask(() => listWaitingChanges(context)),
    quarantined: ask(() => listQuarantined(db).map(summariseQuarantine)),
    notes: withoutNotes ? [] : ask(() => listFileNotes(context)),
    openConflicts: ask(() => countOpenConflicts(db)),
    holds: ask(() => listHolds(db).map(({ name, side, reason }) => ({ name, side, reason }))),
    index: { lag: ask(() => countStale(db)), orphans: ask(() => countOrphans(db)) },
    unfinishedWrites: ask(() => listLedger(db).length),
    watcher: watcherStatus(context),
    looping: ask(() => listLooping(context)),
    lastCompleteRun: ask(() => {
      const run = lastCompleteRun(db);
      return run === null ? null : { origin: run.origin, at: new Date(run.finished_ms).toISOString() };
    }),
    notImported: attempt(() => listNotImported(context)),
    degraded: degradedParts(context, scan),
  };
}

function watcherStatus({ paths, clock }: SyncContext): WatcherStatus | null {
  const now = clock();
  const heartbeat = readHeartbeat(heartbeatPath(paths.root), now);
  if (heartbeat === null) return null;
  const { pid, command, mode, selfTest, ageMs } = heartbeat;
  const test = selfTest === null ? null : { ageMs: Math.max(0, now - selfTest.atMs), passed: selfTest.passed };
  return { pid, command, mode, heartbeatAgeMs: ageMs, selfTest: test };
}

function attempt<T>(question: () => T): T | 'unknown' {
  try {
    return question();
  } catch {
    return 'unknown';
  }
}

function directoryStatus(
  context: SyncContext,
  directory: MemoryDirectory,
  ask: <T>(question: () => T) => T | 'unknown',
): DirectoryStatus {
  const listing = (context.list ?? listDirectory)(context.paths[directory]);
  const rows = ask(() => countRowsIn(context.store.db, directory));
  return { directory, files: countFiles(listing), rows, problem: problemOf(listing) };
}

function countFiles(listing: Listing): Count {
  if (listing.kind === 'missing') return 0;
  if (listing.kind === 'unreadable') return 'unknown';
  const { files, quarantined } = selectNames(listing.names);
  return files.length + quarantined.length;
}

function problemOf(listing: Listing): string | null {
  if (listing.kind === 'complete') return null;
  return listing.kind === 'missing' ? 'the directory does not exist' : `unreadable (${listing.code})`;
}

/** Files that differ from their last agreement, new and missing ones; in a directory that cannot be listed nobody knows. */
function countPendingFiles(context: SyncContext, scan: Scan | 'unknown'): Count {
  if (scan === 'unknown') return 'unknown';
  if (MEMORY_DIRECTORIES.some((directory) => scan.directories[directory].state === 'unreadable')) return 'unknown';
  const changed = scan.candidates.filter((file) => isPending(context, file));
  const held = new Set(listHolds(context.store.db).map((hold) => hold.name));
  return changed.length + scan.unknown.length + scan.missing.filter(({ name }) => !held.has(name)).length;
}

/** A stat signature taken within two seconds of a write says nothing yet; the content does. */
function isPending({ store, paths }: SyncContext, { name, path }: Candidate): boolean {
  const quarantined = findQuarantined(store.db, 'file', name);
  const known = [findBase(store.db, name)?.bytesHash, quarantined?.hash];
  // Its name is a secret, and it stands in the quarantine without it: only a person can rename it.
  if (quarantined?.reason === 'secret' && quarantined.path !== path) return false;
  const read = stableRead(join(paths.memory, path));
  // A FIFO, a directory, a link to nothing: named among the quarantined, and no sync changes that.
  if (read.kind === 'unusable' && quarantined !== null && quarantined.hash === null) return false;
  return read.kind !== 'file' || !known.includes(contentHash(read.bytes));
}

function countPendingRows(context: SyncContext): number {
  const { db } = context.store;
  // Who is held, quarantined or waiting is named by itself; a sync would not change that.
  const apart = new Set(listHolds(db).map((hold) => hold.name));
  for (const name of listQuarantinedRows(db)) apart.add(name);
  for (const name of listStuckNames(context)) apart.add(name);
  const names = new Set<string>(listNamesOnOneSide(db));
  for (const { name, old_name } of listChanges(db)) {
    names.add(name);
    if (old_name !== null) names.add(old_name);
  }
  return [...names].filter((name) => !apart.has(name)).length;
}

function degradedParts(context: SyncContext, scan: Scan | 'unknown'): string[] {
  const parts: string[] = [];
  if (context.store.readOnly)
    parts.push(
      `read_only: ${context.store.unwritable ?? 'the data root'} cannot be written; answers come from an index in memory`,
    );
  if (scan === 'unknown') parts.push('files: they could not be looked at');
  if (scan !== 'unknown') {
    for (const directory of MEMORY_DIRECTORIES) {
      const { state, code } = scan.directories[directory];
      if (state === 'unreadable') parts.push(`files: ${directory} cannot be listed (${code})`);
    }
  }
  if (!context.store.readOnly && attempt(() => hasUnverifiedBases(context.store)) === true) {
    parts.push('database: another file than at the last sync (a copy or backup); the next sync compares everything');
  }
  return parts;
}
