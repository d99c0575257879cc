import type { ProjectFoundBy, ProjectIdentity } from '../../project/identity.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';

export const projectShow: CommandDefinition = (parent, context) =>
  parent
    .command('show')
    .description('Print the project of the working directory and how it was found')
    .addHelpText('after', '\nExample:\n  $ engram project show --json')
    .action(async () => {
      using engram = await context.engram();
      await context.print(await context.project(engram.context.store), renderProject);
    });

const FOUND_BY = {
  flag: '--project',
  environment: '$ENGRAM_PROJECT',
  'config-file': 'project_name in .engram/config.json',
  binding: 'stored for this repository',
  origin: 'name of the remote origin',
  'work-tree': 'name of the main work tree',
  directory: 'name of the working directory',
  none: 'no project here',
} as const satisfies Record<ProjectFoundBy, string>;

function renderProject({ name, foundBy, root, origin, aliases, paths }: ProjectIdentity, style: Style): string {
  const rows = [['found by', FOUND_BY[foundBy]]];
  if (root !== null) rows.push(['root', root]);
  if (origin !== null) rows.push(['origin', origin]);
  if (aliases.length > 0) rows.push(['aliases', aliases.join(', ')]);
  for (const path of paths.filter((each) => each !== root)) rows.push(['also at', path]);
  return `${style.bold(name ?? '(none)')}\n${renderTable(rows)}`;
}
