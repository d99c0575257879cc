import { EngramError } from '../errors.ts';
import type { LearnOutcome } from '../learning/learn.ts';
import type { MemoryType } from '../memory/record.ts';
import { visible } from '../text/visible.ts';
import type { CommandDefinition } from './context.ts';
import { noModelNote } from './embed-progress.ts';
import { addFieldOptions, type GivenFields, givenFields } from './memory-fields.ts';

const EXAMPLES = {
  feedback: `
  $ engram learn feedback --situation "When regenerating the API client" \\
      --behavior "Editing the generated client by hand" --impact "The next run removed the fix" \\
      --action "Change the schema or the template, then run make client"
  $ echo '{"situation":"When ...","behavior":"...","impact":"...","action":"..."}' | engram learn feedback`,
  fact: `
  $ engram learn fact --situation "When running the tests of shop-api" \\
      --subject shop-api --predicate "test command" --object "make check"`,
} as const satisfies Record<MemoryType, string>;

interface LearnOptions extends Record<string, unknown> {
  readonly supersedes?: readonly string[];
}

/** `learn feedback` and `learn fact` differ in their fields. */
export function learnCommand(type: MemoryType): CommandDefinition {
  return (parent, context) =>
    addFieldOptions(parent.command(type), [type])
      .description(type === 'feedback' ? 'Remember what to do instead, and why' : 'Remember what is the case')
      .option('--supersedes <name...>', 'archive this memory once the new one is written')
      .addHelpText(
        'after',
        `\nWithout options the fields are read from stdin as one JSON object.\n\nExamples:${EXAMPLES[type]}`,
      )
      .action(async (options: LearnOptions) => {
        const { everywhere, situation, ...fields } = await givenFields(options, context);
        if (situation === undefined) {
          throw new EngramError('memory.invalid', 'situation is missing', {
            hint: `Run: engram learn ${type} --help`,
          });
        }
        const [{ learn }, { resolveName }] = await Promise.all([
          import('../learning/learn.ts'),
          import('../store/name-lookup.ts'),
        ]);
        using engram = await context.engram();
        const { missing } = await engram.refresh();
        // What has just been deleted must not pass for known.
        if (missing.length > 0) await engram.sync();
        const project = await context.project(engram.context.store);
        const supersedes = (options.supersedes ?? []).map((name) => resolveName(engram.context.store.db, name));
        const scope = { project: project.name, everywhere: everywhere === true };
        const outcome = learn(engram.context, { type, situation, ...fields }, { scope, supersedes });
        const withoutModel = outcome.kind === 'duplicate' ? null : await engram.embedNew();
        await context.print(outcome, (value) => renderLearnOutcome(value, { situation, ...fields }));
        if (withoutModel !== null) context.note(noModelNote(withoutModel));
        if (outcome.kind !== 'duplicate' && project.name === null && everywhere !== true) {
          context.note('no project here, so this applies everywhere; name a project with --project NAME');
        }
        if (outcome.kind === 'superseded' && outcome.stillLive.length > 0) context.exitWith(1);
      });
}

function renderLearnOutcome(outcome: LearnOutcome, given: GivenFields): string {
  if (outcome.kind === 'duplicate') return visible(renderDuplicate(outcome, given));
  const { name, record } = outcome;
  const lines = [`learned ${name}`, `  applies ${record.project_scoped ? `in ${record.project_slug}` : 'everywhere'}`];
  if (outcome.kind === 'superseded') {
    for (const old of outcome.archived) lines.push(`  archived ${old}`);
    for (const { name: old, reason } of outcome.stillLive) lines.push(`  still live: ${old} (${reason})`);
  }
  return visible(`${lines.join('\n')}\n`);
}

function renderDuplicate({ name, differs }: LearnOutcome & { readonly kind: 'duplicate' }, given: GivenFields): string {
  if (differs.length === 0) return `known already: ${name}\n`;
  const options = differs.map((field) => `--${field} ${shellWord(String(given[field] ?? ''))}`).join(' ');
  const fields = `its ${differs.join(', ')} ${differs.length === 1 ? 'differs and stays' : 'differ and stay'}`;
  return `known already: ${name}\n  ${fields}; to take yours over: engram edit ${name} ${options}\n`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
