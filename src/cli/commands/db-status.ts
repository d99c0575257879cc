import type { EngramStatus } from '../../engram.ts';
import { SILENT_MS } from '../../files/heartbeat.ts';
import type { Count, StoreStatus } from '../../sync/status.ts';
import type { CommandDefinition } from '../context.ts';
import { notImportedText } from '../not-imported-text.ts';
import { phrase } from '../phrases.ts';
import { oneLine, renderTable, type Style } from '../render.ts';
import { renderQuarantine } from '../render-sync-report.ts';

export const dbStatus: CommandDefinition = (parent, context) =>
  parent
    .command('status')
    .description('Show what is there, what waits and what needs a person; changes nothing')
    .addHelpText('after', '\nExamples:\n  $ engram db status\n  $ engram db status --json')
    .action(async () => {
      using engram = await context.engramToRead();
      await context.print(await engram.status(), renderStatus);
    });

function renderStatus(status: EngramStatus, style: Style): string {
  const { directories, pending, index, lastCompleteRun } = status;
  const rows = [
    ['root', status.root],
    ['database', `${status.database === null ? 'in memory' : `inode ${status.database}`}, schema ${status.schema}`],
    ...directories.map(({ directory, files, rows: inDatabase, problem }) => [
      directory,
      `${files} files, ${inDatabase} rows${problem === null ? '' : ` (${problem})`}`,
    ]),
    ['pending', `${pending.files} files, ${pending.rows} rows`],
    ['quarantined', counted(status.quarantined)],
    ['notes', counted(status.notes)],
    ['conflicts', `${status.openConflicts} open`],
    ['held deletions', counted(status.holds)],
    ['unfinished', `${status.unfinishedWrites} writes`],
    ['index', `${index.lag} memories behind, ${index.orphans} orphans`],
    ['vectors', vectorsText(status.vectors)],
    ['last sync', renderRun(lastCompleteRun)],
    ['watcher', renderWatcher(status.watcher)],
  ];
  return [
    renderTable(rows),
    ...status.degraded.map((part) => `${style.yellow('degraded')}  ${oneLine(part)}\n`),
    ...(status.quarantined === 'unknown' ? [] : status.quarantined).map(
      (entry) => `${style.red('quarantined')}  ${renderQuarantine(entry)}\n`,
    ),
    ...(status.notes === 'unknown' ? [] : status.notes).map(
      ({ path, key, message }) =>
        `note  ${oneLine(key === null ? `${path}: ${message}` : `${path}: ${key}: ${message}`)}\n`,
    ),
    ...(status.waiting === 'unknown' ? [] : status.waiting).map(
      ({ name, path, keys, reason }) =>
        `${style.yellow('waiting')}  ${oneLine(`${name}: ${keys.join(', ')} (${phrase(reason)}: ${path})`)}\n`,
    ),
    ...(status.holds === 'unknown' ? [] : status.holds).map(
      ({ name, side, reason }) =>
        `${style.yellow('held')}  ${oneLine(name)}: its ${side} is missing (${phrase(reason)})\n`,
    ),
    ...(status.looping === 'unknown' ? [] : status.looping).map(
      (name) => `${style.yellow('looping')}  ${oneLine(name)}: something changes its file back each time\n`,
    ),
    ...(status.notImported === 'unknown' ? [] : status.notImported).map(
      (place) => `note  ${oneLine(notImportedText(place, status.root))}\n`,
    ),
    renderNextSteps(status),
  ].join('');
}

function vectorsText({ model, isOn, ready, missing, failed, unreadable }: EngramStatus['vectors']): string {
  if (!isOn) return 'off by choice';
  const others = [
    missing === 0 ? '' : `${missing} missing`,
    failed === 0 ? '' : `${failed} failed`,
    unreadable === 0 ? '' : `${unreadable} not readable for the model`,
  ].filter((part) => part !== '');
  return [`${ready} of ${model}`, ...others].join(', ');
}

function counted(list: readonly unknown[] | 'unknown'): string {
  return list === 'unknown' ? 'unknown' : String(list.length);
}

function renderRun(run: StoreStatus['lastCompleteRun']): string {
  if (run === 'unknown') return 'unknown';
  return run === null ? 'never' : `${run.at} by ${run.origin}`;
}

function renderWatcher(watcher: StoreStatus['watcher']): string {
  if (watcher === null) return 'none';
  const { command, pid, mode, heartbeatAgeMs } = watcher;
  const age = heartbeatAgeMs < SILENT_MS ? '' : `, silent for ${Math.round(heartbeatAgeMs / 1000)} s`;
  return `${oneLine(command)} (process ${pid}), ${mode}${age}`;
}

function renderNextSteps({ pending, openConflicts, holds }: StoreStatus): string {
  const waits = (count: Count) => count !== 'unknown' && count > 0;
  const steps = [
    waits(pending.files) || waits(pending.rows) ? 'engram db sync' : null,
    waits(openConflicts) ? 'engram conflicts list' : null,
    holds !== 'unknown' && holds.length > 0
      ? 'engram db sync --allow-mass-delete (archive), or engram db repair --undo-held (bring back)'
      : null,
  ];
  return steps
    .filter((step) => step !== null)
    .map((step) => `next: ${step}\n`)
    .join('');
}
