import type { CounterKey } from './record.ts';

/** The five counters of a memory, or sums of them; records and rows fit. */
export type Counts = { readonly [Key in CounterKey]: number };

/** f / (f + n): how often the advice was taken where it was judged. The figure shown to people, and demotion's (MF-48). */
export function effectiveness(counts: Counts): number | null {
  return ratio(counts.followed_count, counts.followed_count + counts.not_followed_count);
}

/** f / (f + n + i): as `effectiveness`, with the times it did not fit counted against it (MF-48). */
export function netEffectiveness(counts: Counts): number | null {
  return ratio(counts.followed_count, judgedCount(counts));
}

/** f / s: how often showing it led to the advice being taken. Decides promotion only (MF-48). */
export function followRate(counts: Counts): number | null {
  return ratio(counts.followed_count, counts.surfaced_count);
}

/** (f + n) / (f + n + i): how often it fitted when shown (MF-48). */
export function relevanceRate(counts: Counts): number | null {
  return ratio(counts.followed_count + counts.not_followed_count, judgedCount(counts));
}

/** max(0, s - f - n - i): times shown of which no outcome is known (MF-48). */
export function unresolved(counts: Counts): number {
  return Math.max(0, counts.surfaced_count - judgedCount(counts));
}

/** m / (m + s): how often it should have been shown and was not (MF-48). */
export function missRate(counts: Counts): number | null {
  return ratio(counts.missed_count, counts.missed_count + counts.surfaced_count);
}

function judgedCount(counts: Counts): number {
  return counts.followed_count + counts.not_followed_count + counts.irrelevant_count;
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
