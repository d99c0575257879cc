import type { MemoryType } from '../../memory/record.ts';
import type { CommandDefinition } from '../context.ts';
import { parseType } from '../given-options.ts';
import { renderTable } from '../render.ts';

interface ListOptions {
  readonly type?: string;
  readonly core?: boolean;
  readonly allProjects?: boolean;
  readonly archived?: boolean;
}

interface ListedMemory {
  readonly name: string;
  readonly type: string;
  readonly situation: string;
  readonly core: boolean;
  readonly needs_review: boolean;
  readonly project: string | null;
  readonly archived: boolean;
}

export const list: CommandDefinition = (parent, context) =>
  parent
    .command('list')
    .description('List the memories that apply here')
    .option('--type <type>', 'feedback or fact only')
    .option('--core', 'core memories only')
    .option('--all-projects', 'those of other projects too')
    .option('--archived', 'what was forgotten, removed or superseded, instead of what is live')
    .addHelpText('after', '\nExamples:\n  $ engram list --core\n  $ engram list --archived --json')
    .action(async (options: ListOptions) => {
      const type = parseType(options.type);
      using engram = await context.engramToRead();
      const { stale, missing } = await engram.refresh();
      const { store } = engram.context;
      const memories =
        options.archived === true
          ? (await archivedMemories(store.db)).filter(
              (memory) => (type === null || memory.type === type) && (options.core !== true || memory.core),
            )
          : await liveMemories(store.db, { type, coreOnly: options.core === true });
      const inScope = await scopeTest(context, store, options.allProjects === true);
      const shown = memories.filter(
        (memory) => inScope(memory.project) && !missing.some((name) => name === memory.name),
      );
      await context.print({ memories: shown, stale, readOnly: store.readOnly }, () => renderList(shown));
      if (shown.length < memories.length)
        context.note(`${memories.length - shown.length} more in other projects: --all-projects`);
      if (stale) context.note('stale: somebody is writing a memory at this moment');
    });

type Db = Parameters<typeof import('../../store/live-memories.ts').listMemories>[0];

async function liveMemories(db: Db, filter: { type: MemoryType | null; coreOnly: boolean }): Promise<ListedMemory[]> {
  const { listMemories } = await import('../../store/live-memories.ts');
  return listMemories(db, filter).map((row) => ({
    name: row.name,
    type: row.type ?? (row.name.startsWith('facts/') ? 'fact' : 'feedback'),
    situation: row.situation ?? '',
    core: row.core === 1,
    needs_review: row.needs_review === 1,
    project: row.project_scoped === 1 ? row.project_slug : null,
    archived: false,
  }));
}

async function archivedMemories(db: Db): Promise<ListedMemory[]> {
  const { listArchived } = await import('../../store/archive.ts');
  return listArchived(db).map(({ name, record }) => ({
    name,
    type: record.type,
    situation: record.situation,
    core: record.core,
    needs_review: record.needs_review,
    project: record.project_scoped ? record.project_slug : null,
    archived: true,
  }));
}

async function scopeTest(
  context: Parameters<CommandDefinition>[1],
  store: Parameters<Parameters<CommandDefinition>[1]['project']>[0],
  all: boolean,
): Promise<(project: string | null) => boolean> {
  if (all) return () => true;
  const [project, { inProject }] = await Promise.all([context.project(store), import('../../project/names.ts')]);
  return (slug) => slug === null || inProject(slug, project);
}

function renderList(memories: readonly ListedMemory[]): string {
  if (memories.length === 0) return 'no memories\n';
  return renderTable(
    memories.map(({ name, core, needs_review, archived, situation }) => {
      const marks = [core ? 'core' : '', needs_review ? 'needs_review' : '', archived ? 'archived' : ''];
      return [name, marks.filter((mark) => mark !== '').join(' ') || '-', firstLine(situation)];
    }),
  );
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
