import { EngramError } from '../../errors.ts';
import type { EmbedReport } from '../../search/embed-missing.ts';
import type { CommandDefinition } from '../context.ts';
import { embedWithProgress } from '../embed-progress.ts';

export const embedApply: CommandDefinition = (parent, context) =>
  parent
    .command('apply')
    .description('Embed the memories whose vector is missing')
    .addHelpText(
      'after',
      `
Vectors of another model are dropped first. May be interrupted at any point; the next call goes on from there.

Exit status: 1 when vectors failed, see engram embed status.

Example:
  $ engram embed apply`,
    )
    .action(async () => {
      using engram = await context.engram();
      await engram.refresh();
      const report = await embedWithProgress(engram, context, { ask: true });
      if (report === null) {
        throw new EngramError('data-root.read-only', 'nothing was embedded: the data root cannot be written', {
          hint: 'See: engram db status',
        });
      }
      await context.print(report, renderReport);
      if (report.failed > 0) context.exitWith(1);
    });

function renderReport({ embedded, unreadable, failed }: EmbedReport): string {
  const parts = [`embedded ${embedded}`];
  if (unreadable > 0) parts.push(`${unreadable} not readable for the model`);
  if (failed > 0) parts.push(`${failed} failed (engram embed status says why)`);
  return `${parts.join(', ')}\n`;
}
