import type { Measured } from './bars.ts';
import type { Figures } from './figures.ts';
import type { SetReport } from './set-report.ts';
import type { Estimate } from './statistics.ts';
import { ARMS } from './trials.ts';

const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/**
 * `page` with its figures replaced, which stand between two comments.
 *
 * @throws Error when the page has no such place
 */
export function withFigures(page: string, measured: Measured): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`no place for figures: the page has no "${BEGIN}" before "${END}"`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${renderFigures(measured)}\n\n${page.slice(end)}`;
}

function renderFigures({ plain, pooled, crowded, neutral }: Measured): string {
  const all = pooled === null ? plain : [...plain, pooled];
  const kinds = plain.flatMap(({ set, byKind }) =>
    Object.entries(byKind).map(([kind, figures]) => [`${set}, ${kind} (${figures.hit1?.n})`, figures] as const),
  );
  const parts = [
    heading('Order, arm by arm'),
    table(
      ['set (queries)', 'arm', 'hit@1', 'hit@5', 'MRR@10', 'recall@5', 'AUROC'],
      all.flatMap((report) => ARMS.map((arm) => [nameOf(report), arm, ...cells(report.arms[arm], ORDER)])),
    ),
    ...(kinds.length === 0 ? [] : [heading('Kinds of questions, fused'), kindTable(kinds)]),
    heading('The two policies'),
    table(
      ['set (with, without a right memory)', ...Object.keys(POLICIES)],
      all.map((report) => [
        `${report.set} (${report.n}, ${report.noMatchCount})`,
        ...cells(report.policies, Object.values(POLICIES)),
      ]),
    ),
    ...(crowded.length === 0 ? [] : [heading('Among 5,000 unrelated memories'), changeTable(plain, crowded)]),
    ...(neutral.length === 0 ? [] : [heading('With 60 neutral words in each question'), changeTable(plain, neutral)]),
  ];
  return parts.join('\n\n');
}

const ORDER = ['hit1', 'hit5', 'mrr10', 'recall5', 'auroc'];

const POLICIES = {
  '`query`: right among the first 5': 'shown_hit5',
  nothing: 'answered_nothing',
  'something where nothing is right': 'false_query',
  '`surface`: a right one': 'surfaced_right',
  'only wrong ones': 'surfaced_wrong',
  'something where nothing is right ': 'false_surface',
};

function kindTable(kinds: readonly (readonly [string, Figures])[]): string {
  const columns = ['hit1', 'hit5', 'mrr10', 'auroc', 'auroc_surface', 'surfaced_right'];
  return table(
    ['kind (queries)', 'hit@1', 'hit@5', 'MRR@10', 'AUROC, `query`', 'AUROC, `surface`', '`surface`: a right one'],
    kinds.map(([name, figures]) => [name, ...cells(figures, columns)]),
  );
}

/** Fused figures before and after a change of stores or questions. */
function changeTable(before: readonly SetReport[], after: readonly SetReport[]): string {
  const rows = after.flatMap((report, at) => {
    const was = before[at];
    if (was === undefined) return [];
    const pair = (pick: (one: SetReport) => Estimate | undefined) => `${short(pick(was))} to ${cell(pick(report))}`;
    return [
      [
        nameOf(report),
        pair(({ arms }) => arms.fused.hit1),
        pair(({ arms }) => arms.fused.hit5),
        pair(({ arms }) => arms.baseline.hit5),
        pair(({ policies }) => policies.surfaced_right),
        pair(({ policies }) => policies.false_surface),
      ],
    ];
  });
  return table(
    ['set (queries)', 'hit@1', 'hit@5', 'hit@5, baseline', '`surface`: a right one', 'false surfaces'],
    rows,
  );
}

function heading(text: string): string {
  return `### ${text}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.map((each) => each.trim()).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

function nameOf({ set, n }: SetReport): string {
  return `${set} (${n})`;
}

function cells(figures: Figures, names: readonly string[]): string[] {
  return names.map((name) => cell(figures[name]));
}

function cell(estimate: Estimate | undefined): string {
  if (estimate === undefined || Number.isNaN(estimate.value)) return '-';
  return `${short(estimate)} (${[estimate.low, estimate.high].map(threeDigits).join('-')})`;
}

function short(estimate: Estimate | undefined): string {
  return estimate === undefined ? '-' : threeDigits(estimate.value);
}

function threeDigits(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}
