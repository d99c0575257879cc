import type { QuarantineSummary, SyncReport, SyncStep } from '../sync/report.ts';
import { phrase } from './phrases.ts';
import { oneLine, renderTable, type Style } from './render.ts';

const MOST_STEPS = 40;

/** What a sync did, for a person: each step, then what was left alone with the way out, then one line of totals. */
export function renderSyncReport(report: SyncReport, style: Style): string {
  return [
    report.readOnly ? '' : renderSteps(report),
    ...report.quarantined.map((entry) => `${style.red('quarantined')}  ${renderQuarantine(entry)}\n`),
    ...report.unreadable.map(
      ({ path, reason }) =>
        `${style.red('unreadable')}  ${oneLine(path)}: cannot be read (${reason}); check its permissions\n`,
    ),
    ...report.unwritable.map(
      ({ name, reason }) => `${style.red('unwritable')}  ${oneLine(name)}: ${oneLine(reason)}; check its permissions\n`,
    ),
    ...report.unfinished.map(
      ({ name, reason }) => `${style.yellow('later')}  ${oneLine(name)}: ${phrase(reason)}; run engram db sync again\n`,
    ),
    ...report.waiting.map(
      ({ name, reason }) =>
        `${style.yellow('waiting')}  ${oneLine(name)}: its row has changes that the file cannot take: ${phrase(reason)}\n`,
    ),
    renderHolds(report, style),
    renderConflicts(report, style),
    renderTotals(report),
  ].join('');
}

/** `path:line:column reason: message`, as an editor jumps to it. */
export function renderQuarantine({ path, line, column, reason, message }: QuarantineSummary): string {
  const place = line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`;
  return oneLine(`${path}${place} ${reason}: ${message}`);
}

function renderSteps({ steps }: SyncReport): string {
  // Held deletions have a block of their own below.
  const told = steps.filter(({ action }) => action !== 'hold');
  const shown = told.slice(0, MOST_STEPS).map(renderStep);
  const more = told.length > MOST_STEPS ? [['...', `${told.length - MOST_STEPS} more, see --json`]] : [];
  return shown.length === 0 ? '' : renderTable([...shown, ...more]);
}

function renderStep({ action, name, reason, other }: SyncStep): string[] {
  if (reason === 'stale-buffer') {
    return [action, name, `an older version of ${name} was saved; what came since was kept: engram history ${name}`];
  }
  if (reason === 'duplicate-of') return [action, name, `${phrase(reason)} ${other}`];
  return [action, other === null ? name : `${name} -> ${other}`, phrase(reason)];
}

function renderHolds({ heldDeletions }: SyncReport, style: Style): string {
  if (heldDeletions.length === 0) return '';
  const names = heldDeletions.slice(0, 5).map(({ name }) => oneLine(name));
  const more = heldDeletions.length > names.length ? ', ...' : '';
  return (
    `${style.yellow('held')}  ${heldDeletions.length} deletions (${phrase(heldDeletions[0]?.reason ?? '')}): ${names.join(', ')}${more}\n` +
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
  if (report.readOnly) {
    return `${report.filesChecked} files checked, read-only: compared with an index in memory, nothing was stored\n`;
  }
  const verb = report.dryRun ? 'would be ' : '';
  const what = done.length === 0 ? 'nothing to do' : `${verb}${done.join(', ')}`;
  return `${report.filesChecked} files checked, ${what}\n`;
}
