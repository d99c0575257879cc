import { EngramError } from '../../errors.ts';
import { conflictId } from '../conflict-id.ts';
import type { CommandDefinition } from '../context.ts';
import { renderConflict } from '../render-conflict.ts';

export const conflictsShow: CommandDefinition = (parent, context) =>
  parent
    .command('show')
    .description('Show both texts of a conflict and what they had in common, or both memories')
    .argument('<id>', 'number of the conflict')
    .addHelpText('after', '\nExample:\n  $ engram conflicts show 3')
    .action(async (text: string) => {
      const [{ findConflict }, { shownConflict }] = await Promise.all([
        import('../../store/conflicts.ts'),
        import('../../learning/conflict-sides.ts'),
      ]);
      using engram = await context.engramToRead();
      await engram.refresh();
      const { db } = engram.context.store;
      const conflict = findConflict(db, conflictId(text));
      if (conflict === null) {
        throw new EngramError('conflict.not-found', `there is no conflict ${text}`, {
          hint: 'See: engram conflicts list',
        });
      }
      await context.print(shownConflict(db, conflict), renderConflict);
    });
