import { configFileChanges } from '../../config.ts';
import type { CommandDefinition } from '../context.ts';

export const watch: CommandDefinition = (parent, context) =>
  parent
    .command('watch')
    .description('Keep the database and the memory files equal, for as long as it runs')
    .addHelpText(
      'after',
      `
Runs in the foreground until Ctrl-C or SIGTERM, then finishes what is under way and exits 0. One process watches a
store; a second one waits and takes over when the first ends. On a terminal it shows what it does on one line, else
it prints one JSON object a line.

Examples:
  $ engram watch
  $ engram watch >> ~/.local/state/engram-watch.log &`,
    )
    .action(async () => {
      const [{ endRequest }, { showWatch }] = await Promise.all([
        import('../interrupt.ts'),
        import('../watch-view.ts'),
      ]);
      const signal = endRequest();
      const configChanged = configFileChanges((await context.config()).file);
      using engram = await context.longRunningEngram('watch');
      using view = await showWatch(context);
      await engram.watch({ command: 'engram watch', signal, onEvent: view.show, configChanged });
    });
