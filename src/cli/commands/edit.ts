import { EngramError } from '../../errors.ts';
import type { EditedFields, EditOutcome } from '../../learning/edit.ts';
import { visible } from '../../text/visible.ts';
import type { CommandContext, CommandDefinition } from '../context.ts';
import { addFieldOptions, type GivenFields, givenFields } from '../memory-fields.ts';

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
      const interactive = !hasFields(options) && (await context.isInteractive());
      const fields = interactive ? null : await givenFields(options, options.scoped === true ? null : context.input);
      if (options.scoped === true && fields?.everywhere === true) {
        throw new EngramError('usage', '--scoped and --everywhere exclude each other');
      }
      if (fields !== null && Object.keys(fields).length === 0 && options.scoped !== true) {
        throw new EngramError('usage', 'nothing to change', {
          hint: 'Name a field, e.g. --action TEXT; see engram edit --help',
        });
      }
      const { resolveName } = await import('../../store/name-lookup.ts');
      using engram = await context.engram();
      await engram.refresh();
      const name = resolveName(engram.context.store.db, text);
      if (fields === null) {
        const { editInEditor } = await import('../edit-in-editor.ts');
        const outcome = await editInEditor(context, engram.context, name);
        await context.print(outcome, renderEdit);
        return;
      }
      const { editMemoryFields } = await import('../../learning/edit.ts');
      const scope = options.scoped === true ? await presentProject(context, engram.context.store) : undefined;
      const outcome = editMemoryFields(engram.context, name, editedFields(fields, scope));
      await context.print(outcome, renderEdit);
    });

function hasFields(options: EditOptions): boolean {
  return Object.keys(options).some((key) => options[key] !== undefined && key !== 'color');
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

function editedFields({ confidence, everywhere, ...texts }: GivenFields, scope: string | undefined): EditedFields {
  return {
    ...texts,
    ...(confidence === undefined ? {} : { initial_confidence: confidence }),
    ...(everywhere === true ? { scope: null } : {}),
    ...(scope === undefined ? {} : { scope }),
  };
}

function renderEdit({ name, changed }: EditOutcome): string {
  return visible(changed ? `saved ${name}\n` : `nothing changed in ${name}\n`);
}
