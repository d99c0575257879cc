import { type KnownProjects, listProjects } from '../../project/list.ts';
import { countByProject, listAliases, listBindings } from '../../store/projects.ts';
import type { CommandDefinition } from '../context.ts';
import { oneLine, renderTable, type Style } from '../render.ts';

export const projectList: CommandDefinition = (parent, context) =>
  parent
    .command('list')
    .description('List the projects, how many memories each has, and where they are')
    .addHelpText('after', '\nExamples:\n  $ engram project list\n  $ engram project list --json')
    .action(async () => {
      using engram = await context.engramToRead();
      const { stale } = await engram.refresh();
      const { db } = engram.context.store;
      const rows = { bindings: listBindings(db), aliases: listAliases(db), counts: countByProject(db) };
      await context.print({ ...listProjects(rows), stale }, renderProjects);
    });

function renderProjects({ projects, everywhere }: KnownProjects, style: Style): string {
  const rows = projects.map(({ name, memories, bindings, aliases }) => {
    const places = bindings.map(({ root, origin }) => (origin === null ? root : `${root} (${origin})`));
    const also = aliases.length === 0 ? [] : [`also called ${aliases.join(', ')}`];
    return [style.bold(oneLine(name)), counted(memories), oneLine([...places, ...also].join('; '))];
  });
  return renderTable([...rows, ['(every project)', counted(everywhere), '']]);
}

function counted(memories: number): string {
  return `${memories} ${memories === 1 ? 'memory' : 'memories'}`;
}
