import { EngramError } from '../../errors.ts';
import type { CommandContext, CommandDefinition } from '../context.ts';

interface QueryOptions {
  readonly type?: string;
  readonly limit?: string;
  readonly allProjects?: boolean;
  readonly archived?: boolean;
  readonly explain?: boolean;
}

const NOTHING_FOUND = 3;

export const query: CommandDefinition = (parent, context) =>
  parent
    .command('query')
    .description('Find the memories that apply to a situation')
    .argument('<text...>', 'the situation or question; - reads it from stdin')
    .option('--type <type>', 'feedback or fact only')
    .option('--limit <n>', 'at most this many hits, 1 to 100')
    .option('--all-projects', 'memories of other projects too')
    .option('--archived', 'archived memories too, marked')
    .option('--explain', 'take the relevance of each hit apart')
    .addHelpText(
      'after',
      `
Exit status: 0 with hits, 3 without.

Examples:
  $ engram query "about to regenerate the API client"
  $ engram query --json --limit 3 "adding a column to orders"`,
    )
    .action(async (words: readonly string[], options: QueryOptions) => {
      const [{ runQuery }, { renderAnswer, answerNotes }] = await Promise.all([
        import('../../search/query.ts'),
        import('../render-answer.ts'),
      ]);
      const text = words.length === 1 && words[0] === '-' ? await context.input() : words.join(' ');
      const type = parseType(options.type);
      const limit = parseLimit(options.limit) ?? (await context.config()).queryLimit.value;
      using engram = await context.engram();
      const { stale, missing } = await engram.refresh();
      const { store } = engram.context;
      const answer = runQuery(store, {
        text,
        project: await context.project(store),
        type,
        limit,
        allProjects: options.allProjects === true,
        archived: options.archived === true,
        explain: options.explain === true,
        without: missing,
        stale,
        degraded: store.readOnly ? ['read_only'] : [],
      });
      await context.print(answer, renderAnswer);
      note(context, answerNotes(answer));
      if (answer.hits.length === 0) context.exitWith(NOTHING_FOUND);
    });

function note(context: CommandContext, lines: readonly string[]): void {
  for (const line of lines) context.note(line);
}

function parseType(text: string | undefined): 'feedback' | 'fact' | null {
  if (text === undefined || text === 'feedback' || text === 'fact') return text ?? null;
  throw new EngramError('usage', `unknown type ${JSON.stringify(text)}`, { hint: 'It is feedback or fact.' });
}

function parseLimit(text: string | undefined): number | null {
  if (text === undefined) return null;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 100) return limit;
  throw new EngramError('usage', `--limit must be a whole number from 1 to 100, not ${JSON.stringify(text)}`);
}
