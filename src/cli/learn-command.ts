import { EngramError } from '../errors.ts';
import type { LearnOutcome } from '../learning/learn.ts';
import type { MemoryType } from '../memory/record.ts';
import type { CommandDefinition } from './context.ts';
import { noModelNote } from './embed-progress.ts';
import { lintNotes } from './lint-notes.ts';
import { addFieldOptions, givenFields } from './memory-fields.ts';
import { renderLearnOutcome } from './render-learn.ts';

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
  readonly keepBoth?: boolean;
  readonly idempotencyKey?: string;
}

/** `learn feedback` and `learn fact` differ in their fields. */
export function learnCommand(type: MemoryType): CommandDefinition {
  return (parent, context) =>
    addFieldOptions(parent.command(type), [type])
      .description(type === 'feedback' ? 'Remember what to do instead, and why' : 'Remember what is the case')
      .option('--supersedes <name...>', 'archive this memory once the new one is written')
      .option('--keep-both', 'write it beside a memory that says the same or the opposite')
      .option('--idempotency-key <key>', 'a repeated call with this key gets the same answer')
      .addHelpText(
        'after',
        `
Without options the fields are read from stdin as one JSON object.

Exit status: 0 learned or known already, 1 where a memory says the same or the opposite: nothing is written then, and
--keep-both or --supersedes NAME answers.

Examples:${EXAMPLES[type]}`,
      )
      .action(async (options: LearnOptions) => {
        const { everywhere, situation, ...fields } = await givenFields(options, context);
        if (situation === undefined) {
          throw new EngramError('memory.invalid', 'situation is missing', {
            hint: `Run: engram learn ${type} --help`,
          });
        }
        using engram = await context.engram();
        const project = await context.project(engram.context.store);
        const { supersedes, keepBoth, idempotencyKey } = options;
        const answers = { ...(supersedes && { supersedes }), ...(keepBoth && { keepBoth }) };
        const key = idempotencyKey === undefined ? {} : { idempotencyKey };
        const singleValued = (await context.config()).singleValued.value;
        const request = { project, everywhere: everywhere === true, singleValued, ...answers, ...key };
        const outcome = await engram.learn({ type, situation, ...fields }, request);
        const isWritten = outcome.kind === 'created' || outcome.kind === 'superseded';
        const withoutModel = isWritten ? await engram.embedNew() : null;
        await context.print(outcome, (value) => renderLearnOutcome(value, { situation, ...fields }));
        if (outcome.kind === 'duplicate') return;
        if (withoutModel !== null) context.note(noModelNote(withoutModel));
        for (const line of notesOn(outcome)) context.note(line);
        if (outcome.kind === 'needs_confirmation') {
          context.exitWith(1);
          return;
        }
        if (project.name === null && everywhere !== true) {
          context.note('no project here, so this applies everywhere; name a project with --project NAME');
        }
        if (outcome.kind === 'superseded' && outcome.stillLive.length > 0) context.exitWith(1);
      });
}

function notesOn({ kind, leftOut, lint, degraded }: Exclude<LearnOutcome, { kind: 'duplicate' }>): string[] {
  const left = leftOut.length === 0 ? [] : [`left out what engram itself had printed: ${leftOut.join(', ')}`];
  // Where something is written, that says so itself.
  const isByWords = kind === 'needs_confirmation' && degraded.includes('no_model');
  const modes = isByWords ? ['compared by words alone: no_model'] : [];
  return [...left, ...lintNotes(lint), ...modes];
}
