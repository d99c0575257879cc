import { EngramError } from '../errors.ts';
import { ensureMemoryDirectories } from '../files/memory-directory.ts';
import { pause } from '../files/pause.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import { countOpenConflicts } from '../store/conflicts.ts';
import { listHolds } from '../store/holds.ts';
import { updateIndexes } from '../store/indexes.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import { listQuarantined } from '../store/quarantine.ts';
import { addRun, lastCompleteRun } from '../store/runs.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import { brakeDeletions } from './deletions.ts';
import { settleLedger } from './ledger-recovery.ts';
import type { MemoryView } from './memory-view.ts';
import { judgeMissing } from './missing.ts';
import { importBatches, type PassRest, type WorkItem, workItems } from './pass.ts';
import { storeRefusals } from './refusals.ts';
import { followRenames } from './renames.ts';
import { StepLog, type StepLog as Steps, type SyncReport, summariseQuarantine } from './report.ts';
import { type Scan, scanFiles } from './scan.ts';
import { inSection } from './section.ts';
import { followSqlRenames } from './sql-renames.ts';
import { hasUnverifiedBases, markVerified } from './verification.ts';

export interface SyncOptions {
  /** Plan and report, change nothing. */
  readonly dryRun?: boolean;
  /** A person accepts held deletions (SY-32). */
  readonly allowMassDelete?: boolean;
  /** False: no second look at missing files and no wait for half-written ones; they stay for the next sync. Default true. */
  readonly patient?: boolean;
  /** Called while many files are read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Makes files and rows equal, as far as nothing speaks against it, and says what it did and what it left alone. A second
 * run finds nothing to do (SY-18).
 */
export function syncAll(context: SyncContext, options: SyncOptions = {}): SyncReport {
  const dryRun = options.dryRun === true;
  const log = new StepLog();
  const startedMs = context.clock();
  if (!dryRun && !context.store.readOnly) prepare(context);
  const verify = hasUnverifiedBases(context.store);
  const scan = scanFiles(context, { verify });
  const pass = runPass(context, scan, { ...options, verify }, log);
  const settled = dryRun || options.patient === false ? pass : waitOnce(context, pass, options, log);
  if (dryRun) return reportOf(context, scan, settled, log, { dryRun, indexed: 0 });
  const { indexed } = updateIndexes(context.store);
  recordDirectories(context, scan, settled);
  const report = reportOf(context, scan, settled, log, { dryRun, indexed });
  finish(context, scan, report, startedMs, verify && settled.complete);
  return report;
}

function prepare(context: SyncContext): void {
  const { db } = context.store;
  settleLedger(context);
  if (!hasUnverifiedBases(context.store)) markVerified(context.store);
  // A missing directory means something once it was known; before that it is made.
  if (getMeta(db, 'directory:feedback') === null) ensureMemoryDirectories(context.paths.root, context.fs);
}

interface Pass {
  readonly rest: PassRest;
  readonly held: readonly { readonly name: string; readonly reason: string }[];
  readonly unfinished: readonly { readonly name: string; readonly reason: string }[];
  readonly missing: readonly string[];
  readonly complete: boolean;
}

function runPass(context: SyncContext, scan: Scan, options: SyncOptions & { verify: boolean }, log: Steps): Pass {
  const dryRun = options.dryRun === true;
  const allowMassDelete = options.allowMassDelete === true;
  const wait = options.patient !== false;
  if (!dryRun) storeRefusals(context, scan, log);
  followSqlRenames(context, log, dryRun);
  const verdict = judgeMissing(context, scan, { patient: options.patient !== false, acceptLost: allowMassDelete });
  const renames =
    scan.missing.length === 0 && !hasCopies(scan)
      ? null
      : followRenames(context, verdict, scan.candidates, log, dryRun);
  const waiting = new Set(renames?.waiting ?? []);
  const candidates = scan.candidates.filter((file) => !waiting.has(file) && renames?.settled.has(file) !== true);
  const isLeft = <T extends { readonly name: string }>(file: T) =>
    ![...(renames?.renamed ?? [])].some((moved) => moved.name === file.name);
  const left = {
    gone: verdict.gone.filter(isLeft),
    lost: verdict.lost.filter(isLeft),
    undetermined: verdict.undetermined.filter(isLeft),
  };
  const items = workItems(context, scan, left, candidates, { verify: options.verify });
  const rest = importBatches(context, items, log, {
    dryRun,
    distrustBase: options.verify,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
  const brake = brakeDeletions(context, rest.deletions, left, { allowMassDelete, dryRun });
  for (const { name, reason } of brake.held) log.add(name, 'hold', reason);
  const unfinished = [
    ...runSections(context, brake.proceed, log, { dryRun, deletionAllowed: true, wait }),
    ...runSections(context, rest.sections, log, { dryRun, deletionAllowed: false, wait }),
    ...[...waiting].map(({ name }) => ({ name, reason: 'rename-not-verified' })),
    ...left.undetermined.map(({ name, reason }) => ({ name, reason })),
  ];
  const missing = [...left.gone, ...left.lost, ...left.undetermined].map((file) => file.name);
  return {
    rest,
    held: brake.held,
    unfinished,
    missing,
    complete: unfinished.length === 0 && rest.inProgress.length === 0,
  };
}

/** New files beside bases may be copies or renames; a first import has neither. */
function hasCopies(scan: Scan): boolean {
  const added = scan.candidates.filter((file) => !file.hasBase).length;
  return added > 0 && added < scan.directories.feedback.fileCount + scan.directories.facts.fileCount;
}

/** One critical section a memory; what is locked or contended is left to the next sync. */
function runSections(
  context: SyncContext,
  views: readonly MemoryView[],
  log: Steps,
  options: { readonly dryRun: boolean; readonly deletionAllowed: boolean; readonly wait: boolean },
): { name: string; reason: string }[] {
  const unfinished: { name: string; reason: string }[] = [];
  for (const view of views) {
    try {
      if (options.dryRun) log.add(view.name, view.action.kind, view.action.reason);
      else
        noteSection(
          log,
          inSection(context, view.name, {
            path: view.path,
            deletionAllowed: options.deletionAllowed,
            wait: options.wait,
          }),
        );
    } catch (error) {
      if (!(error instanceof EngramError) || !error.retryable) throw error;
      unfinished.push({ name: view.name, reason: error.code });
    }
  }
  return unfinished;
}

function noteSection(log: Steps, { view, outcome }: ReturnType<typeof inSection>): void {
  if (outcome === 'nothing' || outcome === 'refused-deletion') return;
  log.add(view.name, view.action.kind, view.action.reason);
}

/** Half-written files get their two seconds once, then they are read again (MF-20). */
function waitOnce(context: SyncContext, pass: Pass, options: SyncOptions, log: Steps): Pass {
  const { inProgress } = pass.rest;
  if (inProgress.length === 0) return pass;
  pause(Math.max(...inProgress.map((file) => file.waitMs)) + 5);
  const items: WorkItem[] = inProgress.map(({ item }) => item);
  const rest = importBatches(context, items, log, { ...options, dryRun: false });
  const unfinished = [
    ...pass.unfinished,
    ...runSections(context, rest.sections, log, { dryRun: false, deletionAllowed: false, wait: true }),
    ...rest.deletions.map(({ name }) => ({ name, reason: 'not-verified' })),
  ];
  return { ...pass, rest, unfinished, complete: unfinished.length === 0 && rest.inProgress.length === 0 };
}

/** A directory's identity counts from when nothing based is missing in it (SY-28). */
function recordDirectories(context: SyncContext, scan: Scan, pass: Pass): void {
  const { db } = context.store;
  for (const directory of MEMORY_DIRECTORIES) {
    const { identity } = scan.directories[directory];
    const isWhole = !pass.held.some(({ name }) => name.startsWith(`${directory}/`));
    if (identity === null || !isWhole || getMeta(db, `directory:${directory}`) === identity) continue;
    immediately(context.store, () => setMeta(db, `directory:${directory}`, identity));
  }
}

const RUN_NOTED_EVERY_MS = 60_000;

/** A run that did nothing is noted at most once a minute, so that a second sync writes nothing. */
function finish(context: SyncContext, scan: Scan, report: SyncReport, startedMs: number, verified: boolean): void {
  const { db } = context.store;
  const now = context.clock();
  if (verified) markVerified(context.store);
  const complete = report.unreadable.length === 0 && report.unfinished.length === 0;
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

function reportOf(
  context: SyncContext,
  scan: Scan,
  pass: Pass,
  log: Steps,
  { dryRun, indexed }: { readonly dryRun: boolean; readonly indexed: number },
): SyncReport {
  const { db } = context.store;
  const held = dryRun ? pass.held : listHolds(db).map(({ name, reason }) => ({ name, reason }));
  return {
    dryRun,
    steps: log.steps,
    imported: log.count('import') + log.count('restore') + log.count('agree'),
    exported: log.count('export'),
    merged: log.count('merge'),
    created: log.count('create-file'),
    renamed: log.count('rename'),
    archived: log.count('archive') + log.count('delete-file'),
    filesChecked: scan.directories.feedback.fileCount + scan.directories.facts.fileCount,
    quarantined: listQuarantined(db).map(summariseQuarantine),
    openConflicts: countOpenConflicts(db),
    heldDeletions: held,
    unreadable: MEMORY_DIRECTORIES.filter((directory) => scan.directories[directory].state === 'unreadable').map(
      (directory) => ({ path: context.paths[directory], reason: scan.directories[directory].code ?? 'failed' }),
    ),
    unfinished: [
      ...pass.unfinished,
      ...pass.rest.inProgress.map(({ item }) => ({ name: item.name, reason: 'in-progress' })),
    ],
    waiting: pass.rest.waiting.map(({ name, action }) => ({ name, reason: action.reason })),
    indexed,
    readOnly: context.store.readOnly,
  };
}
