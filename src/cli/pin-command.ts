import { visible } from '../text/visible.ts';
import type { CommandDefinition } from './context.ts';

/** `pin` and `unpin` differ in one word each. */
export function pinCommand(pin: boolean): CommandDefinition {
  const word = pin ? 'pin' : 'unpin';
  return (parent, context) =>
    parent
      .command(word)
      .description(pin ? 'Make a memory core, for good' : 'Take a memory out of the core, for good')
      .argument('<name>', 'the memory')
      .addHelpText('after', `\nExample:\n  $ engram ${word} when-regenerating-the-api-client`)
      .action(async (text: string) => {
        const { setPinned } = await import('../learning/edit.ts');
        using engram = await context.engram();
        const outcome = setPinned(engram.context, await engram.find(text), pin);
        const said = outcome.changed ? `${word}ned` : `was ${word}ned already:`;
        await context.print(outcome, ({ name }) => visible(`${said} ${name}\n`));
      });
}
