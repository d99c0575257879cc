import {
  COUNTER_KEYS,
  type ContentKey,
  type CounterKey,
  contentKeysOf,
  type MemoryRecord,
  sameAuthored,
  TEXT_KEYS,
  type TextKey,
} from '../memory/record.ts';
import {
  type Clash,
  type CounterChange,
  meetingTime,
  mergeCore,
  mergeCounter,
  mergePlain,
  mergeScope,
  mergeText,
  mergeTime,
} from './merge-fields.ts';

export { effectiveFileRecord, effectiveRowRecord, type RowRecord } from './effective-record.ts';
export type { Clash, CounterChange } from './merge-fields.ts';
export { staleBufferBase } from './stale-buffer.ts';

export interface MergeResult {
  /** What both sides are to hold. */
  readonly record: MemoryRecord;
  /** Become conflict rows; the same clash is stored once (SY-20). */
  readonly clashes: readonly Clash[];
  /**
   * An authored value of that side is replaced: its old record goes to history first (SY-16). A side that is absent
   * counts as its base.
   */
  readonly overwritten: { readonly file: boolean; readonly row: boolean };
  /**
   * Counter events between the base (or nothing, at a first meeting) and `record`. A count that went to the row alone
   * has its event already (SY-40), so an `sql` event is owed only as far as the stored sum falls short of the record.
   */
  readonly events: readonly CounterChange[];
}

/** Merges field by field what both sides made of `base` (SY-15, SY-16); one changed side is the degenerate case. */
export function mergeRecords(base: MemoryRecord, file: MemoryRecord, row: MemoryRecord): MergeResult {
  const texts = mergeTexts(base, file, row);
  const { scope, clash } = mergeScope(base, file, row);
  const counters = COUNTER_KEYS.map((key) => mergeCounter(key, base[key], file[key], row[key]));
  const record: MemoryRecord = {
    ...file,
    ...texts.values,
    ...scope,
    ...mergeCore(base, file, row),
    ...counterValues((_key, index) => counters[index]?.value ?? 0),
    source: mergePlain(base.source, file.source, row.source),
    needs_review: mergePlain(base.needs_review, file.needs_review, row.needs_review),
    initial_confidence: mergePlain(
      base.initial_confidence,
      file.initial_confidence ?? base.initial_confidence,
      row.initial_confidence ?? base.initial_confidence,
    ),
    created_at: mergeTime('created_at', base.created_at, file.created_at, row.created_at),
    updated_at: mergeTime('updated_at', base.updated_at, file.updated_at, row.updated_at),
  };
  return {
    record,
    clashes: clash === null ? texts.clashes : [...texts.clashes, clash],
    overwritten: { file: !sameAuthored(file, record), row: !sameAuthored(row, record) },
    events: counters.flatMap((counter) => counter.events),
  };
}

/** Merges two sides that never agreed before (SY-15 last column, SY-23): nothing is taken away from either. */
export function mergeFirstMeeting(file: MemoryRecord, row: MemoryRecord): MergeResult {
  const texts = mergeTexts(null, file, row);
  const { scope, clash } = mergeScope(null, file, row);
  const record: MemoryRecord = {
    ...file,
    ...texts.values,
    ...scope,
    ...mergeCore(null, file, row),
    ...counterValues((key) => Math.max(file[key], row[key])),
    needs_review: file.needs_review || row.needs_review,
    initial_confidence: file.initial_confidence ?? row.initial_confidence,
    created_at: meetingTime('created_at', file.created_at, row.created_at),
    updated_at: meetingTime('updated_at', file.updated_at, row.updated_at),
  };
  return {
    record,
    clashes: clash === null ? texts.clashes : [...texts.clashes, clash],
    // A row has no unknown keys of its own, so it loses none (SY-25).
    overwritten: { file: !sameAuthored(file, record), row: !sameAuthored({ ...row, extra: record.extra }, record) },
    events: countsFromNothing(record, 'import'),
  };
}

/** A side that meets nothing on the other: it is taken whole, each count with its event. */
export function takeWhole(record: MemoryRecord, origin: 'import' | 'sql'): MergeResult {
  return { record, clashes: [], overwritten: { file: false, row: false }, events: countsFromNothing(record, origin) };
}

/**
 * Merges a file saved from an older agreement, `stale` (SY-19): what the editor did not touch since then stays as file
 * and row have it now. Counter events start from `base`, the present agreement.
 */
export function mergeStaleFile(
  stale: MemoryRecord,
  base: MemoryRecord,
  file: MemoryRecord,
  row: MemoryRecord,
): MergeResult {
  const result = mergeRecords(stale, file, row);
  const events = COUNTER_KEYS.flatMap((key) => mergeCounter(key, base[key], base[key], result.record[key]).events);
  return { ...result, events };
}

function mergeTexts(base: MemoryRecord | null, file: MemoryRecord, row: MemoryRecord) {
  const own: readonly string[] = ['situation', ...contentKeysOf(file.type)];
  const merged = TEXT_KEYS.map((key) => ({ key, ...mergeText(key, !own.includes(key), base, file, row) }));
  const value = (key: TextKey): string | null => merged.find((field) => field.key === key)?.value ?? null;
  const values: Pick<MemoryRecord, 'situation' | ContentKey> = {
    situation: value('situation') ?? file.situation,
    behavior: value('behavior'),
    impact: value('impact'),
    action: value('action'),
    subject: value('subject'),
    predicate: value('predicate'),
    object: value('object'),
  };
  return { values, clashes: merged.flatMap((field) => (field.clash === null ? [] : [field.clash])) };
}

function counterValues(countOf: (key: CounterKey, index: number) => number): Pick<MemoryRecord, CounterKey> {
  const entries = COUNTER_KEYS.map((key, index) => [key, countOf(key, index)] as const);
  return Object.fromEntries(entries) as Pick<MemoryRecord, CounterKey>;
}

function countsFromNothing(record: MemoryRecord, origin: 'import' | 'sql'): CounterChange[] {
  return COUNTER_KEYS.filter((key) => record[key] !== 0).map((key) => ({ key, delta: record[key], origin }));
}
