import { compareTimestamps } from '../memory/timestamps.ts';

/** Clocks of two agents may differ by this much (CH-33). */
export const CLOCK_TOLERANCE_MS = 120_000;

/** What a reader remembers of the blocks before, to tell a quotation from a message behind damage (CH-19). */
export interface Suspicion {
  /** Time of the last good block that has one, as UTC. A time in the future is not taken. */
  readonly lastTs: string | null;
  /** Null: none. `olderThan`: of the last good block before the damage. */
  readonly since: { readonly olderThan: string | null; readonly isFirst: boolean } | null;
}

export const NO_SUSPICION: Suspicion = { lastTs: null, since: null };

/** Damage ended at a header that may stand in a string. */
export function suspectNext({ lastTs, since }: Suspicion): Suspicion {
  return { lastTs, since: { olderThan: since === null ? lastTs : since.olderThan, isFirst: true } };
}

/**
 * Judges the next good block.
 *
 * @param ts - its time as UTC, null where it has none
 * @param canonical - its keys are in the order of CH-7
 * @param nowMs - epoch milliseconds
 */
export function judgeBlock(
  before: Suspicion,
  ts: string | null,
  canonical: boolean,
  nowMs: number,
): { readonly suspect: boolean; readonly after: Suspicion } {
  const { since } = before;
  const usable = ts !== null && !isFuture(ts, nowMs);
  if (since === null) return { suspect: false, after: usable ? { lastTs: ts, since } : before };
  const isOlder = ts === null || (since.olderThan !== null && compareTimestamps(ts, since.olderThan) < 0);
  const ends = canonical && usable && !isOlder;
  const suspect = since.isFirst || isOlder;
  return {
    suspect,
    after: {
      lastTs: usable && !suspect ? ts : before.lastTs,
      since: ends ? null : { ...since, isFirst: false },
    },
  };
}

/** The latest time that is not in the future (CH-33). @param nowMs - epoch milliseconds */
export function latestTime(nowMs: number): string {
  if (nowMs !== limitOf) {
    limitOf = nowMs;
    limit = new Date(nowMs + CLOCK_TOLERANCE_MS).toISOString();
  }
  return limit;
}

/** For the moment that was asked about last. */
let limitOf = Number.NaN;
let limit = '';

function isFuture(ts: string, nowMs: number): boolean {
  // As texts: that is wrong within one second at most.
  return ts > latestTime(nowMs);
}
