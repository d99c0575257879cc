import {
  COUNTER_KEYS,
  emptyRecord,
  isAuthoredKey,
  type MemoryDirectory,
  type MemoryRecord,
  type ParsedMemory,
  RECORD_KEYS,
  type RecordKey,
  TRACKING_KEYS,
  type TrackingKey,
} from '../memory/record.ts';

/** What the row of a memory says: NULL columns are absent keys (SY-25), so they are missing here. */
export type RowRecord = Partial<MemoryRecord>;

/**
 * The file's record as sync sees it. A tracking key that is absent and a key with an unusable value are no change: they
 * hold what the base holds (MF-22, MF-24). A counter goes down only if the file shows no sign of a cut (SY-17).
 *
 * @param base - the last agreement with the tracking keys that stood in its file; null at a first sight
 * @param endsWithNewline - whether the last byte of the file is a line feed
 */
export function effectiveFileRecord(
  parsed: ParsedMemory,
  base: { readonly record: MemoryRecord; readonly present: readonly TrackingKey[] } | null,
  endsWithNewline: boolean,
): MemoryRecord {
  if (base === null) return parsed.record;
  const known: MemoryRecord = base.record;
  const absent = TRACKING_KEYS.filter((key) => !parsed.present.includes(key));
  const whole = endsWithNewline && base.present.every((key) => parsed.present.includes(key));
  const heldUp = whole ? [] : COUNTER_KEYS.filter((key) => parsed.record[key] < known[key]);
  return withKeysOf(parsed.record, known, [...absent, ...parsed.unusable, ...heldUp]);
}

/**
 * The row's record as sync sees it: NULLs hold what the base holds, or the default. `extra` and `schema_version` are never
 * the row's to say, `type` only where nothing is known (SY-15, SY-25). An authored change by SQL that left `updated_at` alone gets the time of the logged change (SY-27).
 *
 * @param base - the last agreement; at a first meeting the file's record may stand in for it; null when there is neither
 * @param changedAt - normalised time of the newest logged change of this row, null when none is logged
 */
export function effectiveRowRecord(
  row: RowRecord,
  base: MemoryRecord | null,
  directory: MemoryDirectory,
  changedAt: string | null,
): MemoryRecord {
  // A row that a shell inserted with a few columns (SY-24): a missing text stays empty, which validation refuses.
  const known = base ?? emptyRecord(directory === 'facts' ? 'fact' : 'feedback', changedAt);
  const layout = { schema_version: known.schema_version, extra: known.extra };
  const filled: MemoryRecord = { ...known, ...row, ...layout, type: base?.type ?? row.type ?? known.type };
  if (base === null || changedAt === null || filled.updated_at !== base.updated_at) return filled;
  const edited = RECORD_KEYS.some((key) => isAuthoredKey(key) && filled[key] !== base[key]);
  return edited ? { ...filled, updated_at: changedAt } : filled;
}

function withKeysOf(record: MemoryRecord, source: MemoryRecord, keys: readonly RecordKey[]): MemoryRecord {
  if (keys.length === 0) return record;
  return { ...record, ...Object.fromEntries(keys.map((key) => [key, source[key]])) };
}
