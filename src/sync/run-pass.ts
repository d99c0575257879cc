import { pause } from '../files/pause.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SyncContext } from './context.ts';
import { brakeDeletions } from './deletions.ts';
import type { MemoryView } from './memory-view.ts';
import { judgeMissing, type MissingVerdict } from './missing.ts';
import { concernsOneFile, isForGood } from './one-file.ts';
import { importSteps, type PassRest, type WorkItem, workItems } from './pass.ts';
import { storeRefusals } from './refusals.ts';
import { followRenames, type RenamesFound } from './renames.ts';
import type { StepLog } from './report.ts';
import type { Scan } from './scan.ts';
import { inSection, type SectionResult } from './section.ts';
import { followSqlRenames } from './sql-renames.ts';
import type { Steps } from './steps.ts';

export interface PassOptions {
  readonly dryRun: boolean;
  readonly allowMassDelete: boolean;
  readonly patient: boolean;
  /** Compare everything in full and believe no base that file and row do not both confirm (SY-70). */
  readonly verify: boolean;
  readonly missedSinceMs?: ReadonlyMap<string, number>;
  readonly looping?: ReadonlySet<string>;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A memory that could not be written. `refused`: permissions stand in the way, in words; waiting does not help. */
export interface Unfinished {
  readonly name: string;
  readonly reason: string;
  readonly refused?: string;
}

/** What one pass over everything that differs left behind. */
export interface Pass {
  readonly rest: PassRest;
  readonly held: readonly { readonly name: string; readonly reason: string }[];
  readonly unfinished: readonly Unfinished[];
  /** Based memories whose file was not found; those archived meanwhile included. */
  readonly missing: readonly MemoryName[];
  readonly complete: boolean;
}

/** Plans everything the scan and the change log brought up, and carries it out. A dry run only reports it. */
export function* passSteps(context: SyncContext, scan: Scan, options: PassOptions, log: StepLog): Steps<Pass> {
  const { dryRun, allowMassDelete, patient, verify, looping = NONE } = options;
  if (!dryRun) storeRefusals(context, scan, log);
  const moves = followSqlRenames(context, log, { dryRun, wait: patient });
  const moving = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const verdict = judgeMissing(context, scan, {
    patient,
    acceptLost: allowMassDelete,
    missedSinceMs: options.missedSinceMs ?? new Map(),
  });
  const renames =
    scan.missing.length === 0 && !hasCopies(scan)
      ? null
      : followRenames(context, verdict, scan.candidates, log, dryRun);
  const left = withoutRenamed(verdict, renames);
  const waiting = new Set(renames?.waiting ?? []);
  const candidates = scan.candidates.filter((file) => !waiting.has(file) && renames?.settled.has(file) !== true);
  const items = workItems(context, scan, left, candidates, { verify }).filter(({ name }) => !moving.has(name));
  const { onProgress } = options;
  const rest = yield* importSteps(context, items, log, {
    dryRun,
    distrustBase: verify,
    looping,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const brake = brakeDeletions(context, rest.deletions, { scan, verdict: left }, { allowMassDelete, dryRun });
  for (const { name, reason } of brake.held) log.add(name, 'hold', reason);
  const unfinished = [
    ...(yield* sectionSteps(context, brake.proceed, log, { dryRun, deletionAllowed: true, wait: patient, looping })),
    ...(yield* sectionSteps(context, rest.sections, log, { dryRun, deletionAllowed: false, wait: patient, looping })),
    ...moves.map(({ from, reason }) => ({ name: from, reason })),
    ...[...waiting].map(({ name }) => ({ name, reason: 'rename-not-verified' })),
    ...left.undetermined.map(({ name, reason }) => ({ name, reason })),
  ];
  return {
    rest,
    held: [...brake.held.map(({ name, reason }) => ({ name, reason })), ...rest.held],
    unfinished,
    missing: [...left.gone, ...left.lost, ...left.undetermined].map((file) => file.name),
    complete: unfinished.length === 0 && rest.inProgress.length === 0,
  };
}

/** New files beside bases may be copies or renames; a first import has neither. */
function hasCopies(scan: Scan): boolean {
  const added = scan.candidates.filter((file) => !file.hasBase).length;
  return added > 0 && added < scan.directories.feedback.fileCount + scan.directories.facts.fileCount;
}

function withoutRenamed(verdict: MissingVerdict, renames: RenamesFound | null): MissingVerdict {
  const renamed = new Set([...(renames?.renamed ?? [])].map((file) => file.name));
  if (renamed.size === 0) return verdict;
  return {
    gone: verdict.gone.filter((file) => !renamed.has(file.name)),
    lost: verdict.lost.filter((file) => !renamed.has(file.name)),
    undetermined: verdict.undetermined.filter((file) => !renamed.has(file.name)),
  };
}

interface SectionOptions {
  readonly dryRun: boolean;
  readonly deletionAllowed: boolean;
  readonly wait: boolean;
  readonly looping: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** One critical section a memory; what cannot be written now is left to the next sync, and the others go on. */
export function* sectionSteps(
  context: SyncContext,
  views: readonly MemoryView[],
  log: StepLog,
  options: SectionOptions,
): Steps<Unfinished[]> {
  const { dryRun, deletionAllowed, wait, looping } = options;
  const unfinished: Unfinished[] = [];
  for (const { name, path, action } of views) {
    yield;
    if (looping.has(name) && action.touchesFile) {
      unfinished.push({ name, reason: 'looping' });
      continue;
    }
    try {
      if (dryRun) log.add(name, action.kind, action.reason);
      else noteSection(log, inSection(context, name, { path, deletionAllowed, wait }));
    } catch (error) {
      if (!concernsOneFile(error)) throw error;
      unfinished.push({ name, reason: error.code, ...(isForGood(error) ? { refused: error.message } : {}) });
    }
  }
  return unfinished;
}

function noteSection(log: StepLog, { view, outcome }: SectionResult): void {
  if (outcome === 'nothing' || outcome === 'refused-deletion') return;
  if (view.action.kind === 'none' || view.action.kind === 'quarantine') return;
  log.add(view.name, view.action.kind, view.action.reason);
}

/** Half-written files get their two seconds once, then they are read again (MF-20). */
export function* waitSteps(context: SyncContext, pass: Pass, options: PassOptions, log: StepLog): Steps<Pass> {
  const { inProgress } = pass.rest;
  if (inProgress.length === 0) return pass;
  pause(Math.max(...inProgress.map((file) => file.waitMs)) + 5);
  const items: WorkItem[] = inProgress.map(({ item }) => item);
  const rest = yield* importSteps(context, items, log, { dryRun: false, distrustBase: options.verify });
  const unfinished = [
    ...pass.unfinished,
    ...(yield* sectionSteps(context, rest.sections, log, {
      dryRun: false,
      deletionAllowed: false,
      wait: true,
      looping: options.looping ?? NONE,
    })),
    ...rest.deletions.map(({ name }) => ({ name, reason: 'not-verified' })),
  ];
  return {
    ...pass,
    rest: { ...rest, waiting: [...pass.rest.waiting, ...rest.waiting] },
    unfinished,
    complete: unfinished.length === 0 && rest.inProgress.length === 0,
  };
}
