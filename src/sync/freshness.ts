import { heartbeatPath, readHeartbeat, SILENT_MS } from '../files/heartbeat.ts';
import type { MemoryName } from '../memory/slug.ts';
import { countBases } from '../store/bases.ts';
import { hasChanges } from '../store/changes.ts';
import { listLedger } from '../store/ledger.ts';
import { countRows } from '../store/memories.ts';
import { directoryOfPath, type SyncContext } from './context.ts';
import { isAllAsAgreed } from './quick-look.ts';
import { scanFiles } from './scan.ts';
import { hasUnverifiedBases } from './verification.ts';

/** What a look by stat alone says before a read command (SY-57). */
export interface Freshness {
  /** Files and rows are as they last agreed. */
  readonly fresh: boolean;
  /** Memories whose file is not there, in a directory that is: left out of answers at once. */
  readonly missing: readonly MemoryName[];
}

/** From so many files on, asking each of them costs more than believing a watcher. */
const WATCHED_FROM = 2000;

/** Whether a watcher that gets events has just given a sign of life: then it takes in what changes (SY-57). */
function isWatched({ store, paths, clock }: SyncContext): boolean {
  if (countBases(store.db) <= WATCHED_FROM) return false;
  const heartbeat = readHeartbeat(heartbeatPath(paths.root), clock());
  return (
    heartbeat !== null &&
    heartbeat.ageMs < SILENT_MS &&
    heartbeat.mode === 'live' &&
    heartbeat.selfTest?.passed === true
  );
}

/** Compares the files' stat signatures and the change log with the last agreement. Reads no file, changes nothing. */
export function checkFreshness(context: SyncContext): Freshness {
  const { db } = context.store;
  const rowsAgree =
    !hasChanges(db) &&
    countRows(db) === countBases(db) &&
    listLedger(db).length === 0 &&
    !hasUnverifiedBases(context.store);
  if (rowsAgree && (isWatched(context) || isAllAsAgreed(context))) return { fresh: true, missing: [] };
  const scan = scanFiles(context);
  const missing = scan.missing.filter((file) => scan.directories[directoryOfPath(file.path)].intact);
  const fresh =
    rowsAgree &&
    scan.candidates.length === 0 &&
    scan.missing.length === 0 &&
    scan.unknown.length === 0 &&
    scan.vanishedSights.length === 0;
  return { fresh, missing: missing.map((file) => file.name) };
}
