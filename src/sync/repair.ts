import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { breakStaleLock, sweepTemps } from '../files/lock.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { backUp } from '../store/backup.ts';
import { findBase } from '../store/bases.ts';
import { logRowChange } from '../store/changes.ts';
import { emptyFullText, FULL_TEXT_TABLES, listWrongIndexTexts } from '../store/health.ts';
import { forgetIndex, markStale, updateIndexes } from '../store/indexes.ts';
import { findRow, rowRecord } from '../store/memories.ts';
import { settleEvents } from '../store/outcomes.ts';
import { refuseReadOnly } from '../store/read-only.ts';
import { REBUILD_HINT, translated } from '../store/sqlite-errors.ts';
import { immediately } from '../store/transaction.ts';
import { type CheckFinding, checkStore } from './check.ts';
import { checkLitter, LITTER_AGE_MS } from './check-directories.ts';
import type { SyncContext } from './context.ts';
import { settleLedger } from './ledger-recovery.ts';
import { effectiveRowRecord } from './merge.ts';
import { bringRowBack } from './rows-only.ts';
import { type UndoneHolds, undoHolds } from './undo-holds.ts';

/** What a repair looks after; everything when neither is given. */
export interface RepairOptions {
  /** Only stale locks and temp files: no look at the database, no backup. */
  readonly locksOnly?: boolean;
  /** Bring back the missing side of every held deletion (SY-32). */
  readonly undoHeld?: boolean;
}

/** What a repair found and put right. */
export interface RepairReport {
  /** The copy of the database from before, null when nothing in it was to be repaired. */
  readonly backup: string | null;
  /** What was found and put right, each by name. */
  readonly repaired: readonly CheckFinding[];
  readonly undone: UndoneHolds | null;
  /** What a second look still finds: not for repair to decide, or it did not help. */
  readonly left: readonly CheckFinding[];
}

/**
 * Puts right what `checkStore` finds and needs no decision: makes broken indexes anew, drops orphans, settles the ledger,
 * brings back lost rows, removes stale locks and temp files; then looks again (SY-69). Edits no file, deletes no memory.
 *
 * @throws EngramError `database.damaged` when only a rebuild helps
 */
export function repairStore(context: SyncContext, options: RepairOptions = {}): RepairReport {
  if (options.locksOnly === true) return repairLocks(context);
  refuseReadOnly(context.store);
  return translated(() => repair(context, options));
}

function repair(context: SyncContext, options: RepairOptions): RepairReport {
  const found = checkStore(context);
  refuseDamage(found);
  const wanted = found.filter(({ remedy }) => remedy === 'repair');
  if (wanted.length === 0 && options.undoHeld !== true)
    return { backup: null, repaired: [], undone: null, left: found };
  const backup = backUp(context.store.db, context.paths.root, 'before-repair');
  removeLitter(context, wanted);
  repairDatabase(context, wanted);
  const undone = options.undoHeld === true ? undoHolds(context) : null;
  const left = checkStore(context);
  return { backup, repaired: wanted.filter((finding) => !isIn(left, finding)), undone, left };
}

function repairLocks(context: SyncContext): RepairReport {
  const found = checkLitter(context);
  removeLitter(context, found);
  const left = checkLitter(context);
  return { backup: null, repaired: found.filter((finding) => !isIn(left, finding)), undone: null, left };
}

function refuseDamage(found: readonly CheckFinding[]): void {
  const damage = found.find(({ kind }) => kind === 'integrity');
  if (damage === undefined) return;
  throw new EngramError('database.damaged', `the database is damaged: ${damage.message}`, { hint: REBUILD_HINT });
}

function removeLitter(context: SyncContext, wanted: readonly CheckFinding[]): void {
  for (const { kind, subject } of wanted) {
    if (kind === 'stale-lock') breakStaleLock(join(context.paths.memory, subject), context.clock, context.fs);
  }
  for (const directory of MEMORY_DIRECTORIES) {
    sweepTemps(context.paths[directory], { minimumAgeMs: LITTER_AGE_MS }, context.clock(), context.fs);
  }
}

function repairDatabase(context: SyncContext, wanted: readonly CheckFinding[]): void {
  const { store } = context;
  const kinds = new Set(wanted.map(({ kind }) => kind));
  if (kinds.has('ledger')) settleLedger(context);
  const namesOf = (kind: CheckFinding['kind']) =>
    wanted.filter((finding) => finding.kind === kind).map(({ subject }) => subject as MemoryName);
  immediately(store, () => {
    for (const name of namesOf('row-lost')) restoreRow(context, name);
    // Nobody knows who wrote it, so it is an edit: the next sync merges it, and what it replaces is in history.
    for (const name of namesOf('row-unlogged')) logRowChange(store.db, name, new Date(context.clock()).toISOString());
    for (const name of namesOf('counters')) settleCounters(context, name);
    if (kinds.has('full-text')) {
      for (const table of FULL_TEXT_TABLES) emptyFullText(store.db, table);
      forgetIndex(store.db);
    } else {
      const wrong = kinds.has('index-text') ? listWrongIndexTexts(store.db) : [];
      markStale(
        store.db,
        wrong.map(({ pk }) => pk),
      );
    }
    updateIndexes(store);
  });
}

function restoreRow({ store }: SyncContext, name: MemoryName): void {
  const base = findBase(store.db, name);
  if (base !== null && findRow(store.db, name) === null) bringRowBack(store.db, name, base.record);
}

function settleCounters(context: SyncContext, name: MemoryName): void {
  const { db } = context.store;
  const row = findRow(db, name);
  if (row === null) return;
  const record = effectiveRowRecord(rowRecord(row), findBase(db, name)?.record ?? null, directoryOf(name), null);
  settleEvents(db, name, record, 'adjust', context.clock());
}

function isIn(findings: readonly CheckFinding[], { kind, subject }: CheckFinding): boolean {
  return findings.some((finding) => finding.kind === kind && finding.subject === subject);
}
