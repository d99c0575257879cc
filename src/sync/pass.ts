import type { MemoryName } from '../memory/slug.ts';
import { countBases, findBase } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { hasLedgerEntry } from '../store/ledger.ts';
import { listNames, listNamesOnOneSide } from '../store/memories.ts';
import type { QuarantineRow } from '../store/quarantine.ts';
import { immediately } from '../store/transaction.ts';
import type { ContentHash } from '../text/content-hash.ts';
import type { MemoryPath, SyncContext } from './context.ts';
import { readFileSight } from './file-sight.ts';
import { type MemoryView, type Sight, type ViewOptions, viewMemory } from './memory-view.ts';
import type { MissingVerdict } from './missing.ts';
import type { StepLog } from './report.ts';
import { applyToRows } from './rows-only.ts';
import type { Candidate, Scan } from './scan.ts';
import type { Steps } from './steps.ts';

/** A memory to look at: with a file to read, or with what the scan already knows of its file. */
export interface WorkItem {
  readonly name: MemoryName;
  readonly path: MemoryPath | null;
  readonly sight: Sight | 'read';
}

/** Every memory with a difference on either side, each once. */
export function workItems(
  context: SyncContext,
  scan: Scan,
  verdict: MissingVerdict,
  candidates: readonly Candidate[],
  options: { readonly verify: boolean },
): WorkItem[] {
  const items = new Map<MemoryName, WorkItem>();
  for (const { name, path } of candidates) items.set(name, { name, path, sight: 'read' });
  const away = new Map<MemoryName, Sight>();
  for (const { name } of verdict.gone) away.set(name, { kind: 'gone' });
  for (const { name } of [...verdict.lost, ...verdict.undetermined]) away.set(name, { kind: 'not-determined' });
  for (const name of scan.unknown) away.set(name, { kind: 'not-determined' });
  for (const [name, sight] of away) if (!items.has(name)) items.set(name, { name, path: null, sight });
  for (const name of namesOfRows(context, options.verify)) {
    if (!items.has(name)) items.set(name, { name, path: null, sight: sightWithoutRead(context, scan, name) });
  }
  return [...items.values()];
}

function namesOfRows(context: SyncContext, verify: boolean): Set<MemoryName> {
  const { db } = context.store;
  const names = new Set<MemoryName>(listNamesOnOneSide(db));
  for (const change of listChanges(db)) {
    names.add(change.name as MemoryName);
    if (change.old_name !== null) names.add(change.old_name as MemoryName);
  }
  if (verify) for (const name of listNames(db)) names.add(name);
  return names;
}

/** The file of a name that only the rows brought up: as its base says, quarantined, or not there at all. */
function sightWithoutRead(context: SyncContext, scan: Scan, name: MemoryName): Sight | 'read' {
  const quarantined = scan.stillQuarantined.find((row) => row.name === name);
  if (quarantined !== undefined) return { kind: 'bad', quarantine: quarantined };
  if (findBase(context.store.db, name) !== null) return { kind: 'unchanged' };
  return scan.directories[name.startsWith('feedback/') ? 'feedback' : 'facts'].state === 'unreadable'
    ? { kind: 'not-determined' }
    : 'read';
}

/** What is left of a batch after everything that needs no file written. */
export interface PassRest {
  /** Plans that write a file: each needs its own critical section. */
  readonly sections: readonly MemoryView[];
  /** Plans that delete on either side: the brake decides. */
  readonly deletions: readonly MemoryView[];
  readonly inProgress: readonly { readonly item: WorkItem; readonly waitMs: number }[];
  readonly waiting: readonly MemoryView[];
  /** Unusable files and rows of this batch. */
  readonly quarantined: readonly Omit<QuarantineRow, 'tries'>[];
  /** Deletions that wait because one side cannot be judged or written. */
  readonly held: readonly { readonly name: MemoryName; readonly reason: string }[];
  /** How many texts clash. */
  readonly clashes: number;
}

export interface ImportOptions extends ViewOptions {
  readonly dryRun: boolean;
  /** Memories whose file takes nothing for the moment (SY-44): what their rows say waits. */
  readonly looping?: ReadonlySet<string>;
  readonly onProgress?: (done: number, total: number) => void;
}

const BATCH = 200;

/**
 * Brings in everything that writes no file: files are read outside, then planned and stored in transactions of up to 200
 * memories (SY-39). A memory with a write under way elsewhere is left to it.
 */
