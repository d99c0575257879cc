import { EngramError } from '../../errors.ts';
import type { OutcomeKind, OutcomeResult } from '../../learning/outcomes.ts';
import { nearest } from '../../suggest.ts';
import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';

interface OutcomeOptions {
  readonly situation?: string;
  readonly key?: string;
}

export const outcome: CommandDefinition = (parent, context) =>
  parent
    .command('outcome')
    .description('Count what became of a memory that was shown')
    .argument('<name>', 'the memory')
    .argument('<kind>', 'followed, not-followed, irrelevant, missed or surfaced')
    .option('--situation <text>', 'in which situation it was shown')
    .option('--key <key>', 'a repeated key counts once')
    .addHelpText('after', '\nExample:\n  $ engram outcome when-regenerating-the-api-client followed')
    .action(async (text: string, kindText: string, { situation, key }: OutcomeOptions) => {
      const { countOutcome, OUTCOME_KINDS } = await import('../../learning/outcomes.ts');
      const kind = parseKind(kindText, OUTCOME_KINDS);
      using engram = await context.engram();
      const name = await engram.find(text);
      const project = await context.project(engram.context.store);
      const result = countOutcome(engram.context, name, {
        kind,
        project: project.name,
        ...(situation === undefined ? {} : { situation }),
        ...(key === undefined ? {} : { eventKey: key }),
      });
      await context.print(result, renderOutcome);
    });

function parseKind(text: string, kinds: readonly OutcomeKind[]): OutcomeKind {
  const kind = kinds.find((candidate) => candidate === text.replaceAll('_', '-'));
  if (kind !== undefined) return kind;
  const suggestion = nearest(text, kinds);
  throw new EngramError('usage', `unknown outcome ${JSON.stringify(text)}`, {
    hint: suggestion === null ? `It is one of ${kinds.join(', ')}.` : `Did you mean ${suggestion}?`,
  });
}

function renderOutcome({ name, kind, counted, pending, promoted, demoted }: OutcomeResult): string {
  const lines = [counted ? `counted ${kind} for ${name}` : `${name}: this key was counted before`];
  if (pending) lines.push('  its file cannot be written now; the count waits in the database');
  if (promoted) lines.push('  it is core now');
  for (const other of demoted) lines.push(`  ${other} is not core any more`);
  return `${lines.map(visible).join('\n')}\n`;
}
