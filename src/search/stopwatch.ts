/** Times of the steps of one search, in milliseconds (SE-48). */
export interface Stopwatch {
  readonly laps: Record<string, number>;
  lap(name: string): void;
}

/** Milliseconds that only grow. `performance` would be the same, but loading it takes two milliseconds of a cold query. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function stopwatch(): Stopwatch {
  const laps: Record<string, number> = {};
  let last = monotonicMs();
  return {
    laps,
    lap: (name) => {
      const now = monotonicMs();
      laps[name] = Math.round((now - last) * 100) / 100;
      last = now;
    },
  };
}
