import { NO_IDENTITY } from '../../../src/search/rater.ts';
import {
  EVIDENCE_KNOTS,
  IDENTIFIER_FLOOR,
  type KnotTable,
  QUERY_FLOOR,
  relevanceOf,
  SURFACE_FLOOR,
} from '../../../src/search/relevance.ts';
import { BOUNDED_SETS } from '../retrieval/bars.ts';
import { auroc, average } from '../retrieval/statistics.ts';
import { type Floors, outcomeAbove, type SurfaceTrial } from '../retrieval/surface.ts';
import { fitKnots, type Observation } from './isotonic.ts';
import { type ObservedQuestion, type ObservedSet, passingBy, relevanceBy, TABLES, type Tables } from './observed.ts';

/** What calibration decides. */
export interface Constants extends Floors {
  readonly tables: Tables;
}

/** False surfaces that the floor may let through: on the mean of the bounded sets, and on each of them. */
const [MEAN_FALSE, MOST_FALSE] = [0.02, 0.05];

/** The constants of `relevance.ts` as they are. */
export function currentConstants(): Constants {
  return {
    tables: tablesBy((table) => EVIDENCE_KNOTS.map((at) => relevanceOf(at, NO_IDENTITY, table))),
    floor: SURFACE_FLOOR,
    identifierFloor: IDENTIFIER_FLOOR,
  };
}

/** Fits tables to the hits of all sets, each set counting the same, and then the floor. */
export function fitConstants(sets: readonly ObservedSet[]): Constants {
  const tables = tablesBy((table) => fitKnots(observationsOf(sets, table), EVIDENCE_KNOTS));
  return { tables, ...fitFloors(sets, tables) };
}

/** What constants make of one set. `query` is judged by its floor alone here, without the rule for short questions. */
export interface Effect {
  readonly auroc: number;
  readonly answeredNothing: number;
  readonly falseQuery: number;
  readonly falseSurface: number;
  readonly surfacedRight: number;
  /** How far relevance is from the share that was right, on the mean of all hits. */
  readonly calibrationError: number;
}

export function effectOn(set: ObservedSet, { tables, ...floors }: Constants): Effect {
  const top = ({ hits }: ObservedQuestion) => Math.max(0, ...hits.map((hit) => relevanceBy(tables, hit)));
  const [tops, falseTops] = [set.queries.map(top), set.noMatch.map(top)];
  return {
    auroc: auroc(tops, falseTops).value,
    answeredNothing: shareOf(tops, (relevance) => relevance < QUERY_FLOOR),
    falseQuery: shareOf(falseTops, (relevance) => relevance >= QUERY_FLOOR),
    falseSurface: falseSurface(surfaceTrials(set.noMatch, tables), floors),
    surfacedRight: shareOf(surfaceTrials(set.queries, tables), (trial) => outcomeAbove(trial, floors) === 'right'),
    calibrationError: calibrationError(set, tables),
  };
}

/** By how much a rare identifier may lower the floor (SE-41). */
const LOWERINGS = [0, 0.05, 0.1, 0.15];
const [LEAST_FLOOR, HIGHEST_FLOOR] = [25, 99];

/** Of the lowest floors that keep false surfaces rare enough, those by which most right memories are surfaced. */
function fitFloors(sets: readonly ObservedSet[], tables: Tables): Floors {
  const withNoMatch = sets.filter(({ noMatch }) => noMatch.length > 0);
  const bounded = withNoMatch.filter(({ name }) => BOUNDED_SETS.includes(name));
  const judged = (bounded.length > 0 ? bounded : withNoMatch).map(({ noMatch }) => surfaceTrials(noMatch, tables));
  const asked = withNoMatch.map(({ queries }) => surfaceTrials(queries, tables));
  const rightSurfaces = (floors: Floors) =>
    average(asked.map((trials) => shareOf(trials, (trial) => outcomeAbove(trial, floors) === 'right')));
  const contenders = LOWERINGS.map((lowering) => {
    const floors = lowestFloors(judged, lowering);
    return { floors, right: rightSurfaces(floors) };
  });
  return contenders.reduce((best, one) => (one.right > best.right ? one : best)).floors;
}

function lowestFloors(judged: readonly (readonly SurfaceTrial[])[], lowering: number): Floors {
  for (let hundredths = LEAST_FLOOR; hundredths < HIGHEST_FLOOR; hundredths++) {
    const floors = floorsAt(hundredths, lowering);
    const rates = judged.map((trials) => falseSurface(trials, floors));
    if (average(rates) <= MEAN_FALSE && Math.max(...rates) <= MOST_FALSE) return floors;
  }
  return floorsAt(HIGHEST_FLOOR, lowering);
}

function floorsAt(hundredths: number, lowering: number): Floors {
  return { floor: hundredths / 100, identifierFloor: Math.round(hundredths - lowering * 100) / 100 };
}

function* observationsOf(sets: readonly ObservedSet[], table: KnotTable): Iterable<Observation> {
  for (const { queries, noMatch, evidence } of sets) {
    const weight = 1 / (queries.length + noMatch.length);
    for (const hit of evidence[table]) yield { ...hit, weight };
  }
}

function tablesBy(knotsOf: (table: KnotTable) => number[]): Tables {
  return Object.fromEntries(TABLES.map((table) => [table, knotsOf(table)])) as Record<KnotTable, number[]>;
}

function surfaceTrials(questions: readonly ObservedQuestion[], tables: Tables): SurfaceTrial[] {
  return questions.map(({ hits, isThin }) => ({
    isThin,
    contenders: hits.map((hit) => ({
      passing: passingBy(tables, hit),
      relevance: relevanceBy(tables, hit),
      hasRareIdentifier: hit.hasRareIdentifier,
      isRight: hit.isRight,
    })),
  }));
}

function falseSurface(trials: readonly SurfaceTrial[], floors: Floors): number {
  return shareOf(trials, (trial) => outcomeAbove(trial, floors) !== 'nothing');
}

const BINS = 20;

function calibrationError({ queries, noMatch }: ObservedSet, tables: Tables): number {
  const bins = Array.from({ length: BINS }, () => ({ relevance: 0, right: 0, count: 0 }));
  for (const { hits } of [...queries, ...noMatch]) {
    for (const hit of hits) {
      const relevance = relevanceBy(tables, hit);
      const bin = bins[Math.min(BINS - 1, Math.floor(relevance * BINS))];
      if (bin === undefined) continue;
      bin.relevance += relevance;
      bin.right += Number(hit.isRight);
      bin.count++;
    }
  }
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  return bins.reduce((sum, bin) => sum + Math.abs(bin.relevance - bin.right), 0) / count;
}

function shareOf<T>(values: readonly T[], isCounted: (value: T) => boolean): number {
  return values.length === 0 ? Number.NaN : values.filter(isCounted).length / values.length;
}
