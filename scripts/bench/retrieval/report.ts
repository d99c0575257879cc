import type { SetReport } from '../retrieval.ts';
import type { Estimate } from './statistics.ts';

/** The report for people: one table a set, each figure with its 95 % interval. */
export function renderReport(sets: readonly SetReport[]): string {
  return sets.map(renderSet).join('\n\n');
}

const COLUMNS = ['hit1', 'hit5', 'mrr10', 'recall5', 'auroc', 'must_not1', 'must_not5'];

function renderSet(set: SetReport): string {
  const columns = COLUMNS.filter((column) => column in set.fused);
  const rows = (['fused', 'words', 'meaning', 'fine', 'baseline'] as const).map((arm) =>
    [arm.padEnd(9), ...columns.map((column) => renderEstimate(set[arm][column]))].join(' '),
  );
  const { mrr10, hit5 } = set.against_baseline;
  return [
    `${set.set}: ${set.n} queries, ${set.no_match} without a match`,
    ['arm'.padEnd(9), ...columns.map((column) => column.padEnd(WIDTH))].join(' '),
    ...rows,
    `over baseline: MRR@10 ${signed(mrr10)}, hit@5 ${signed(hit5)}`,
    `policies: ${Object.entries(set.policies).map(renderPolicy).join(', ')}`,
  ].join('\n');
}

const WIDTH = 15;

function renderEstimate(estimate: Estimate | undefined): string {
  if (estimate === undefined || Number.isNaN(estimate.value)) return '-'.padEnd(WIDTH);
  return `${short(estimate.value)} ${short(estimate.low)}-${short(estimate.high)}`.padEnd(WIDTH);
}

function renderPolicy([name, figure]: [string, Estimate | number]): string {
  if (typeof figure === 'number') return `${name} ${Math.round(figure * 100) / 100}`;
  return `${name} ${short(figure.value)} (${short(figure.low)}-${short(figure.high)})`;
}

function signed({ value, low, high, verdict }: Estimate & { verdict: string }): string {
  const sign = (x: number) => `${x < 0 ? '-' : '+'}${short(Math.abs(x))}`;
  return `${sign(value)} (${sign(low)} to ${sign(high)}: ${verdict})`;
}

/** `.812`: three digits, no leading zero. */
function short(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(3).replace(/^0/, '');
}
