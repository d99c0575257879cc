/** A figure with its 95 % interval (SE-65). `n` is the number of queries behind it. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

const Z = 1.96;
const RESAMPLES = 1000;

/** A share with Wilson's interval. */
export function share(hits: readonly boolean[]): Estimate {
  const n = hits.length;
  if (n === 0) return NONE;
  const p = hits.filter(Boolean).length / n;
  const centre = (p + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n);
  const half = (Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n))) / (1 + (Z * Z) / n);
  return { value: p, low: Math.max(0, centre - half), high: Math.min(1, centre + half), n };
}

/** A mean with a bootstrap interval. */
export function mean(values: readonly number[]): Estimate {
  const n = values.length;
  if (n === 0) return NONE;
  const means = resamples((pick) => average(values.map(() => values[pick(n)] ?? 0)));
  return { value: average(values), ...middle95(means), n };
}

/** How often a value of `positives` is above one of `negatives`, ties half; both sides are resampled. */
export function auroc(positives: readonly number[], negatives: readonly number[]): Estimate {
  const n = positives.length + negatives.length;
  if (positives.length === 0 || negatives.length === 0) return { ...NONE, n };
  const resampled = (values: readonly number[], pick: (n: number) => number) =>
    values.map(() => values[pick(values.length)] ?? 0);
  const areas = resamples((pick) => area(resampled(positives, pick), resampled(negatives, pick)));
  return { value: area(positives, negatives), ...middle95(areas), n };
}

/** A verdict on the mean of paired differences: `none` when zero lies in their interval (SE-65). */
export function difference(
  ours: readonly number[],
  theirs: readonly number[],
): Estimate & { readonly verdict: 'above' | 'below' | 'none' } {
  const estimate = mean(ours.map((value, i) => value - (theirs[i] ?? 0)));
  return { ...estimate, verdict: estimate.low > 0 ? 'above' : estimate.high < 0 ? 'below' : 'none' };
}

/** A percentile with a bootstrap interval. */
export function percentileEstimate(values: readonly number[], share: number): Estimate {
  const n = values.length;
  if (n === 0) return NONE;
  const resampled = resamples((pick) =>
    percentile(
      values.map(() => values[pick(n)] ?? 0),
      share,
    ),
  );
  return { value: percentile(values, share), ...middle95(resampled), n };
}

/** The value below which a share of `values` lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const NONE: Estimate = { value: Number.NaN, low: Number.NaN, high: Number.NaN, n: 0 };

/** Ranks instead of pairs: 2,250 against 200, a thousand times, would take minutes otherwise. */
function area(positives: readonly number[], negatives: readonly number[]): number {
  const sorted = Float64Array.from(negatives).sort();
  let below = 0;
  for (const value of positives) below += (firstNotBelow(sorted, value) + firstAbove(sorted, value)) / 2;
  return below / (positives.length * negatives.length);
}

function firstNotBelow(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if ((sorted[at] ?? 0) < value) low = at + 1;
    else high = at;
  }
  return low;
}

function firstAbove(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if ((sorted[at] ?? 0) <= value) low = at + 1;
    else high = at;
  }
  return low;
}

function resamples(once: (pick: (n: number) => number) => number): number[] {
  const random = mulberry32(20_260_401);
  const pick = (n: number) => Math.floor(random() * n);
  return Array.from({ length: RESAMPLES }, () => once(pick));
}

function middle95(values: readonly number[]): { low: number; high: number } {
  return { low: percentile(values, 0.025), high: percentile(values, 0.975) };
}

/** A small generator with a fixed seed: the same data give the same interval. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
