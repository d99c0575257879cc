import { IDENTIFIER_FLOOR, SURFACE_FLOOR } from '../../../src/search/relevance.ts';
import { type Floors, type Outcome, outcomeAbove } from './surface.ts';
import type { SetTrials, Trial } from './trials.ts';

/** One threshold: how many questions get a right memory, and how often an answer is right. */
export interface Point {
  readonly threshold: number;
  /** Share of the questions with a right memory that are given one. */
  readonly recall: number;
  /** Share of the answers that hold a right memory. */
  readonly precision: number;
}

/** A curve over falling thresholds, from few answers to many. */
export interface Curve {
  readonly name: string;
  readonly queryCount: number;
  readonly noMatchCount: number;
  readonly surface: readonly Point[];
  /** BM25 under the same rules, its scores in place of relevance. */
  readonly baseline: readonly Point[];
  /** The floor that `surface` has. */
  readonly chosen: Point;
}

/**
 * Precision against recall of `surface` for each set with a no-match side, and for all of them as one in which each set
 * counts the same.
 */
export function curvesOf(all: readonly SetTrials[]): Curve[] {
  const sets = all.filter(({ noMatch }) => noMatch.length > 0);
  const curves = sets.map((trials) => curve(trials.name, [trials]));
  return sets.length < 2 ? curves : [...curves, curve('all, each set counting the same', sets)];
}

const STEP = 0.01;
const THRESHOLDS = Array.from({ length: 1 / STEP }, (_, at) => 1 - (at + 1) * STEP);
const BASELINE_STEPS = 100;

function curve(name: string, sets: readonly SetTrials[]): Curve {
  const atFloor = (threshold: number) =>
    point(sets, threshold, ({ surface }) => outcomeAbove(surface, floorsAt(threshold)));
  const scores = sets
    .flatMap(({ queries, noMatch }) => [...queries, ...noMatch].map(({ arms }) => arms.baseline.top))
    .sort((a, b) => b - a);
  const cuts = Array.from({ length: BASELINE_STEPS }, (_, at) => {
    const place = Math.floor(((at + 1) / BASELINE_STEPS) * (scores.length - 1));
    return Math.max(Number.MIN_VALUE, scores[place] ?? 0);
  });
  return {
    name,
    queryCount: sets.reduce((sum, { queries }) => sum + queries.length, 0),
    noMatchCount: sets.reduce((sum, { noMatch }) => sum + noMatch.length, 0),
    surface: THRESHOLDS.map(atFloor).filter(isAnswered),
    baseline: cuts
      .map((cut) =>
        point(sets, cut, ({ baselineSurface }) => outcomeAbove(baselineSurface, { floor: cut, identifierFloor: cut })),
      )
      .filter(isAnswered),
    chosen: atFloor(SURFACE_FLOOR),
  };
}

/** The floor for a rare identifier moves with the other. */
function floorsAt(floor: number): Floors {
  return { floor, identifierFloor: Math.max(Number.MIN_VALUE, floor - (SURFACE_FLOOR - IDENTIFIER_FLOOR)) };
}

/** Each set weighs 1 in either sum. */
function point(sets: readonly SetTrials[], threshold: number, outcomeOf: (trial: Trial) => Outcome): Point {
  let [right, answered] = [0, 0];
  for (const { queries, noMatch } of sets) {
    for (const trial of [...queries, ...noMatch]) {
      const came = outcomeOf(trial);
      if (came === 'nothing') continue;
      answered += 1 / queries.length;
      if (came === 'right') right += 1 / queries.length;
    }
  }
  return { threshold, recall: right / sets.length, precision: answered === 0 ? Number.NaN : right / answered };
}

function isAnswered({ precision }: Point): boolean {
  return !Number.isNaN(precision);
}
