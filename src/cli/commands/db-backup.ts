import { backUp } from '../../store/backup.ts';
import { refuseReadOnly } from '../../store/read-only.ts';
import { translated } from '../../store/sqlite-errors.ts';
import type { CommandDefinition } from '../context.ts';

export const dbBackup: CommandDefinition = (parent, context) =>
  parent
    .command('backup')
    .description('Copy the database to backups/, also while it is in use; the newest 5 copies stay')
    .addHelpText('after', '\nExample:\n  $ cp "$(engram db backup)" /mnt/backup/')
    .action(async () => {
      using engram = await context.engram();
      const { store, paths } = engram.context;
      refuseReadOnly(store);
      const path = translated(() => backUp(store.db, paths.root, 'manual'));
      await context.print({ path }, () => `${path}\n`);
    });
