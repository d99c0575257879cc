import { wholeSecondTimestamp } from '../clock.ts';
import { EngramError } from '../errors.ts';
import { type MemoryRecord, type RecordKey, sameAuthored, sameRecord } from '../memory/record.ts';
import { renderMemory } from '../memory/render-toml.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import type { ArchiveOrigin } from '../store/archive.ts';
import { addHistory } from '../store/history.ts';
import { findRow, rowRecord, writeRow } from '../store/memories.ts';
import { appendEvent } from '../store/outcomes.ts';
import type { ContentHash } from '../text/content-hash.ts';
import type { CreateFile, Deletion, Reconcile } from './action.ts';
import type { Agreement, Removal } from './commit.ts';
import type { SyncContext } from './context.ts';
import { type FileSight, presentInBase } from './file-sight.ts';
import { type MemoryView, type ViewOptions, viewMemory } from './memory-view.ts';
import { effectiveRowRecord } from './merge.ts';
import { bytesSaying } from './new-bytes.ts';
import { type OwnChange, unwritable, type WantedChange } from './own-change.ts';
import { agreementOf, keepReplaced } from './rows-only.ts';

export interface WishedRemoval {
  readonly origin: ArchiveOrigin;
  readonly goneTo: MemoryName | null;
}

type ReadSight = Extract<FileSight, { kind: 'read' }>;

/** What a critical section is to do; the effect is dumb, the decision is here. */
export type Intention =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'rows';
      readonly view: MemoryView;
      readonly viewOptions: ViewOptions;
      /** Runs in the same transaction, after the plan was carried out. */
      readonly finish?: () => void;
    }
  | {
      readonly kind: 'remove';
      readonly removal: Removal;
      readonly bytes: Uint8Array | null;
      readonly hash: ContentHash | null;
    }
  | {
      readonly kind: 'create';
      readonly bytes: Uint8Array;
      readonly agreement: Agreement;
      readonly keepOld: () => void;
    }
  | {
      readonly kind: 'write';
      readonly bytes: Uint8Array;
      readonly agreement: Agreement;
      readonly sight: ReadSight;
      /** Stores what the write replaces; runs in the transaction of step 5. */
      readonly keepOld: () => void;
      readonly stillAllowed: () => boolean;
    };

export interface SectionWishes {
  readonly wanted?: WantedChange;
  readonly removal?: WishedRemoval;
  readonly deletionAllowed?: boolean;
}

/** Turns a plan and what is wanted on top of it into one intention. @throws EngramError when `wanted` cannot be done */
export function intentionOf(context: SyncContext, view: MemoryView, wishes: SectionWishes): Intention {
  const { action } = view;
  if (action.kind === 'archive' || action.kind === 'delete-file') {
    if (wishes.removal === undefined && wishes.deletionAllowed !== true) {
      if (wishes.wanted !== undefined) throw unwritable(view.name, 'gone', view.path);
      return { kind: 'refused' };
    }
    return removalOf(context, view, action, wishes.removal ?? null);
  }
  if (wishes.removal !== undefined) refuseRemoval(view);
  const wanted = wishes.wanted;
  if (action.kind === 'create-file') return creationOf(context, view, action, wanted ?? null);
  if (wanted !== undefined) {
    const own = ownIntention(context, view, wanted);
    if (own !== null) return own;
  }
  if (!('agreed' in action) || !action.touchesFile) return { kind: 'rows', view, viewOptions: {} };
  return writeOf(context, view, action);
}

function removalOf(context: SyncContext, view: MemoryView, action: Deletion, wish: WishedRemoval | null): Intention {
  const { sight, row } = view;
  const removal: Removal = {
    kind: 'removal',
    name: view.name,
    record: action.record,
    origin: wish?.origin ?? action.reason,
    goneTo: wish?.goneTo ?? null,
    seqs: row.seqs,
    atMs: context.clock(),
  };
  const file = sight.kind === 'read' ? sight : null;
  return { kind: 'remove', removal, bytes: file?.bytes ?? null, hash: file?.hash ?? null };
}

function refuseRemoval({ name, path, sight }: MemoryView): void {
  if (sight.kind === 'bad') throw unwritable(name, 'bad', path);
  if (sight.kind === 'in-progress') throw unwritable(name, 'in-progress', path);
}

function creationOf(
  context: SyncContext,
  view: MemoryView,
  action: CreateFile,
  wanted: WantedChange | null,
): Intention {
  const own = wanted?.change(action.target) ?? null;
  const record = own === null ? action.target : stamped(own.record, action.target, context.clock());
  const agreement: Agreement = {
    ...agreementOf(context, view, { ...unchangedPlan(record), merge: action.merge }),
    events: own?.events ?? [],
  };
  return { kind: 'create', bytes: renderMemory(record), agreement, keepOld: () => keepReplaced(context, view, action) };
}

/** A plain reconciliation that writes the file; where the file cannot be edited in place, what the row has waits (MF-30). */
function writeOf(context: SyncContext, view: MemoryView, action: Reconcile): Intention {
  const { sight } = view;
  if (sight.kind !== 'read') return { kind: 'refused' };
  try {
    const bytes = bytesSaying(action.agreed, sight, knownKeys(view));
    const keepOld = () => keepReplaced(context, view, action);
    return {
      kind: 'write',
      bytes,
      agreement: agreementOf(context, view, action),
      sight,
      keepOld,
      stillAllowed: always,
    };
  } catch (error) {
    if (!(error instanceof EngramError) || error.code !== 'memory.layout') throw error;
    const viewOptions = { layoutRefused: true };
    return { kind: 'rows', view: viewMemory(context, view.name, view.path, sight, viewOptions), viewOptions };
  }
}

