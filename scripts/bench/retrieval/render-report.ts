import { meanOverSets, type Verdict } from './bars.ts';
import type { Figures } from './figures.ts';
import type { SetReport } from './set-report.ts';
import type { Estimate } from './statistics.ts';
import { ARMS } from './trials.ts';

/** The report of one set for people: each figure with its 95 % interval. */
export function renderReport(report: SetReport): string {
  const { arms, byKind, policies, overBaseline } = report;
  const lines = [
    `${report.set}: ${report.n} queries, ${report.noMatchCount} without a match`,
    renderTable(
      'arm',
      ARMS.map((arm) => [arm, arms[arm]] as const),
    ),
  ];
  const kinds = Object.entries(byKind).map(([kind, figures]) => [`${kind} (${figures.hit1?.n})`, figures] as const);
  if (kinds.length > 0) lines.push(renderTable('kind, fused', kinds));
  const { mrr10, hit5 } = overBaseline;
  lines.push(`fused over baseline: MRR@10 ${renderDifference(mrr10)}, hit@5 ${renderDifference(hit5)}`);
  const [shares, sizes] = [/^(?!.*_ms$|bytes$)/, /_ms$|^bytes$/].map((pattern) =>
    Object.entries(policies).filter(([name]) => pattern.test(name)),
  );
  lines.push(`policies: ${(shares ?? []).map(([name, one]) => `${name} ${renderShare(one)}`).join(', ')}`);
  lines.push(`costs: ${(sizes ?? []).map(([name, one]) => `${name} ${renderSize(one)}`).join(', ')}`);
  return lines.join('\n');
}

/** What a change of the stores or questions did to the answers (SE-69). */
export function renderChange(label: string, before: SetReport, after: SetReport): string {
  const change = (name: string, a: Estimate | undefined, b: Estimate | undefined) =>
    a === undefined || b === undefined ? '' : `${name} ${short(a.value)} to ${short(b.value)} (${interval(b)})`;
  const slower = (name: string) => {
    const [a, b] = [before.policies[name], after.policies[name]];
    return a === undefined || b === undefined ? '' : `${name} ${renderNumber(a.value)} to ${renderNumber(b.value)}`;
  };
  const parts = [
    change('hit1', before.arms.fused.hit1, after.arms.fused.hit1),
    change('hit5', before.arms.fused.hit5, after.arms.fused.hit5),
    change('baseline hit5', before.arms.baseline.hit5, after.arms.baseline.hit5),
    change('surfaced_right', before.policies.surfaced_right, after.policies.surfaced_right),
    change('false_surface', before.policies.false_surface, after.policies.false_surface),
    slower('query_p50_ms'),
    slower('query_p95_ms'),
    slower('surface_p50_ms'),
  ];
  return `${label}: ${parts.filter((part) => part !== '').join(', ')}`;
}

/** Each set counts once, whatever its size. */
export function meansOf(reports: readonly SetReport[]): string {
  const mean = (name: string) => short(meanOverSets(reports, name));
  return `mean of sets with a no-match side: surfaced_right ${mean('surfaced_right')}, false_surface ${mean('false_surface')}, false_query ${mean('false_query')}`;
}

/** One line a bar, and how many were missed; empty without bars. */
export function renderVerdicts(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return '';
  const width = Math.max(...verdicts.map(({ what }) => what.length));
  const lines = verdicts.map(
    ({ what, figure, comparison, bar, passed }) =>
      `${passed ? 'pass  ' : 'MISSED'} ${what.padEnd(width)}  ${short(figure)} ${comparison} ${short(bar)}`,
  );
  const missed = verdicts.filter(({ passed }) => !passed).length;
  return [
    ...lines,
    missed === 0 ? `all ${verdicts.length} bars passed` : `${missed} of ${verdicts.length} bars MISSED`,
  ].join('\n');
}

/** `.812`: three digits, no leading zero. */
function short(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(3).replace(/^(-?)0/, '$1');
}

const WIDTH = 18;

function renderTable(corner: string, rows: readonly (readonly [string, Figures])[]): string {
  const columns = Object.keys(rows[0]?.[1] ?? {});
  const first = Math.max(corner.length, ...rows.map(([name]) => name.length)) + 1;
  const render = (name: string, cells: readonly string[]) =>
    [name.padEnd(first), ...cells.map((cell) => cell.padEnd(WIDTH))].join('').trimEnd();
  return [
    render(corner, columns),
    ...rows.map(([name, figures]) =>
      render(
        name,
        columns.map((column) => renderCell(figures[column])),
      ),
    ),
  ].join('\n');
}

function renderCell(estimate: Estimate | undefined): string {
  if (estimate === undefined || Number.isNaN(estimate.value)) return '-';
  return `${short(estimate.value)} ${interval(estimate)}`;
}

function renderShare(estimate: Estimate): string {
  return `${short(estimate.value)} (${interval(estimate)})`;
}

function renderSize({ value, low, high }: Estimate): string {
  return `${renderNumber(value)} (${renderNumber(low)}-${renderNumber(high)})`;
}

function renderNumber(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(value < 100 ? 1 : 0);
}

function renderDifference({ value, low, high, verdict }: Estimate & { readonly verdict: string }): string {
  const signed = (x: number) => `${x < 0 ? '' : '+'}${short(x)}`;
  return `${signed(value)} (${signed(low)} to ${signed(high)}: ${verdict})`;
}

function interval({ low, high }: Estimate): string {
  return `${short(low)}-${short(high)}`;
}
