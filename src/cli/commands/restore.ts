import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';

export const restore: CommandDefinition = (parent, context) =>
  parent
    .command('restore')
    .description('Bring an archived memory back, byte for byte')
    .argument('<name>', 'the archived memory')
    .addHelpText('after', '\nExample:\n  $ engram restore when-adding-a-column')
    .action(async (text: string) => {
      const learning = await import('../../learning/forget.ts');
      using engram = await context.engram();
      const name = await engram.find(text, 'archived');
      const record = learning.restore(engram.context, name);
      await context.print({ name, restored: true, record }, () => visible(`restored ${name}\n`));
    });
