/**
 * The candidate that `text` was probably meant to be, null when none is near: at most a third of its letters may be
 * wrong, missing, added or swapped with a neighbour.
 */
export function nearest(text: string, candidates: Iterable<string>): string | null {
  const wanted = text.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.floor(Math.max(wanted.length, 3) / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Optimal string alignment distance; anything from `limit` on may come back as `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        swapped ? (beforePrevious[column - 2] ?? 0) + 1 : limit,
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? limit;
}
