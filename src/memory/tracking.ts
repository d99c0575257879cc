import { lenientConfidence, lenientCount, lenientTime } from './lenient-values.ts';
import { leaveAlone, type Reading } from './reading.ts';
import type { CounterKey, TimeKey, TrackingKey } from './record.ts';
import { compareTimestamps } from './timestamps.ts';
import type { TomlValue } from './toml-table.ts';
import { impliedConfidence, m1NotFollowed } from './variants.ts';

/** A counter: the larger of both levels, 0 where it is absent or unusable (MF-21, MF-24). */
export function counterOf(reading: Reading, key: CounterKey): number {
  const refusal = 'no whole number from 0 to 2^53-1; read as 0';
  const count = trackedValue(reading, key, lenientCount, Math.max, refusal);
  if (count !== undefined) return count ?? 0;
  if (key !== 'not_followed_count' || reading.layout.variant !== 'M1') return 0;
  const derived = m1NotFollowed(reading.table);
  if (derived !== null) reading.present.push(key);
  return derived ?? 0;
}

/** The confidence: the larger of both levels, else what the variant implies, else unknown (MF-14, MF-16, MF-21). */
export function confidenceOf(reading: Reading): number | null {
  const refusal = 'not between 0 and 1; read as unknown';
  const written = trackedValue(reading, 'initial_confidence', lenientConfidence, Math.max, refusal);
  if (written !== undefined) return written;
  const implied = impliedConfidence(reading.table, reading.layout);
  if (implied !== null) reading.present.push('initial_confidence');
  return implied;
}

/** A timestamp: of both levels the earlier `created_at`, the later `updated_at`; null = unknown (MF-21, MF-25). */
export function timeOf(reading: Reading, key: TimeKey): string | null {
  const read = (value: TomlValue) => lenientTime(value, key, reading.text);
  const pick = (a: string, b: string) => (compareTimestamps(a, b) < 0 === (key === 'created_at') ? a : b);
  return trackedValue(reading, key, read, pick, 'no time; read as unknown') ?? null;
}

/** The value of a tracking key, looked for at both levels; null: only unusable ones; undefined: at neither level. */
function trackedValue<Value>(
  reading: Reading,
  key: TrackingKey,
  read: (value: TomlValue) => Value | null,
  pick: (a: Value, b: Value) => Value,
  refusal: string,
): Value | null | undefined {
  const top = reading.table[key];
  const nested = reading.layout.nested?.[key];
  if (top === undefined && nested === undefined) return undefined;
  reading.present.push(key);
  const a = top === undefined ? null : read(top);
  const b = nested === undefined ? null : read(nested);
  if ((top !== undefined && a === null) || (nested !== undefined && b === null)) leaveAlone(reading, key, refusal);
  return a === null || b === null ? (a ?? b) : pick(a, b);
}
