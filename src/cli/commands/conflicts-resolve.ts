import { readFileSync, statSync } from 'node:fs';
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
  return { take: 'text', text: readText(take).replace(/\r?\n$/, '') };
}

const MOST_BYTES = 1 << 20;

function readText(path: string): string {
  try {
    // Asked first: reading a FIFO or a device may wait for ever.
    const stats = statSync(path);
    if (!stats.isFile()) throw unusable(path, 'is not a regular file');
    if (stats.size > MOST_BYTES) throw unusable(path, 'is larger than 1 MiB');
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof EngramError) throw error;
    const reason = systemErrorCode(error) ?? 'failed';
    const problem = reason.startsWith('ERR_ENCODING') ? 'is not UTF-8' : `cannot be read (${reason})`;
    throw unusable(path, problem, error);
  }
}

function unusable(path: string, problem: string, cause?: unknown): EngramError {
  return new EngramError('usage', `--take ${path}: ${problem}`, {
    hint: 'Take file, db, or the path of a file with the text.',
    cause,
  });
}
