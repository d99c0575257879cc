import { join } from 'node:path';
import type { CommandDefinition } from '../context.ts';

export const dbPath: CommandDefinition = (parent, context) =>
  parent
    .command('path')
    .description('Print where the database is, whether it exists or not')
    .addHelpText('after', '\nExample:\n  $ sqlite3 "$(engram db path)" "SELECT name, situation FROM memories"')
    .action(async () => {
      const { dataDir } = await context.config();
      await context.print({ path: join(dataDir.value, 'engram.db') }, ({ path }) => `${path}\n`);
    });
