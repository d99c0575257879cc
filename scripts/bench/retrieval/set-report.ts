import { armFigures, type Figures, hits, kindFigures, policyFigures, reciprocalRanks, violations } from './figures.ts';
import { difference } from './statistics.ts';
import { ARMS, type Arm, type SetTrials } from './trials.ts';

type Difference = ReturnType<typeof difference>;

/** All figures of one set, or of several as one. */
export interface SetReport {
  readonly set: string;
  readonly n: number;
  readonly noMatchCount: number;
  readonly arms: Readonly<Record<Arm, Figures>>;
  readonly byKind: Readonly<Record<string, Figures>>;
  readonly policies: Figures;
  /** Fused minus each other arm, question by question. */
  readonly overBaseline: Readonly<Record<'mrr10' | 'hit5' | 'must_not1' | 'must_not5', Difference>>;
  readonly overArms: Readonly<Record<'words' | 'meaning' | 'fine', Difference>>;
}

export function reportOf(trials: SetTrials): SetReport {
  const { queries, forbidden } = trials;
  const ranks = Object.fromEntries(ARMS.map((arm) => [arm, reciprocalRanks(queries, arm)])) as Record<Arm, number[]>;
  const over = (arm: Arm) => difference(ranks.fused, ranks[arm]);
  const overBaseline = (figures: (arm: Arm) => number[]) => difference(figures('fused'), figures('baseline'));
  return {
    set: trials.name,
    n: queries.length,
    noMatchCount: trials.noMatch.length,
    arms: Object.fromEntries(ARMS.map((arm) => [arm, armFigures(trials, arm)])) as Record<Arm, Figures>,
    byKind: kindFigures(trials),
    policies: policyFigures(trials),
    overBaseline: {
      mrr10: over('baseline'),
      hit5: overBaseline((arm) => hits(queries, arm, 5)),
      must_not1: overBaseline((arm) => violations(forbidden, arm, 1)),
      must_not5: overBaseline((arm) => violations(forbidden, arm, 5)),
    },
    overArms: { words: over('words'), meaning: over('meaning'), fine: over('fine') },
  };
}

/** All sets as one, every question counted once. */
export function pooled(all: readonly SetTrials[]): SetTrials {
  return {
    name: 'pooled',
    queries: all.flatMap(({ queries }) => queries.map((trial) => ({ ...trial, kind: '' }))),
    noMatch: all.flatMap(({ noMatch }) => noMatch),
    forbidden: all.flatMap(({ forbidden }) => forbidden),
    wholeMs: all.flatMap(({ wholeMs }) => wholeMs),
  };
}

/** As JSON: each figure a number, its interval and n beside it. */
export function plainReport(report: SetReport) {
  const { arms, byKind, policies, overBaseline } = report;
  return {
    set: report.set,
    n: report.n,
    no_match: report.noMatchCount,
    ...Object.fromEntries(ARMS.map((arm) => [arm, plainFigures(arms[arm])])),
    by_kind: Object.fromEntries(Object.entries(byKind).map(([kind, figures]) => [kind, plainFigures(figures)])),
    policies: plainFigures(policies),
    over_baseline: plainFigures(overBaseline),
  };
}

/** Null where there is nothing to measure. */
function plainFigures(figures: Figures) {
  const entries = Object.entries(figures);
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  return {
    ...Object.fromEntries(entries.map(([name, { value }]) => [name, finite(value)])),
    intervals: Object.fromEntries(
      entries.map(([name, { low, high, n }]) => [name, { low: finite(low), high: finite(high), n }]),
    ),
  };
}
