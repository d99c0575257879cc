/** Numbers that follow from a seed alone, so that a run can be repeated. */
export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number of at least 0, below `limit`. */
  below(limit: number): number;
  /** One of the items, which are at least one. */
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { fraction, below, pick: (items) => items[below(items.length)] ?? items[0] };
}
