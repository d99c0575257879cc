import type { QuarantineSummary, SyncReport, SyncStep } from '../sync/report.ts';
import { visible } from '../text/visible.ts';
import { renderTable, type Style } from './render.ts';

const MOST_STEPS = 40;

/** What a sync did, for a person: each step, then what was left alone with the way out, then one line of totals. */
export function renderSyncReport(report: SyncReport, style: Style): string {
  return [
    renderSteps(report),
    ...report.quarantined.map((entry) => `${style.red('quarantined')}  ${renderQuarantine(entry)}\n`),
    ...report.unreadable.map(({ path, reason }) => `${style.red('unreadable')}  ${visible(path)} (${reason})\n`),
    ...report.unfinished.map(
      ({ name, reason }) => `${style.yellow('later')}  ${visible(name)} (${reason}); run engram db sync again\n`,
    ),
    ...report.waiting.map(
      ({ name, reason }) =>
        `${style.yellow('waiting')}  ${visible(name)}: its row has changes that the file cannot take (${reason})\n`,
    ),
    renderHolds(report, style),
    renderConflicts(report, style),
    renderTotals(report),
  ].join('');
}

/** `path:line:column reason: message`, as an editor jumps to it. */
export function renderQuarantine({ path, line, column, reason, message }: QuarantineSummary): string {
  const place = line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`;
  return visible(`${path}${place} ${reason}: ${message}`);
}

function renderSteps({ steps }: SyncReport): string {
  const shown = steps.slice(0, MOST_STEPS).map(renderStep);
  const more = steps.length > MOST_STEPS ? [['...', `${steps.length - MOST_STEPS} more, see --json`]] : [];
  return shown.length === 0 ? '' : renderTable([...shown, ...more]);
}

function renderStep({ action, name, reason, other }: SyncStep): string[] {
  return [action, other === null ? name : `${name} -> ${other}`, reason];
}

function renderHolds({ heldDeletions }: SyncReport, style: Style): string {
  if (heldDeletions.length === 0) return '';
  const names = heldDeletions.slice(0, 5).map(({ name }) => visible(name));
  const more = heldDeletions.length > names.length ? ', ...' : '';
  return (
    `${style.yellow('held')}  ${heldDeletions.length} deletions (${heldDeletions[0]?.reason}): ${names.join(', ')}${more}\n` +
    '  archive them: engram db sync --allow-mass-delete; bring them back: engram db repair --undo-held\n'
  );
}

function renderConflicts({ openConflicts }: SyncReport, style: Style): string {
  return openConflicts === 0 ? '' : `${style.yellow('conflicts')}  ${openConflicts} open, see: engram conflicts list\n`;
}

function renderTotals(report: SyncReport): string {
  const counts = [
    [report.imported, 'imported'],
    [report.exported, 'exported'],
    [report.merged, 'merged'],
    [report.created, 'created'],
    [report.renamed, 'renamed'],
    [report.archived, 'archived'],
  ] as const;
  const done = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const verb = report.dryRun ? 'would be ' : '';
  const what = done.length === 0 ? 'nothing to do' : `${verb}${done.join(', ')}`;
  return `${report.filesChecked} files checked, ${what}\n`;
}
