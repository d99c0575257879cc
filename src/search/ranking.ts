/** Something whose value is dear to find, and a bound that is cheap. */
export interface Contender<T> {
  /** The value is no larger. */
  readonly atMost: number;
  /** Null when it is out after all. */
  evaluate(): T | null;
}

/** Values in falling order, each found when it is asked for. */
export interface Ranking<T> {
  /** The value at a place from 0 on; null behind the last. */
  at(place: number): T | null;
}

/**
 * Ranks contenders while evaluating as few of them as the places asked for need: one whose bound is below a value that is
 * already known waits. Among equal values the order is none in particular.
 */
export function rank<T>(contenders: readonly Contender<T>[], sizeOf: (evaluated: T) => number): Ranking<T> {
  const waiting = contenders.toSorted((a, b) => b.atMost - a.atMost);
  /** Found but maybe surpassed by one that waits, the largest last. */
  const found: T[] = [];
  const ranked: T[] = [];
  let next = 0;

  function evaluateNext(): void {
    const evaluated = waiting[next++]?.evaluate() ?? null;
    if (evaluated === null) return;
    const value = sizeOf(evaluated);
    let at = found.length;
    for (let other = found[at - 1]; other !== undefined && sizeOf(other) > value; other = found[at - 1]) at--;
    found.splice(at, 0, evaluated);
  }

  function rankNext(): boolean {
    for (let one = waiting[next]; one !== undefined; one = waiting[next]) {
      const largest = found.at(-1);
      if (largest !== undefined && sizeOf(largest) >= one.atMost) break;
      evaluateNext();
    }
    const largest = found.pop();
    if (largest === undefined) return false;
    ranked.push(largest);
    return true;
  }

  return {
    at: (place) => {
      while (ranked.length <= place && rankNext());
      return ranked[place] ?? null;
    },
  };
}
