/** Times of the steps of one search, in milliseconds (SE-48). */
export interface Stopwatch {
  readonly laps: Record<string, number>;
  lap(name: string): void;
}

/** `performance` would be the same, but loading it takes two milliseconds of a cold query. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function stopwatch(): Stopwatch {
  const laps: Record<string, number> = {};
  let last = nowMs();
  return {
    laps,
    lap: (name) => {
      const now = nowMs();
      laps[name] = Math.round((now - last) * 100) / 100;
      last = now;
    },
  };
}
