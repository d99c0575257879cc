import { EngramError } from '../../errors.ts';
import type { CommandDefinition } from '../context.ts';
import { parseWhole } from '../given-options.ts';

interface RelatedOptions {
  readonly limit?: string;
  readonly allProjects?: boolean;
  readonly explain?: boolean;
}

const NOTHING_FOUND = 3;

export const related: CommandDefinition = (parent, context) =>
  parent
    .command('related')
    .description('Find the memories near one memory')
    .argument('<name>', 'the memory')
    .option('--limit <n>', 'at most this many, 1 to 100')
    .option('--all-projects', 'memories of other projects too')
    .option('--explain', 'take the relevance of each hit apart')
    .addHelpText(
      'after',
      '\nExit status: 0 with hits, 3 without.\n\nExample:\n  $ engram related when-regenerating-the-api-client',
    )
    .action(async (text: string, options: RelatedOptions) => {
      const [{ refuseBadRow }, { presentRecord }, { findRow }, { resolveName }, { renderAnswer, answerNotes }] =
        await Promise.all([
          import('../../sync/bad-row.ts'),
          import('../../sync/present-record.ts'),
          import('../../store/memories.ts'),
          import('../../store/name-lookup.ts'),
          import('../render-answer.ts'),
        ]);
      const limit = parseWhole('--limit', options.limit, 1, 100) ?? (await context.config()).queryLimit.value;
      using engram = await context.engramToRead();
      const { stale, missing } = await engram.refresh();
      const { store } = engram.context;
      const name = resolveName(store.db, text);
      const row = findRow(store.db, name);
      if (row === null || missing.includes(name)) {
        throw new EngramError('memory.not-found', `${name}: its file is gone`, { hint: 'Run: engram db sync' });
      }
      refuseBadRow(store.db, name);
      const answer = await engram.related(
        { name, record: presentRecord(store.db, name) },
        {
          project: await context.project(store),
          limit,
          allProjects: options.allProjects === true,
          explain: options.explain === true,
          without: missing,
          stale,
          degraded: engram.degraded,
        },
      );
      await context.print(answer, renderAnswer);
      for (const line of answerNotes(answer)) context.note(line);
      if (answer.hits.length === 0) context.exitWith(NOTHING_FOUND);
    });