const always = () => true;

function ownIntention(context: SyncContext, view: MemoryView, wanted: WantedChange): Intention | null {
  const { sight, name, path } = view;
  const current = currentRecord(view);
  if (current === null) throw unwritable(name, whyUnwritable(view), path);
  const own = wanted.change(current);
  if (own === null) return null;
  if (sight.kind === 'read' && !sight.readOnly) {
    try {
      return writeOwn(context, view, sight, current, own);
    } catch (error) {
      if (!(error instanceof EngramError) || error.code !== 'memory.layout' || !wanted.countsOnly) throw error;
    }
  }
  if (!wanted.countsOnly) throw unwritable(name, whyUnwritable(view), path);
  const finish = () => countInRow(context, view, wanted);
  const viewOptions = sight.kind === 'read' && !sight.readOnly ? { layoutRefused: true } : {};
  return { kind: 'rows', view: viewMemory(context, name, path, sight, viewOptions), viewOptions, finish };
}

function whyUnwritable({ sight }: MemoryView): 'bad' | 'in-progress' | 'read-only' | 'newer' | 'gone' {
  if (sight.kind === 'bad' || sight.kind === 'in-progress' || sight.kind === 'gone') return sight.kind;
  return sight.kind === 'read' && sight.linked ? 'read-only' : 'newer';
}

/** What both sides are going to say before engram's own change. */
function currentRecord({ action, row, base }: MemoryView): MemoryRecord | null {
  if ('target' in action) return action.target;
  return row.side.state === 'record' ? row.side.record : (base?.record ?? null);
}

function writeOwn(
  context: SyncContext,
  view: MemoryView,
  sight: ReadSight,
  current: MemoryRecord,
  own: OwnChange,
): Intention {
  const { action, name, base } = view;
  const target = stamped(own.record, current, context.clock());
  const agreed = keepingUnusable(target, 'agreed' in action ? action.agreed : (base?.record ?? current), sight);
  const planned = 'agreed' in action ? action : unchangedPlan(current);
  const agreement = agreementOf(context, view, {
    ...planned,
    agreed,
    target,
    rowChangesWait: !sameRecord(agreed, target),
  });
  const converts = own.savedByPerson === true && sight.parsed.variant === 'M1';
  const text = own.text?.replaces === sight.hash ? own.text : sight;
  const bytes = converts ? renderMemory(agreed) : bytesSaying(agreed, text, knownKeys(view));
  const keepOld = () => {
    if ('agreed' in action) keepReplaced(context, view, action);
    if (sameAuthored(current, target) && !converts && text === sight) return;
    const { origin } = context;
    addHistory(context.store.db, {
      name,
      atMs: context.clock(),
      origin,
      reason: 'edit',
      record: current,
      bytes: sight.bytes,
    });
  };
  const stillAllowed = own.stillAllowed ?? always;
  return { kind: 'write', bytes, agreement: { ...agreement, events: own.events }, sight, keepOld, stillAllowed };
}

/** A reconciliation of two sides that agreed already. */
function unchangedPlan(record: MemoryRecord): Reconcile {
  return {
    kind: 'export',
    reason: 'row-changed',
    target: record,
    agreed: record,
    merge: { record, clashes: [], overwritten: { file: false, row: false }, events: [] },
    touchesFile: true,
    touchesRow: true,
    rowChangesWait: false,
    deletion: false,
  };
}

function keepingUnusable(target: MemoryRecord, before: MemoryRecord, sight: ReadSight): MemoryRecord {
  const kept = sight.parsed.unusable.map((key: RecordKey) => [key, before[key]]);
  return kept.length === 0 ? target : { ...target, ...Object.fromEntries(kept) };
}

/** `updated_at` moves with every change that engram writes (MF-11). */
function stamped(record: MemoryRecord, before: MemoryRecord, nowMs: number): MemoryRecord {
  return sameRecord(record, before) ? record : { ...record, updated_at: wholeSecondTimestamp(nowMs) };
}

/** The file cannot be written: the counter goes to the row alone, with its event, and waits there (SY-40). */
function countInRow(context: SyncContext, { name, path, base }: MemoryView, wanted: WantedChange): void {
  const { db } = context.store;
  const row = findRow(db, name);
  if (row === null) throw unwritable(name, 'bad', path);
  const current = effectiveRowRecord(rowRecord(row), base?.record ?? null, directoryOf(name), null);
  const own = wanted.change(current);
  if (own === null) return;
  for (const event of own.events) appendEvent(db, event);
  const now = wholeSecondTimestamp(context.clock());
  const surfaced = own.events.some((event) => event.kind === 'surfaced');
  writeRow(db, name, stamped(own.record, current, context.clock()), {
    textUpdatedAt: row.text_updated_at,
    lastSurfacedAt: surfaced ? now : row.last_surfaced_at,
  });
}

function knownKeys({ base }: MemoryView) {
  return base === null ? [] : presentInBase(base);
}
