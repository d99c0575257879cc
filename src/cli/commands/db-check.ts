import { checkExit, checkStore } from '../../sync/check.ts';
import type { CommandDefinition } from '../context.ts';
import { renderFindings } from '../render-findings.ts';

export const dbCheck: CommandDefinition = (parent, context) =>
  parent
    .command('check')
    .description('Compare files, rows, indexes and counters by content; changes nothing')
    .addHelpText(
      'after',
      '\nExit status: 0 clean, 1 something was found, 6 the database is damaged.\n\nExample:\n  $ engram db check --json',
    )
    .action(async () => {
      using engram = await context.engramToRead();
      using progress = await context.progress('checking');
      const findings = checkStore(engram.context);
      progress.end();
      await context.print({ findings }, () => (findings.length === 0 ? 'clean\n' : renderFindings(findings)));
      context.exitWith(checkExit(findings));
    });
