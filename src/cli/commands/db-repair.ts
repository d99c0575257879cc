import { checkExit } from '../../sync/check.ts';
import { type RepairReport, repairStore } from '../../sync/repair.ts';
import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';
import { renderFindings } from '../render-findings.ts';

interface DbRepairOptions {
  readonly locks?: boolean;
  readonly undoHeld?: boolean;
}

export const dbRepair: CommandDefinition = (parent, context) =>
  parent
    .command('repair')
    .description('Put right what db check finds and needs no decision; edits no file, deletes no memory')
    .option('--locks', 'remove stale locks and temp files only')
    .option('--undo-held', 'bring back what held deletions name')
    .addHelpText(
      'after',
      `
The database is copied to backups/ first. Exit status: that of db check afterwards.

Examples:
  $ engram db repair
  $ engram db repair --undo-held`,
    )
    .action(async ({ locks, undoHeld }: DbRepairOptions) => {
      using engram = await context.engram();
      using progress = await context.progress('repairing');
      const report = repairStore(engram.context, { locksOnly: locks === true, undoHeld: undoHeld === true });
      // What came back has met its other side before the next command asks.
      if (undoHeld === true) await engram.sync();
      progress.end();
      await context.print(report, renderRepair);
      context.exitWith(checkExit(report.left));
    });

function renderRepair({ backup, repaired, undone, left }: RepairReport, style: Style): string {
  const restored = undone?.restored ?? [];
  const failed = undone?.failed ?? [];
  const nothing = repaired.length === 0 && restored.length === 0 && failed.length === 0;
  return [
    nothing ? 'nothing to repair\n' : '',
    renderTable(repaired.map(({ kind, subject }) => ['repaired', kind, subject])),
    renderTable(restored.map(({ name, side }) => ['brought back', side, name])),
    ...failed.map(({ name, reason }) => `${style.red('failed')}  ${visible(name)}: ${visible(reason)}\n`),
    left.length === 0 ? '' : `left for you:\n${renderFindings(left)}`,
    backup === null ? '' : `${style.dim(`the database from before: ${visible(backup)}`)}\n`,
  ].join('');
}
