import { lookUp } from '../files/memory-directory.ts';
import type { MemoryName } from '../memory/slug.ts';
import { listChanges } from '../store/changes.ts';
import { listHolds } from '../store/holds.ts';
import { listLedger } from '../store/ledger.ts';
import { listNamesOnOneSide } from '../store/memories.ts';
import { findQuarantined } from '../store/quarantine.ts';
import { findNameByPath } from '../store/signatures.ts';
import type { MemoryPath, SyncContext } from './context.ts';
import { importSteps, type WorkItem } from './pass.ts';
import { StepLog, type SyncStep } from './report.ts';
import { sectionSteps } from './run-pass.ts';
import type { Steps } from './steps.ts';
import { indexSteps } from './sync.ts';
import { hasUnverifiedBases } from './verification.ts';

/** What a pass over a few memories did, and what it has to look at again. */
export interface HintedPass {
  /** Whether everything hinted at is settled; else a look at all files has to follow. */
  readonly isEnough: boolean;
  readonly steps: readonly SyncStep[];
  readonly unfinished: readonly { readonly name: string; readonly reason: string; readonly waitMs: number }[];
}

/** When a memory that somebody else is writing is looked at again. */
const LOOK_AGAIN_MS = 1000;

/**
 * Takes in edits of known files and changes of rows without looking at any other file, which is what happens all day.
 * Does nothing, or too little, where only a look at everything can tell: files that are new or gone, renames, deletions,
 * anything held or quarantined.
 *
 * @param paths - below `memory/`
 * @param looping - memories whose files are not written (SY-44)
 */
export function* hintedSteps(
  context: SyncContext,
  paths: readonly MemoryPath[],
  looping: ReadonlySet<string>,
): Steps<HintedPass> {
  const items = hintedItems(context, paths);
  if (items === null) return { isEnough: false, steps: [], unfinished: [] };
  const log = new StepLog();
  const rest = yield* importSteps(context, items, log, { dryRun: false, distrustBase: false, looping });
  const options = { dryRun: false, deletionAllowed: false, wait: false, looping };
  const unfinished = yield* sectionSteps(context, rest.sections, log, options);
  yield* indexSteps(context, true);
  return {
    isEnough: rest.deletions.length + rest.held.length + rest.quarantined.length === 0,
    steps: log.steps,
    unfinished: [
      ...unfinished.map(({ name, reason }) => ({ name, reason, waitMs: LOOK_AGAIN_MS })),
      ...rest.inProgress.map(({ item, waitMs }) => ({ name: item.name, reason: 'in-progress', waitMs })),
    ],
  };
}

function hintedItems(context: SyncContext, paths: readonly MemoryPath[]): WorkItem[] | null {
  const { db } = context.store;
  const isPlain =
    !hasUnverifiedBases(context.store) &&
    listLedger(db).length === 0 &&
    listHolds(db).length === 0 &&
    listNamesOnOneSide(db).length === 0;
  if (!isPlain) return null;
  const items = new Map<MemoryName, WorkItem>();
  for (const path of paths) {
    const name = findNameByPath(db, path);
    // A file that is refused for its name, or that was unusable, is judged beside all the others.
    if (name === null || findQuarantined(db, 'file', path) !== null) return null;
    const stat = lookUp(`${context.paths.memory}/${path}`);
    if (stat === 'absent' || stat === 'failed') return null;
    items.set(name, { name, path, sight: 'read' });
  }
  for (const { name, old_name: oldName } of listChanges(db)) {
    if (oldName !== null) return null;
    if (!items.has(name as MemoryName)) {
      items.set(name as MemoryName, { name: name as MemoryName, path: null, sight: { kind: 'unchanged' } });
    }
  }
  return [...items.values()];
}
