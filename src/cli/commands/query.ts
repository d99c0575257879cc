import { findSecrets } from '../../text/secrets.ts';
import type { CommandDefinition } from '../context.ts';
import { parseType, parseWhole } from '../given-options.ts';

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
      const { renderAnswer, answerNotes } = await import('../render-answer.ts');
      const text = words.length === 1 && words[0] === '-' ? await context.input({ cut: true }) : words.join(' ');
      const type = parseType(options.type);
      const limit = parseWhole('--limit', options.limit, 1, 100) ?? (await context.config()).queryLimit.value;
      using engram = await context.engramToRead();
      await engram.anticipate(text);
      const { stale, missing } = await engram.refresh();
      const { store } = engram.context;
      const answer = await engram.query({
        text,
        project: await context.project(store),
        type,
        limit,
        allProjects: options.allProjects === true,
        archived: options.archived === true,
        explain: options.explain === true,
        without: missing,
        stale,
        degraded: engram.degraded,
      });
      await context.print(answer, renderAnswer);
      for (const line of answerNotes(answer)) context.note(line);
      if (findSecrets(text).length > 0) context.note('the text seems to hold a secret, which was left out');
      if (answer.abstained === 'nothing_stored') {
        const [{ listNotImported }, { notImportedText }] = await Promise.all([
          import('../../sync/not-imported.ts'),
          import('../not-imported-text.ts'),
        ]);
        const { paths } = engram.context;
        for (const place of listNotImported(engram.context)) context.note(notImportedText(place, paths.root));
      }
      if (answer.hits.length === 0) context.exitWith(NOTHING_FOUND);
    });
