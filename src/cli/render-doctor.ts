import type { DoctorReport } from './doctor/examine.ts';
import type { DoctorFinding } from './doctor/finding.ts';
import { oneLine, renderTable, type Style } from './render.ts';

const MOST_OF_A_KIND = 5;

/** What works, each finding with its way out, and what is good to know. */
export function renderDoctor({ findings, notes, trial, status }: DoctorReport, style: Style): string {
  return [
    renderTable([...trialRows(trial), ...statusRows(status)]),
    ...byKind(findings).map((ofKind) => renderKind(ofKind, style)),
    ...notes.map((note) => `${style.dim('note')}  ${oneLine(note)}\n`),
    findings.length === 0 ? 'clean\n' : '',
  ].join('');
}

function trialRows(trial: DoctorReport['trial']): string[][] {
  const done = trial.filter(({ problem }) => problem === null).map(({ step }) => step);
  return done.length === 0 ? [] : [['a memory of its own', `${done.join(', ')}: work`]];
}

function statusRows(status: DoctorReport['status']): string[][] {
  if (status === null) return [];
  const { root, schema, directories, watcher, vectors } = status;
  return [
    ['root', root],
    ['schema', String(schema)],
    ...directories.map(({ directory, files, rows }) => [directory, `${files} files, ${rows} rows`]),
    ['vectors', vectors.isOn ? `${vectors.ready} of ${vectors.model}` : 'off by choice'],
    ['watcher', watcher === null ? 'none' : `${watcher.command} (process ${watcher.pid}), ${watcher.mode}`],
  ];
}

function byKind(findings: readonly DoctorFinding[]): DoctorFinding[][] {
  const kinds = new Map<string, DoctorFinding[]>();
  for (const finding of findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), finding]);
  return [...kinds.values()];
}

function renderKind(findings: readonly DoctorFinding[], style: Style): string {
  const shown = findings.slice(0, MOST_OF_A_KIND);
  const lines = shown.map(
    ({ kind, subject, message }) => `${style.yellow(kind)}  ${oneLine(subject)}: ${oneLine(message)}\n`,
  );
  if (findings.length > shown.length)
    lines.push(`... ${findings.length - shown.length} more of this kind, see --json\n`);
  const steps = new Set(shown.map(({ next }) => `  next: ${oneLine(next)}\n`));
  return [...lines, ...steps].join('');
}
