import type { EmbeddingStatus } from '../../search/fill-embeddings.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable } from '../render.ts';

export const embedStatus: CommandDefinition = (parent, context) =>
  parent
    .command('status')
    .description('Show the model and how many memories have their vector; changes nothing')
    .addHelpText('after', '\nExamples:\n  $ engram embed status\n  $ engram embed status --json')
    .action(async () => {
      const { embeddingStatus } = await import('../../search/fill-embeddings.ts');
      using engram = await context.engram();
      await context.print(embeddingStatus(engram.context.store, engram.embedder), renderStatus);
    });

function renderStatus({ model, ready, unreadable, failed, missing }: EmbeddingStatus): string {
  const lines = renderTable([
    ['model', `${model.model} (${model.provider}), ${model.dims} values`],
    ['with a vector', String(ready)],
    ['missing', String(missing)],
    ['failed', String(failed)],
    ['not readable for the model', String(unreadable)],
  ]);
  return missing + failed === 0 ? lines : `${lines}next: engram embed apply\n`;
}
