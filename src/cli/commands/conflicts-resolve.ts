import { readFileSync, statSync } from 'node:fs';
import { EngramError, systemErrorCode } from '../../errors.ts';
import type { Choice } from '../../learning/clashes.ts';
import type { Keep, Settlement } from '../../learning/settle-contradiction.ts';
import { visible } from '../../text/visible.ts';
import { conflictId } from '../conflict-id.ts';
import type { CommandDefinition } from '../context.ts';

export const conflictsResolve: CommandDefinition = (parent, context) =>
  parent
    .command('resolve')
    .description('Take one text of a conflict for both sides, or keep one of two memories that contradict')
    .argument('<id>', 'number of the conflict')
    .option('--take <which>', 'of two texts: file, db, or the path of a file with another text')
    .option('--keep <which>', 'of two memories: this (the newer one), other, or both; the one not kept is archived')
    .addHelpText(
      'after',
      '\nExamples:\n  $ engram conflicts resolve 3 --take db\n  $ engram conflicts resolve 3 --take ./text.txt' +
        '\n  $ engram conflicts resolve 4 --keep this',
    )
    .action(async (text: string, options: ResolveOptions) => {
      const id = conflictId(text);
      const decision = decisionOf(options);
      const [{ resolveClash }, { settleContradiction }] = await Promise.all([
        import('../../learning/clashes.ts'),
        import('../../learning/settle-contradiction.ts'),
      ]);
      using engram = await context.engram();
      await engram.refresh();
      if ('keep' in decision) {
        const settlement = settleContradiction(engram.context, id, decision.keep);
        await context.print(settlement, renderSettlement);
      } else {
        const resolution = resolveClash(engram.context, id, decision);
        await context.print(resolution, ({ name, field }) => visible(`resolved ${id}: ${name} ${field}\n`));
      }
    });

interface ResolveOptions {
  readonly take?: string;
  readonly keep?: string;
}

function decisionOf({ take, keep }: ResolveOptions): Choice | { readonly keep: Keep } {
  if (take !== undefined && keep === undefined) return choiceOf(take);
  if (take !== undefined || keep === undefined) {
    throw new EngramError('usage', 'give either --take or --keep', {
      hint: 'Run: engram conflicts resolve --help',
    });
  }
  if (keep === 'this' || keep === 'other' || keep === 'both') return { keep };
  throw new EngramError('usage', `--keep ${keep}: is none of this, other, both`, {
    hint: 'this is the newer memory; see: engram conflicts list',
  });
}

function renderSettlement({ id, name, other, archived }: Settlement): string {
  const kept = archived === null ? `${name} and ${other}` : archived === name ? other : name;
  const gone = archived === null ? '' : `, archived ${archived}`;
  return visible(`resolved ${id}: kept ${kept}${gone}\n`);
}

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
