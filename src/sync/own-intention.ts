import { wholeSecondTimestamp } from '../clock.ts';
import { EngramError } from '../errors.ts';
import { type MemoryRecord, type RecordKey, sameAuthored, sameRecord } from '../memory/record.ts';
import { renderMemory } from '../memory/render-toml.ts';
import { directoryOf } from '../memory/slug.ts';
import { addHistory } from '../store/history.ts';
import { findRow, rowRecord, writeRow } from '../store/memories.ts';
import { appendEvent } from '../store/outcomes.ts';
import type { Reconcile } from './action.ts';
import { refuseBadRow } from './bad-row.ts';
import type { SyncContext } from './context.ts';
import { presentInBase } from './file-sight.ts';
import type { Intention, ReadSight } from './intention.ts';
import type { MemoryView } from './memory-view.ts';
import { effectiveRowRecord } from './merge.ts';
import { bytesSaying, isLaidOutAs } from './new-bytes.ts';
import { type OwnChange, unwritable, type WantedChange } from './own-change.ts';
import { agreementOf, keepReplaced } from './rows-only.ts';
import { refuseUnusable } from './unusable-value.ts';

/** An intention that nothing can make out of date. */
export const always = () => true;

export function ownIntention(context: SyncContext, view: MemoryView, wanted: WantedChange): Intention | null {
  const { sight, name, path } = view;
  if (view.row.side.state === 'bad') refuseBadRow(context.store.db, name);
  const current = currentRecord(view);
  if (current === null) throw unwritable(name, whyUnwritable(view), path);
  const own = wanted.change(current);
  if (own === null) return null;
  if (sight.kind === 'read' && !sight.readOnly) {
    try {
      return writeOwn(context, view, sight, current, { ...wanted, own });
    } catch (error) {
      if (!(error instanceof EngramError) || error.code !== 'memory.layout' || !wanted.countsOnly) throw error;
    }
  }
  if (!wanted.countsOnly) throw unwritable(name, whyUnwritable(view), path, current.schema_version);
  const finish = () => countInRow(context, view, wanted);
  const viewOptions = sight.kind === 'read' && !sight.readOnly ? { layoutRefused: true } : {};
  return { kind: 'rows', viewOptions, finish };
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
  { own, decides }: Pick<WantedChange, 'decides'> & { readonly own: OwnChange },
): Intention {
  const { action, base } = view;
  const text = textFor(own, sight);
  const record = recordIn(text, own);
  if (decides !== undefined) refuseUnusable(view, text, { decides, from: current, to: record });
  const target = stamped(record, current, context.clock());
  const agreed = keepingUnusable(target, 'agreed' in action ? action.agreed : (base?.record ?? current), text.parsed);
  const planned = 'agreed' in action ? action : unchangedPlan(current);
  const agreement = agreementOf(context, view, {
    ...planned,
    agreed,
    target,
    rowChangesWait: !sameRecord(agreed, target),
  });
  const converts = own.savedByPerson === true && text.parsed.variant === 'M1';
  const said = converts ? renderMemory(agreed) : bytesOf(view, agreed, text);
  const bytes = Buffer.compare(said, sight.bytes) === 0 ? sight.bytes : said;
  const isTextKept = bytes === sight.bytes || (sameAuthored(current, target) && !converts && !text.isCopy);
  const keepOld = () => {
    if ('agreed' in action) keepReplaced(context, view, action);
    if (!isTextKept) keepText(context, view, 'edit', { record: current, bytes: sight.bytes });
    if (own.copy !== undefined && !text.isCopy) {
      keepText(context, view, 'edited-copy', { record: own.copy.parsed.record, bytes: own.copy.bytes });
    }
  };
  const clashes = [...agreement.clashes, ...(own.clashes ?? [])];
  const clashReason = own.clashes === undefined || own.clashes.length === 0 ? agreement.clashReason : 'edit';
  return {
    kind: 'write',
    bytes,
    agreement: { ...agreement, clashes, clashReason, events: own.events, ...learnedWith(own) },
    sight,
    keepOld,
    stillAllowed: own.stillAllowed ?? always,
  };
}

function learnedWith({ learned }: OwnChange): Pick<OwnChange, 'learned'> {
  return learned === undefined ? {} : { learned };
}

/** The edited text; where it cannot be edited, the error names the file. */
function bytesOf(view: MemoryView, agreed: MemoryRecord, text: TextToEdit): Uint8Array {
  try {
    return bytesSaying(agreed, text, knownKeys(view));
  } catch (error) {
    if (!(error instanceof EngramError) || error.code !== 'memory.layout') throw error;
    const problem = error.message.replace(/^the file /, `${view.path} `);
    throw new EngramError(error.code, `${view.name}: ${problem}`, {
      hint: 'Change it by hand in an editor; the next sync takes it over.',
      cause: error,
    });
  }
}

interface TextToEdit {
  readonly bytes: Uint8Array;
  readonly parsed: ReadSight['parsed'];
  readonly isCopy: boolean;
}

/** The copy that a person saved, where the file still is laid out as what they started from; else the file. */
function textFor({ copy }: OwnChange, sight: ReadSight): TextToEdit {
  const isCopy = copy !== undefined && isLaidOutAs(copy.before, sight.parsed.record, sight.bytes);
  const { bytes, parsed } = isCopy ? copy : sight;
  return { bytes, parsed, isCopy };
}

/** What is not merged comes from the text that is written: its version, its type and its unknown keys. */
function recordIn({ parsed, isCopy }: TextToEdit, { record, copy }: OwnChange): MemoryRecord {
  if (copy === undefined || isCopy) return record;
  const { schema_version, type, extra } = parsed.record;
  return { ...record, schema_version, type, extra };
}

function keepText(
  context: SyncContext,
  { name }: MemoryView,
  reason: string,
  kept: { readonly record: MemoryRecord; readonly bytes: Uint8Array },
): void {
  addHistory(context.store.db, { name, atMs: context.clock(), origin: context.origin, reason, ...kept });
}

/** A reconciliation of two sides that agreed already. */
export function unchangedPlan(record: MemoryRecord): Reconcile {
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

function keepingUnusable(target: MemoryRecord, before: MemoryRecord, { unusable }: ReadSight['parsed']): MemoryRecord {
  const kept = unusable.map((key: RecordKey) => [key, before[key]]);
  return kept.length === 0 ? target : { ...target, ...Object.fromEntries(kept) };
}

/** `updated_at` moves with every change that engram writes (MF-11). */
export function stamped(record: MemoryRecord, before: MemoryRecord, nowMs: number): MemoryRecord {
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

export function knownKeys({ base }: MemoryView) {
  return base === null ? [] : presentInBase(base);
}
