import { EngramError } from '../errors.ts';
import type { LearnOutcome } from '../learning/learn.ts';
import type { MemoryType } from '../memory/record.ts';
import { visible } from '../text/visible.ts';
import type { CommandDefinition } from './context.ts';
import { addFieldOptions, givenFields } from './memory-fields.ts';

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
        await context.print(outcome, renderLearnOutcome);
        if (outcome.kind !== 'duplicate' && project.name === null && everywhere !== true) {
          context.note('no project here, so this applies everywhere; name a project with --project NAME');
        }
        if (outcome.kind === 'superseded' && outcome.stillLive.length > 0) context.exitWith(1);
      });
}

function renderLearnOutcome(outcome: LearnOutcome): string {
  if (outcome.kind === 'duplicate') return visible(`known already: ${outcome.name}\n`);
  const { name, record } = outcome;
  const lines = [`learned ${name}`, `  applies ${record.project_scoped ? `in ${record.project_slug}` : 'everywhere'}`];
  if (outcome.kind === 'superseded') {
    for (const old of outcome.archived) lines.push(`  archived ${old}`);
    for (const { name: old, reason } of outcome.stillLive) lines.push(`  still live: ${old} (${reason})`);
  }
  return visible(`${lines.join('\n')}\n`);
}
