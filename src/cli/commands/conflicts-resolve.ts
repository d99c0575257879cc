import { readFileSync } from 'node:fs';
import { EngramError, systemErrorCode } from '../../errors.ts';
import type { Choice } from '../../learning/clashes.ts';
import { visible } from '../../text/visible.ts';
import { conflictId } from '../conflict-id.ts';
import type { CommandDefinition } from '../context.ts';

export const conflictsResolve: CommandDefinition = (parent, context) =>
  parent
    .command('resolve')
    .description('Take one text of a conflict for both sides')
    .argument('<id>', 'number of the conflict')
    .requiredOption('--take <which>', 'file, db, or the path of a file with another text')
    .addHelpText(
      'after',
      '\nExamples:\n  $ engram conflicts resolve 3 --take db\n  $ engram conflicts resolve 3 --take ./text.txt',
    )
    .action(async (text: string, { take }: { readonly take: string }) => {
      const id = conflictId(text);
      const choice = choiceOf(take);
      const { resolveClash } = await import('../../learning/clashes.ts');
      using engram = await context.engram();
      await engram.refresh();
      const resolution = resolveClash(engram.context, id, choice);
      await context.print(resolution, ({ name, field }) => visible(`resolved ${id}: ${name} ${field}\n`));
    });

function choiceOf(take: string): Choice {
  if (take === 'file' || take === 'db') return { take };
  try {
    return { take: 'text', text: readFileSync(take, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    throw new EngramError('usage', `--take ${take}: cannot be read (${systemErrorCode(error) ?? 'failed'})`, {
      hint: 'Take file, db, or the path of a file with the text.',
      cause: error,
    });
  }
}
