import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';

export const restore: CommandDefinition = (parent, context) =>
  parent
    .command('restore')
    .description('Bring an archived memory back, byte for byte')
    .argument('<name>', 'the archived memory')
    .addHelpText('after', '\nExample:\n  $ engram restore when-adding-a-column')
    .action(async (text: string) => {
      const [learning, { resolveName }] = await Promise.all([
        import('../../learning/forget.ts'),
        import('../../store/name-lookup.ts'),
      ]);
      using engram = await context.engram();
      await engram.refresh();
      const name = resolveName(engram.context.store.db, text, 'archived');
      const record = learning.restore(engram.context, name);
      await context.print({ name, restored: true, record }, () => visible(`restored ${name}\n`));
    });
