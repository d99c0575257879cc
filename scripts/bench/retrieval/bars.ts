import type { Figures } from './figures.ts';
import type { SetReport } from './set-report.ts';
import type { Estimate } from './statistics.ts';

/** One demand on the figures; what was not measured is not judged. */
export interface Verdict {
  readonly what: string;
  readonly figure: number;
  readonly comparison: 'at least' | 'at most' | 'above';
  readonly bar: number;
  readonly passed: boolean;
}

/** What one run has measured: the sets as they are, crowded, and with neutral words; empty where it was not asked for. */
export interface Measured {
  readonly plain: readonly SetReport[];
  readonly pooled: SetReport | null;
  readonly crowded: readonly SetReport[];
  readonly neutral: readonly SetReport[];
}

/** Sets whose false surfaces are bounded; devmembench asks about the very things that were recorded. */
export const BOUNDED_SETS: readonly string[] = ['skilltrig', 'clinc150', 'intents'];

/** Order and abstention on the development sets: `[set, figure, bar]`. */
const DEVELOPMENT_BARS = [
  ['skilltrig', 'hit1', 0.76],
  ['skilltrig', 'hit5', 0.93],
  ['skilltrig', 'mrr10', 0.83],
  ['skilltrig', 'auroc', 0.86],
  ['clinc150', 'hit1', 0.85],
  ['clinc150', 'hit5', 0.975],
  ['clinc150', 'auroc', 0.97],
  ['devmembench', 'hit1', 0.86],
  ['devmembench', 'hit5', 0.985],
  ['devmembench', 'auroc', 0.87],
  ['intents', 'hit1', 0.78],
  ['intents', 'hit5', 0.95],
  ['intents', 'mrr10', 0.85],
] as const;

/** The set whose order is judged among thousands of other memories. */
const CROWDED_SET = 'skilltrig';

/** The same for kinds of intents; the bars' own prototype was measured by the relevance of the whole text. */
const INTENT_BARS = [
  ['long', 'hit1', 0.8],
  ['long', 'auroc', 0.8],
  ['near', 'auroc', 0.98],
  ['paraphrase', 'hit5', 0.87],
] as const;

/** The bars on whichever of the development sets were measured. */
export function developmentVerdicts({ plain, crowded, neutral }: Measured): Verdict[] {
  const reportOf = (name: string) => plain.find(({ set }) => set === name);
  const intents = reportOf('intents');
  const skills = crowded.find(({ set }) => set === CROWDED_SET);
  return [
    ...DEVELOPMENT_BARS.flatMap(([set, name, bar]) => barOn(set, reportOf(set)?.arms.fused, name, bar)),
    ...INTENT_BARS.flatMap(([kind, name, bar]) => barOn(`intents, ${kind}`, intents?.byKind[kind], name, bar)),
    ...surfaceVerdicts(plain, neutral),
    ...barOn('skilltrig, crowded', skills?.arms.fused, 'hit1', 0.68),
    ...barOn('skilltrig, crowded', skills?.arms.fused, 'hit5', 0.84),
  ];
}

/** The gate of SE-68: the fused result against the baseline on every set, and against everything on all together. */
export function gateVerdicts({ plain, pooled }: Measured): Verdict[] {
  const verdicts = plain.flatMap(({ set, overBaseline: { mrr10, hit5 } }) => [
    // Not below beyond the interval: the upper end of the difference is not below zero.
    verdict(`${set}: MRR@10 over baseline, upper end`, mrr10.high, 'at least', 0),
    verdict(`${set}: hit@5 over baseline, upper end`, hit5.high, 'at least', 0),
  ]);
  if (pooled === null) return verdicts;
  const { fused, baseline } = pooled.arms;
  const arms = Object.entries(pooled.overArms).map(([arm, { high }]) =>
    verdict(`pooled: MRR@10 over ${arm}, upper end`, high, 'at least', 0),
  );
  return [
    ...verdicts,
    verdict('pooled: MRR@10 over baseline, lower end', pooled.overBaseline.mrr10.low, 'above', 0),
    verdict('pooled: hit@5 over baseline, lower end', pooled.overBaseline.hit5.low, 'above', 0),
    ...arms,
    ...aurocVerdict(fused.auroc, baseline.auroc),
    ...(['must_not1', 'must_not5'] as const)
      .filter((name) => pooled.overBaseline[name].n > 0)
      .map((name) => verdict(`pooled: ${name} over baseline, lower end`, pooled.overBaseline[name].low, 'at most', 0)),
  ];
}

/** A policy's figure, meant over those sets that have a no-match side. */
export function meanOverSets(reports: readonly SetReport[], name: string): number {
  const withNoMatch = reports.filter(({ noMatchCount }) => noMatchCount > 0);
  const values = withNoMatch.map(({ policies }) => policies[name]?.value ?? Number.NaN);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function surfaceVerdicts(plain: readonly SetReport[], neutral: readonly SetReport[]): Verdict[] {
  const bounded = plain.filter(({ set }) => BOUNDED_SETS.includes(set));
  if (bounded.length < BOUNDED_SETS.length) return [];
  const rate = meanOverSets(plain, 'surfaced_right');
  const loss = rate - meanOverSets(neutral, 'surfaced_right');
  return [
    verdict('right surfaces, mean of sets', rate, 'at least', 0.62),
    verdict('false surfaces, mean of three sets', meanOverSets(bounded, 'false_surface'), 'at most', 0.02),
    ...bounded.map((report) =>
      verdict(`false surfaces, ${report.set}`, meanOverSets([report], 'false_surface'), 'at most', 0.05),
    ),
    ...(neutral.length === plain.length
      ? [verdict('right surfaces lost by neutral words', loss, 'at most', 0.05)]
      : []),
  ];
}

function barOn(what: string, figures: Figures | undefined, name: string, bar: number): Verdict[] {
  const figure = figures?.[name]?.value;
  return figure === undefined ? [] : [verdict(`${what}: ${name}`, figure, 'at least', bar)];
}

function aurocVerdict(ours: Estimate | undefined, theirs: Estimate | undefined): Verdict[] {
  if (ours === undefined || theirs === undefined || Number.isNaN(theirs.value)) return [];
  return [verdict("pooled: AUROC, lower end, against the baseline's", ours.low, 'above', theirs.value)];
}

function verdict(what: string, figure: number, comparison: Verdict['comparison'], bar: number): Verdict {
  const passed = comparison === 'at least' ? figure >= bar : comparison === 'at most' ? figure <= bar : figure > bar;
  return { what, figure, comparison, bar, passed };
}
