import { join } from 'node:path';
import { breakStaleLock, inspectLock, sweepTemps } from '../files/lock.ts';
import { ensureMemoryDirectories } from '../files/memory-directory.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import { findBase } from '../store/bases.ts';
import { updateIndexes } from '../store/indexes.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import { addRun, lastCompleteRun } from '../store/runs.ts';
import { immediately } from '../store/transaction.ts';
import { handleConflictCopies } from './conflict-copies.ts';
import type { SyncContext } from './context.ts';
import { settleLedger } from './ledger-recovery.ts';
import { StepLog, type SyncReport } from './report.ts';
import { type Pass, passSteps, waitSteps } from './run-pass.ts';
import { type Scan, scanSteps } from './scan.ts';
import { runThrough, type Steps } from './steps.ts';
import { syncReport } from './sync-report.ts';
import { hasUnverifiedBases, markVerified } from './verification.ts';

/** How a sync goes about it. */
export interface SyncOptions {
  /** Plan and report, change nothing. */
  readonly dryRun?: boolean;
  /** A person accepts held deletions (SY-32). */
  readonly allowMassDelete?: boolean;
  /** False: no second look at missing files and no wait for half-written ones; they stay for the next sync. Default true. */
  readonly patient?: boolean;
  /** For a long-running process: no step is longer than a transaction of some ten milliseconds. */
  readonly smallSteps?: boolean;
  /** Reads every file, whatever its signature says. */
  readonly hashAll?: boolean;
  /** When files were first missed, by an impatient sync before: half a second later absence is certain (SY-28). */
  readonly missedSinceMs?: ReadonlyMap<string, number>;
  /** Memories whose files are not written, since writing them has begun to go round in circles (SY-44). */
  readonly looping?: ReadonlySet<string>;
  /** Called while many files are read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Makes files and rows equal, as far as nothing speaks against it, and says what it did and what it left alone. A second
 * run finds nothing to do (SY-18).
 */
export function syncAll(context: SyncContext, options: SyncOptions = {}): SyncReport {
  return runThrough(syncSteps(context, options));
}

/** `syncAll`, step by step. Between two steps another sync may run; each step checks again what it was planned on (SY-72). */
export function* syncSteps(context: SyncContext, options: SyncOptions = {}): Steps<SyncReport> {
  const { dryRun = false, patient = true, allowMassDelete = false } = options;
  const log = new StepLog();
  const startedMs = context.clock();
  if (!dryRun && !context.store.readOnly) prepare(context);
  const verify = hasUnverifiedBases(context.store);
  const scan = yield* scanSteps(context, { verify: verify || options.hashAll === true });
  const how = { ...options, dryRun, patient, allowMassDelete, verify };
  const first = yield* passSteps(context, scan, how, log);
  const pass = dryRun || !patient ? first : yield* waitSteps(context, first, how, log);
  if (dryRun) return syncReport(context, { scan, pass, log, dryRun, indexed: 0 });
  handleConflictCopies(context, scan, log);
  const indexed = yield* indexSteps(context, options.smallSteps === true);
  recordDirectories(context, scan, pass);
  sweepAfterTheDead(context, scan);
  const report = syncReport(context, { scan, pass, log, dryRun, indexed });
  finish(context, scan, report, startedMs, verify && pass.complete);
  return report;
}

/** Rows indexed in one transaction of a long-running process. */
const SMALL_STEP = 100;

export function* indexSteps({ store }: SyncContext, smallSteps: boolean): Steps<number> {
  if (!smallSteps) return updateIndexes(store).indexed;
  let indexed = 0;
  for (;;) {
    const update = updateIndexes(store, { limit: SMALL_STEP });
    indexed += update.indexed;
    if (update.remaining === 0 || update.indexed === 0) return indexed;
    yield;
  }
}

/** A missing directory means something once it was known; before that it is made. */
export function makeFirstDirectories(context: SyncContext): void {
  const isKnown = getMeta(context.store.db, 'directory:feedback') !== null;
  if (!isKnown) ensureMemoryDirectories(context.paths.root, context.fs);
}

function prepare(context: SyncContext): void {
  settleLedger(context);
  if (!hasUnverifiedBases(context.store)) markVerified(context.store);
  makeFirstDirectories(context);
}

/** A directory's identity counts from when nothing based is missing in it (SY-28). */
function recordDirectories(context: SyncContext, scan: Scan, pass: Pass): void {
  const { db } = context.store;
  for (const directory of MEMORY_DIRECTORIES) {
    const { identity } = scan.directories[directory];
    if (identity === null || getMeta(db, `directory:${directory}`) === identity) continue;
    const away = [...pass.missing, ...scan.unknown].filter((name) => name.startsWith(`${directory}/`));
    if (away.some((name) => findBase(db, name) !== null)) continue;
    immediately(context.store, () => setMeta(db, `directory:${directory}`, identity));
  }
}

const LITTER_AGE_MS = 60_000;

/** Locks and temp files of processes that died in the middle of a write (SY-36, MF-9). Those of shells are theirs. */
function sweepAfterTheDead(context: SyncContext, scan: Scan): void {
  if (context.store.readOnly) return;
  for (const directory of MEMORY_DIRECTORIES) {
    const { litter } = scan.directories[directory];
    if (litter.length === 0) continue;
    for (const name of litter.filter((each) => each.endsWith('.toml.lock'))) {
      const lock = join(context.paths[directory], name);
      const { kind, stale } = inspectLock(lock, context.clock());
      if (kind === 'pid' && stale) breakStaleLock(lock, context.clock, context.fs);
    }
    sweepTemps(context.paths[directory], { minimumAgeMs: LITTER_AGE_MS }, context.clock(), context.fs);
  }
}

const RUN_NOTED_EVERY_MS = 60_000;

/** A run that did nothing is noted at most once a minute, so that a second sync writes nothing. */
function finish(context: SyncContext, scan: Scan, report: SyncReport, startedMs: number, verified: boolean): void {
  const { db } = context.store;
  const now = context.clock();
  if (verified) markVerified(context.store);
  const complete = report.unreadable.length === 0 && report.unfinished.length === 0 && report.unwritable.length === 0;
  const last = lastCompleteRun(db);
  if (report.steps.length === 0 && last !== null && now - last.finished_ms < RUN_NOTED_EVERY_MS) return;
  const { imported, exported, merged, created, renamed, archived, filesChecked } = report;
  immediately(context.store, () =>
    addRun(db, {
      origin: context.origin,
      started_ms: startedMs,
      finished_ms: now,
      complete: Number(complete),
      counts: JSON.stringify({ imported, exported, merged, created, renamed, archived, filesChecked }),
      directories: JSON.stringify({
        feedback: scan.directories.feedback.identity,
        facts: scan.directories.facts.identity,
      }),
    }),
  );
}
