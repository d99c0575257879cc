import { auroc, type Estimate, mean, percentileEstimate, share } from './statistics.ts';
import type { Arm, SetTrials, Trial } from './trials.ts';

/** Figures by name, each with its n and interval. */
export type Figures = Readonly<Record<string, Estimate>>;

type Trials = Pick<SetTrials, 'queries' | 'noMatch' | 'forbidden'>;

/** The figures of SE-64 for one arm. */
export function armFigures({ queries, noMatch, forbidden }: Trials, arm: Arm): Figures {
  const figures: Record<string, Estimate> = {
    ...rankFigures(queries, arm),
    recall5: mean(queries.map(({ arms }) => arms[arm].recall5)),
    auroc: auroc(tops(queries, arm), tops(noMatch, arm)),
  };
  if (arm === 'fused') figures.auroc_surface = auroc(queries.map(surfaceTop), noMatch.map(surfaceTop));
  if (forbidden.length === 0) return figures;
  const violated = (most: number) => share(violations(forbidden, arm, most).map(Boolean));
  return { ...figures, must_not1: violated(1), must_not5: violated(5) };
}

/** The fused arm on the questions of each kind, where a set has kinds: order, and AUROC against its no-match side. */
export function kindFigures({ queries, noMatch }: Trials): Record<string, Figures> {
  const kinds = [...new Set(queries.map(({ kind }) => kind))];
  if (kinds.length < 2) return {};
  return Object.fromEntries(
    kinds.map((kind) => {
      const own = queries.filter((trial) => trial.kind === kind);
      return [
        kind,
        {
          ...rankFigures(own, 'fused'),
          auroc: auroc(tops(own, 'fused'), tops(noMatch, 'fused')),
          auroc_surface: auroc(own.map(surfaceTop), noMatch.map(surfaceTop)),
          surfaced_right: share(own.map(isSurfacedRight)),
        },
      ];
    }),
  );
}

/** The figures of both policies. Latency is warm, in milliseconds; bytes are those of the answer as JSON. */
export function policyFigures({ queries, noMatch, wholeMs }: SetTrials): Figures {
  const queryMs = queries.map(({ answers }) => answers.queryMs);
  const surfaceMs = queries.map(({ answers }) => answers.surfaceMs);
  return {
    shown_hit1: share(queries.map(({ answers }) => isWithin(answers.firstShown, 1))),
    shown_hit5: share(queries.map(({ answers }) => isWithin(answers.firstShown, 5))),
    answered_nothing: share(queries.map(({ answers }) => answers.isSilent)),
    false_query: share(noMatch.map(({ answers }) => !answers.isSilent)),
    false_surface: share(noMatch.map(({ answers }) => answers.surfaced !== 'nothing')),
    surfaced_right: share(queries.map(isSurfacedRight)),
    surfaced_wrong: share(queries.map(({ answers }) => answers.surfaced === 'wrong')),
    query_p50_ms: percentileEstimate(queryMs, 0.5),
    query_p95_ms: percentileEstimate(queryMs, 0.95),
    surface_p50_ms: percentileEstimate(surfaceMs, 0.5),
    surface_p95_ms: percentileEstimate(surfaceMs, 0.95),
    whole_p50_ms: percentileEstimate(wholeMs, 0.5),
    whole_p95_ms: percentileEstimate(wholeMs, 0.95),
    bytes: mean(queries.map(({ answers }) => answers.bytes)),
  };
}

export function reciprocalRanks(queries: readonly Trial[], arm: Arm): number[] {
  return queries.map(({ arms }) => 1 / (arms[arm].firstRight ?? Number.POSITIVE_INFINITY));
}

/** 1 for a question whose right document is among the first `most`, else 0. */
export function hits(queries: readonly Trial[], arm: Arm, most: number): number[] {
  return queries.map(({ arms }) => Number(isWithin(arms[arm].firstRight, most)));
}

/** 1 where a document that must not come is among the first `most`, else 0. */
export function violations(forbidden: readonly Trial[], arm: Arm, most: number): number[] {
  return forbidden.map(({ arms }) => Number(isWithin(arms[arm].forbidden, most)));
}

function tops(trials: readonly Trial[], arm: Arm): number[] {
  return trials.map(({ arms }) => arms[arm].top);
}

function rankFigures(queries: readonly Trial[], arm: Arm): Figures {
  return {
    hit1: share(hits(queries, arm, 1).map(Boolean)),
    hit5: share(hits(queries, arm, 5).map(Boolean)),
    mrr10: mean(reciprocalRanks(queries, arm)),
  };
}

function isWithin(place: number | null, most: number): boolean {
  return place !== null && place <= most;
}

function surfaceTop(trial: Trial): number {
  return trial.surfaceTop;
}

function isSurfacedRight({ answers }: Trial): boolean {
  return answers.surfaced === 'right';
}
