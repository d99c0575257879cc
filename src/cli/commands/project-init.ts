import { EngramError } from '../../errors.ts';
import { type InitiatedProject, initProject } from '../../project/init.ts';
import { countByProject } from '../../store/projects.ts';
import type { CommandDefinition } from '../context.ts';
import { oneLine } from '../render.ts';

export const projectInit: CommandDefinition = (parent, context) =>
  parent
    .command('init')
    .description('Write the name of the project into .engram/config.json, for everybody who checks it out')
    .argument('[name]', 'the name; the one found now when not given')
    .addHelpText(
      'after',
      `
The file lies at the root of the git work tree, outside git in the working directory; commit it. $HOME, / and the
temp directory get no name. Other keys of the file stay.

Examples:
  $ engram project init
  $ engram project init shop-api`,
    )
    .action(async (given: string | undefined) => {
      using engram = await context.engramToRead();
      const { store } = engram.context;
      const found = await context.project(store);
      const name = given ?? found.name;
      if (name === null) {
        throw new EngramError('project.invalid', 'there is no project here', {
          hint: 'Go to the directory of one first.',
        });
      }
      const made = initProject(await context.projectInput(), name);
      await context.print(made, renderInitiated);
      // Memories belong to a project by its name.
      const left = countByProject(store.db).find(({ slug }) => slug === found.name && slug !== null)?.memories ?? 0;
      if (left > 0 && found.name !== made.name) {
        context.note(
          `${left} ${left === 1 ? 'memory stays' : 'memories stay'} with the project ${found.name}; engram list --project ${found.name} shows them`,
        );
      }
    });

function renderInitiated({ name, path, change, before }: InitiatedProject): string {
  const what = { created: 'written to', changed: `written to`, unchanged: 'stands already in' }[change];
  return `${name}: ${what} ${oneLine(path)}${change === 'changed' && before !== null ? ` (was ${oneLine(before)})` : ''}\n`;
}
