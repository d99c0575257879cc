import { rebuildEngram } from '../../engram.ts';
import type { RebuildReport } from '../../sync/rebuild.ts';
import { syncExit } from '../../sync/report.ts';
import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';
import { renderSyncReport } from '../render-sync-report.ts';

export const dbRebuild: CommandDefinition = (parent, context) =>
  parent
    .command('rebuild')
    .description('Make rows and indexes anew from the files; a damaged database is moved aside')
    .addHelpText(
      'after',
      `
A readable database keeps its history, archive and conflicts, and what its rows hold beyond the files is written to them
first. Dropped views, triggers and
indexes are made anew in place. A damaged one moves to backups/. Exit status: that of db sync.

Example:
  $ engram db rebuild`,
    )
    .action(async () => {
      const { dataDir } = await context.config();
      using progress = await context.progress('rebuilding');
      const report = await rebuildEngram({ root: dataDir.value, origin: 'cli' });
      progress.end();
      await context.print(report, renderRebuild);
      context.exitWith(syncExit(report.sync));
    });

const MEANING: Readonly<Record<string, string>> = {
  history: 'earlier texts',
  archive: 'deleted memories',
  conflicts: 'conflicts',
  outcome_events: 'single counts (the sums are in the files)',
  project_bindings: 'projects of repositories (found anew)',
  project_aliases: 'aliases of projects',
  changes: 'changes of rows that were not written to files',
};

function renderRebuild(report: RebuildReport, style: Style): string {
  const { kind, backup, memories, keptInHistory, lost, remade, salvaged } = report;
  const done =
    kind === 'refilled'
      ? `rows and indexes of ${memories} memories made anew\n${style.dim(`the database from before: ${visible(backup)}`)}\n`
      : `a new database with ${memories} memories\n${style.yellow('damaged')}  the old one is ${visible(backup)}\n`;
  return [
    renderSyncReport(report.sync, style),
    done,
    remade.length === 0 ? '' : `made anew, since somebody had dropped them: ${remade.join(', ')}\n`,
    ...keptInHistory.map(
      (name) => `${style.yellow('history')}  ${visible(name)}: its row said more than its file can take\n`,
    ),
    salvaged.length === 0 ? '' : 'moved over from the old database:\n',
    renderTable(salvaged.map(({ table, rows }) => [`  ${rows}`, MEANING[table] ?? table])),
    lost.length === 0 ? '' : 'only the old database held:\n',
    renderTable(lost.map(({ table, rows }) => [`  ${rows}`, MEANING[table] ?? table])),
  ].join('');
}
