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
      '\nMay be interrupted at any point; the next call goes on from there.\n\nExample:\n  $ engram embed apply',
    )
    .action(async () => {
      using engram = await context.engram();
      await engram.refresh();
      const report = await embedWithProgress(engram, context);
      if (report === null) {
        throw new EngramError('model.missing', 'nothing was embedded: there is no usable model', {
          hint: 'Install the package again; until then memories are found by their words alone.',
        });
      }
      await context.print(report, renderReport);
      if (report.failed > 0) context.exitWith(1);
    });

function renderReport({ embedded, unreadable, failed }: EmbedReport): string {
  const parts = [`embedded ${embedded}`];
  if (unreadable > 0) parts.push(`${unreadable} not readable for the model`);
  if (failed > 0) parts.push(`${failed} failed`);
  return `${parts.join(', ')}\n`;
}
