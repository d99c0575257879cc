import { EngramError } from '../../errors.ts';
import type { ConflictRow } from '../../store/conflicts.ts';
import { visible } from '../../text/visible.ts';
import { conflictId } from '../conflict-id.ts';
import type { CommandDefinition } from '../context.ts';
import type { Style } from '../render.ts';

export const conflictsShow: CommandDefinition = (parent, context) =>
  parent
    .command('show')
    .description('Show both texts of a conflict, and what they had in common')
    .argument('<id>', 'number of the conflict')
    .addHelpText('after', '\nExample:\n  $ engram conflicts show 3')
    .action(async (text: string) => {
      const { findConflict } = await import('../../store/conflicts.ts');
      using engram = await context.engramToRead();
      await engram.refresh();
      const conflict = findConflict(engram.context.store.db, conflictId(text));
      if (conflict === null) {
        throw new EngramError('conflict.not-found', `there is no conflict ${text}`, {
          hint: 'See: engram conflicts list',
        });
      }
      await context.print(conflict, renderConflict);
    });

function renderConflict(conflict: ConflictRow, style: Style): string {
  const part = (title: string, value: string | null) => `${style.dim(title)}\n${visible(value ?? '(none)')}\n`;
  const state = conflict.resolution === null ? 'open' : `resolved: ${conflict.resolution}`;
  return [
    `${style.bold(visible(`${conflict.name}  ${conflict.field}`))}  ${state}\n`,
    part('before', conflict.base_value),
    part('file', conflict.file_value),
    part('db', conflict.row_value),
    conflict.resolution === null ? `take one: engram conflicts resolve ${conflict.id} --take file|db|FILE\n` : '',
  ].join('');
}
