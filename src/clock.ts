/** Epoch milliseconds. Passed to whatever needs the time, so that decisions stay pure and tests choose the moment. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** RFC 3339 in UTC with `Z` and whole seconds, as engram writes times into files (`memory-format.md` section 2). */
export function wholeSecondTimestamp(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** The same clock, for durations: where it is set back, this one stands still for a moment and then goes on. */
export function steadyClock(clock: Clock): Clock {
  let [latestMs, addedMs] = [Number.NEGATIVE_INFINITY, 0];
  return () => {
    addedMs += Math.max(0, latestMs - (clock() + addedMs));
    latestMs = clock() + addedMs;
    return latestMs;
  };
}
