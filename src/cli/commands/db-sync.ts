import { type SyncReport, syncExit } from '../../sync/report.ts';
import type { CommandDefinition } from '../context.ts';
import { embedBeside } from '../embed-progress.ts';
import { renderSyncReport } from '../render-sync-report.ts';

interface DbSyncOptions {
  readonly dryRun?: boolean;
  readonly allowMassDelete?: boolean;
}

export const dbSync: CommandDefinition = (parent, context) =>
  parent
    .command('sync')
    .description('Make the database and the memory files agree')
    .option('--dry-run', 'print the plan, change nothing')
    .option('--allow-mass-delete', 'archive what held deletions name')
    .addHelpText(
      'after',
      `
Exit status: 6 a file is quarantined, 1 an open conflict, a held deletion or an unreadable directory,
5 something was busy or half-written, 0 otherwise.

Examples:
  $ engram db sync
  $ engram db sync --dry-run --json`,
    )
    .action(async ({ dryRun, allowMassDelete }: DbSyncOptions) => {
      using engram = await context.engram();
      using progress = await context.progress('reading files');
      const report: SyncReport = await engram.sync({
        dryRun: dryRun === true,
        allowMassDelete: allowMassDelete === true,
        onProgress: progress.show,
      });
      progress.end();
      if (dryRun !== true) await embedBeside(engram, context);
      await context.print(report, renderSyncReport);
      context.exitWith(syncExit(report));
    });