export function* importSteps(
  context: SyncContext,
  items: readonly WorkItem[],
  log: StepLog,
  options: ImportOptions,
): Steps<PassRest> {
  const rest = {
    sections: [] as MemoryView[],
    deletions: [] as MemoryView[],
    inProgress: [] as PassRest['inProgress'][number][],
    waiting: [] as MemoryView[],
    quarantined: [] as Omit<QuarantineRow, 'tries'>[],
    held: [] as PassRest['held'][number][],
    clashes: 0,
  };
  const isFirstImport = countBases(context.store.db) === 0;
  for (let start = 0; start < items.length; start += BATCH) {
    const read = items.slice(start, start + BATCH).map((item) => readItem(context, item, isFirstImport));
    const views = inTransaction(context, options.dryRun, () => read.map((each) => handle(context, each, options)));
    for (const [index, { view, applied }] of views.entries()) {
      const item = read[index]?.item;
      if (item === undefined) continue;
      if (view.sight.kind === 'bad') rest.quarantined.push(view.sight.quarantine);
      if (view.row.quarantine !== null) rest.quarantined.push(view.row.quarantine);
      if (hasHold(view)) rest.held.push({ name: view.name, reason: view.action.reason });
      if ('merge' in view.action) rest.clashes += view.action.merge.clashes.length;
      if (view.sight.kind === 'in-progress') rest.inProgress.push({ item, waitMs: view.sight.waitMs });
      if (view.action.deletion || view.action.kind === 'archive') rest.deletions.push(view);
      else if (!applied) rest.sections.push(view);
      else noteStep(log, view, rest.waiting);
      if (applied && !options.dryRun && mayBeMended(view)) rest.sections.push(view);
    }
    options.onProgress?.(Math.min(start + BATCH, items.length), items.length);
    yield;
  }
  return rest;
}

/** A memory as it was read outside the transaction. `readAgainst` is what its base was then; undefined for an unread one. */
interface ReadItem {
  readonly item: WorkItem;
  readonly sight: Sight;
  readonly readAgainst: ContentHash | null | undefined;
}

function readItem(context: SyncContext, item: WorkItem, isFirstImport: boolean): ReadItem {
  const { name, path, sight } = item;
  if (sight !== 'read') return { item, sight, readAgainst: undefined };
  // Whether that held is checked inside the transaction.
  const base = isFirstImport ? null : findBase(context.store.db, name);
  const read = readFileSight(context, name, path ?? base?.path ?? `${name}.toml`, base);
  return { item, sight: read, readAgainst: base?.bytesHash ?? null };
}

function inTransaction<T>(context: SyncContext, dryRun: boolean, work: () => T): T {
  return dryRun ? work() : immediately(context.store, work);
}

function handle(context: SyncContext, { item, sight, readAgainst }: ReadItem, options: ImportOptions) {
  const layoutRefused = options.looping?.has(item.name) === true;
  const view = viewMemory(context, item.name, item.path, sight, { ...options, layoutRefused });
  // Somebody else stored a newer agreement since the file was read: what was read may be older than it (SY-39).
  const isOutrun = readAgainst !== undefined && (view.base?.bytesHash ?? null) !== readAgainst;
  if (isOutrun || hasLedgerEntry(context.store.db, item.name)) return { view, applied: false };
  if (options.dryRun) return { view, applied: !view.action.touchesFile && !isRemoval(view) };
  return { view, applied: applyToRows(context, view) };
}

function isRemoval({ action }: MemoryView): boolean {
  return action.kind === 'archive' || action.kind === 'delete-file';
}

/** A quarantined row that took in an edit of its file may be valid now, and what else it says wants to be exported. */
function mayBeMended({ row, action }: MemoryView): boolean {
  return row.side.state === 'bad' && 'agreed' in action;
}

function hasHold({ action }: MemoryView): boolean {
  return (action.kind === 'hold' && action.held !== null) || (action.kind === 'restore-row' && action.wish !== null);
}

function noteStep(log: StepLog, view: MemoryView, waiting: MemoryView[]): void {
  const { action } = view;
  const waits = action.kind === 'wait' || ('rowChangesWait' in action && action.rowChangesWait);
  if (waits && view.row.side.state !== 'bad') waiting.push(view);
  if (action.kind === 'none' || action.kind === 'quarantine') return;
  if (action.kind === 'hold' && action.held === null) return;
  log.add(view.name, action.kind === 'read-only-import' ? 'import' : action.kind, action.reason);
}
