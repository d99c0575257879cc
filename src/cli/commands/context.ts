import type { CommandDefinition } from '../context.ts';
import { parseWhole } from '../given-options.ts';

export const sessionContext: CommandDefinition = (parent, context) =>
  parent
    .command('context')
    .description('Print what a session should start with, within a size')
    .option('--bytes <n>', 'at most this many bytes, 500 to 100000')
    .addHelpText('after', '\nExample:\n  $ engram context --bytes 2000')
    .action(async (options: { readonly bytes?: string }) => {
      const [{ listContext, selectContext }, { contextTexts }] = await Promise.all([
        import('../../search/context.ts'),
        import('../render-context.ts'),
      ]);
      const budget = parseWhole('--bytes', options.bytes, 500, 100_000) ?? (await context.config()).contextBytes.value;
      using engram = await context.engramToRead();
      const { stale, missing } = await engram.refresh();
      const { store, clock } = engram.context;
      const project = await context.project(store);
      const memories = listContext(store, { project, nowMs: clock(), without: missing });
      const { entries, left, mark } = selectContext(memories, budget, contextTexts(clock()));
      const shown = entries.map(({ memory, text, full }) => ({ ...memory, full, text }));
      const project_ = { name: project.name, foundBy: project.foundBy };
      await context.print(
        { project: project_, memories: shown, left, stale, readOnly: store.readOnly },
        () => `${shown.map(({ text }) => text).join('')}${mark}`,
      );
      context.note(`project ${project.name ?? '(none)'} (${project.foundBy})`);
      if (stale) context.note('stale: somebody is writing a memory at this moment');
    });
