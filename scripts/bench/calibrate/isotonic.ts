/** Something seen at a place of a scale, right or wrong, with its weight. */
export interface Observation {
  readonly at: number;
  readonly isRight: boolean;
  readonly weight: number;
}

/** A table is cut to this, so that no evidence makes certain. */
const MOST = 0.99;
const STEP = 0.01;

/**
 * The share of right observations at each knot, never falling, in hundredths. Each observation counts for the two knots
 * around it, the nearer one more. Knots rise by a hundredth at least: equal ones would make memories of unlike evidence
 * equal.
 *
 * @param knots - rising, from the least that can be observed to the most
 */
export function fitKnots(observations: Iterable<Observation>, knots: readonly number[]): number[] {
  const [rights, totals] = [knots.map(() => 0), knots.map(() => 0)];
  for (const { at, isRight, weight } of observations) {
    for (const [knot, part] of partsOf(at, knots)) {
      totals[knot] = (totals[knot] ?? 0) + weight * part;
      if (isRight) rights[knot] = (rights[knot] ?? 0) + weight * part;
    }
  }
  const shares = knots.map((_, knot) => (rights[knot] ?? 0) / (totals[knot] || 1));
  return strictlyRising(filled(isotonic(shares, totals), totals, knots));
}

/** Nearest never falling values by weighted squares: neighbours that fall are pooled. */
export function isotonic(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: { sum: number; weight: number; count: number }[] = [];
  for (const [at, value] of values.entries()) {
    const weight = weights[at] ?? 0;
    let block = { sum: value * weight, weight, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && meanOf(last) >= meanOf(block); last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, count: last.count + block.count };
    }
    blocks.push(block);
  }
  return blocks.flatMap((block) => Array.from({ length: block.count }, () => meanOf(block)));
}

function meanOf({ sum, weight }: { readonly sum: number; readonly weight: number }): number {
  return weight === 0 ? 0 : sum / weight;
}

function partsOf(at: number, knots: readonly number[]): [knot: number, part: number][] {
  const above = knots.findIndex((knot) => at <= knot);
  if (above <= 0) return [[above === 0 ? 0 : knots.length - 1, 1]];
  const [low, high] = [knots[above - 1] ?? 0, knots[above] ?? 1];
  const part = (at - low) / (high - low);
  return [
    [above - 1, 1 - part],
    [above, part],
  ];
}

/** Where nothing was observed, the line between the neighbours that were; beyond them, on to 0 at the least and `MOST` at the most. */
function filled(values: readonly number[], totals: readonly number[], knots: readonly number[]): number[] {
  const isSeen = (knot: number) => (totals[knot] ?? 0) > 0;
  const known = knots.map((_, knot) => knot).filter((knot) => isSeen(knot) && knot > 0 && knot < knots.length - 1);
  const anchors: (readonly [number, number])[] = [
    [knots[0] ?? 0, 0],
    ...known.map((knot) => [knots[knot] ?? 0, values[knot] ?? 0] as const),
    [knots.at(-1) ?? 1, Math.max(MOST, values.at(-1) ?? 0)],
  ];
  return knots.map((at) => {
    const above = Math.max(
      1,
      anchors.findIndex(([place]) => at <= place),
    );
    const [[low, from], [high, to]] = [anchors[above - 1] ?? [0, 0], anchors[above] ?? [1, MOST]];
    return from + ((to - from) * (at - low)) / (high - low);
  });
}

function strictlyRising(values: readonly number[]): number[] {
  const hundredths = values.map((value) => Math.round(value / STEP));
  let ceiling = Math.round(MOST / STEP);
  for (let at = hundredths.length - 1; at >= 0; at--) {
    hundredths[at] = Math.min(ceiling, hundredths[at] ?? 0);
    ceiling = (hundredths[at] ?? 0) - 1;
  }
  let floor = 0;
  return hundredths.map((value) => {
    const raised = Math.max(floor, value);
    floor = raised + 1;
    return raised / 100;
  });
}
