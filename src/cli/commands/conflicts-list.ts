import type { CommandDefinition } from '../context.ts';
import { renderTable } from '../render.ts';

export const conflictsList: CommandDefinition = (parent, context) =>
  parent
    .command('list')
    .description('List texts that both sides changed')
    .option('--all', 'resolved ones too')
    .addHelpText('after', '\nExample:\n  $ engram conflicts list --json')
    .action(async ({ all }: { readonly all?: boolean }) => {
      const { listConflicts } = await import('../../store/conflicts.ts');
      using engram = await context.engramToRead();
      await engram.refresh();
      const conflicts = listConflicts(engram.context.store.db, { all: all === true });
      await context.print({ conflicts }, () =>
        conflicts.length === 0
          ? 'no conflicts\n'
          : renderTable(
              conflicts.map(({ id, name, field, reason, resolution }) => [
                String(id),
                name,
                field,
                reason,
                resolution ?? 'open',
              ]),
            ),
      );
    });
