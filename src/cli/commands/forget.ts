import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';

export const forget: CommandDefinition = (parent, context) =>
  parent
    .command('forget')
    .description('Archive a memory; engram restore brings it back')
    .argument('<name>', 'the memory')
    .addHelpText('after', '\nExample:\n  $ engram forget when-adding-a-column')
    .action(async (text: string) => {
      const learning = await import('../../learning/forget.ts');
      using engram = await context.engram();
      const name = await engram.find(text);
      learning.forget(engram.context, name);
      await context.print({ name, archived: true }, () =>
        visible(`archived ${name}\n  undo: engram restore ${name}\n`),
      );
    });
