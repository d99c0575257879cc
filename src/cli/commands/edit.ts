import { EngramError } from '../../errors.ts';
import type { EditedFields, EditOutcome } from '../../learning/edit.ts';
import { visible } from '../../text/visible.ts';
import type { CommandContext, CommandDefinition } from '../context.ts';
import type { EditorOutcome } from '../edit-in-editor.ts';
import { lintNotes } from '../lint-notes.ts';
import { addFieldOptions, givenFields } from '../memory-fields.ts';

interface EditOptions extends Record<string, unknown> {
  readonly scoped?: boolean;
}

export const edit: CommandDefinition = (parent, context) =>
  addFieldOptions(parent.command('edit').argument('<name>', 'the memory'), ['feedback', 'fact'])
    .description('Change fields of a memory; without any on a terminal, edit its file in $EDITOR')
    .option('--scoped', 'applies in the present project only')
    .addHelpText(
      'after',
      `
Without options the fields are read from stdin as one JSON object.

Examples:
  $ engram edit when-adding-a-column --action "Add it nullable, then backfill"
  $ EDITOR=nano engram edit when-adding-a-column`,
    )
    .action(async (text: string, options: EditOptions) => {
      const hasOptions = Object.values(options).some((value) => value !== undefined);
      const fields = hasOptions || !(await context.isInteractive()) ? await editedFields(options, context) : null;
      using engram = await context.engram();
      const name = await engram.find(text);
      if (fields === null) {
        const { editInEditor } = await import('../edit-in-editor.ts');
        const edited = editInEditor(context, engram.context, name);
        await context.print(edited, renderEditorOutcome);
        for (const line of lintNotes(edited.lint)) context.note(line);
        return;
      }
      const { editMemoryFields } = await import('../../learning/edit.ts');
      const { isScoped, ...changes } = fields;
      const scope = isScoped ? { scope: await presentProject(context, engram.context.store) } : {};
      const edited = editMemoryFields(engram.context, name, { ...changes, ...scope });
      await context.print(edited, renderEdit);
      for (const line of lintNotes(edited.lint)) context.note(line);
    });

/**
 * What options give; without any, what a JSON object on stdin gives. `--everywhere` alone is a change too, so nothing is
 * read then: a caller may keep its end of stdin open for ever.
 */
async function editedFields(options: EditOptions, context: CommandContext) {
  const hasOptions = Object.values(options).some((value) => value !== undefined);
  const given = await givenFields(options, hasOptions ? null : context, ['scoped']);
  const { confidence, everywhere, scoped, ...texts } = given;
  if (scoped === true && everywhere === true) {
    throw new EngramError('usage', '--scoped and --everywhere exclude each other');
  }
  if (Object.keys(given).length === 0) {
    throw new EngramError('usage', 'nothing to change', {
      hint: 'Name a field, e.g. --action TEXT; see engram edit --help',
    });
  }
  const fields: EditedFields = {
    ...texts,
    ...(confidence === undefined ? {} : { initial_confidence: confidence }),
    ...(everywhere === true || scoped === false ? { scope: null } : {}),
  };
  return { ...fields, isScoped: scoped === true || everywhere === false };
}

async function presentProject(
  context: CommandContext,
  store: Parameters<CommandContext['project']>[0],
): Promise<string> {
  const { name } = await context.project(store);
  if (name !== null) return name;
  throw new EngramError('project.invalid', 'there is no project here to scope the memory to', {
    hint: 'Name one with --project NAME.',
  });
}

function renderEdit({ name, changed }: EditOutcome): string {
  return visible(changed ? `saved ${name}\n` : `nothing changed in ${name}\n`);
}

function renderEditorOutcome(outcome: EditorOutcome): string {
  const lines = [renderEdit(outcome)];
  if (outcome.copy !== null) {
    lines.push(
      visible(
        `  somebody rewrote the file meanwhile: fields were merged, comments were not; your copy: ${outcome.copy}\n`,
      ),
    );
  }
  if (outcome.clashes.length > 0) {
    lines.push(`  somebody else changed ${outcome.clashes.join(', ')} too, see: engram conflicts list\n`);
  }
  return lines.join('');
}
