import type { EmbeddingStatus } from '../../search/embedding-status.ts';
import type { CommandDefinition } from '../context.ts';
import { oneLine, renderTable, type Style } from '../render.ts';

export const embedStatus: CommandDefinition = (parent, context) =>
  parent
    .command('status')
    .description('Show the model and how many memories have their vector; changes nothing')
    .addHelpText('after', '\nExamples:\n  $ engram embed status\n  $ engram embed status --json')
    .action(async () => {
      using engram = await context.engramToRead();
      await context.print(await engram.embedding(), renderStatus);
    });

function renderStatus(status: EmbeddingStatus, style: Style): string {
  const { model, isOn, ready, unreadable, failed, missing, failures, degraded } = status;
  if (!isOn) return OFF;
  const place = model.provider === 'openai' ? ` at ${model.revision}` : '';
  const lines = [
    renderTable([
      ['model', `${model.model} (${model.provider})${place}${model.dims === null ? '' : `, ${model.dims} values`}`],
      ['with a vector', String(ready)],
      ['missing', String(missing)],
      ['failed', String(failed)],
      ['not readable for the model', String(unreadable)],
    ]),
    ...failures.map((each) => `${style.yellow('failed')}  ${oneLine(failureText(each))}\n`),
    failures.length < failed ? `... ${failed - failures.length} more failed\n` : '',
    ...degraded.map((part) => `${style.yellow('degraded')}  ${oneLine(part)}\n`),
  ];
  const canEmbed = !degraded.some((part) => part.startsWith('no_model: '));
  return `${lines.join('')}${missing + failed > 0 && canEmbed ? 'next: engram embed apply\n' : ''}`;
}

const OFF = `${renderTable([['model', 'none: vectors are off by choice, and memories are found by their words']])}to have them: engram embed use built-in
`;

function failureText({ name, error, tries, retryAt }: EmbeddingStatus['failures'][number]): string {
  const next = retryAt === null ? 'again when its text or the model changes' : `again after ${retryAt}`;
  return `${name}: ${error} (tried ${tries === 1 ? 'once' : `${tries} times`}, ${next})`;
}
