import type { CommandDefinition } from '../context.ts';
import { renderConflicts } from '../render-conflict.ts';

export const conflictsList: CommandDefinition = (parent, context) =>
  parent
    .command('list')
    .description('List texts that both sides changed, and memories that contradict each other')
    .option('--all', 'resolved ones too')
    .addHelpText('after', '\nExample:\n  $ engram conflicts list --json')
    .action(async ({ all }: { readonly all?: boolean }) => {
      const [{ listConflicts }, { shownConflict }] = await Promise.all([
        import('../../store/conflicts.ts'),
        import('../../learning/conflict-sides.ts'),
      ]);
      using engram = await context.engramToRead();
      await engram.refresh();
      const { db } = engram.context.store;
      const conflicts = listConflicts(db, { all: all === true }).map((conflict) => shownConflict(db, conflict));
      await context.print({ conflicts }, () =>
        conflicts.length === 0 ? 'no conflicts\n' : renderConflicts(conflicts),
      );
    });
