import { isRegularFile } from '../../chat/chat-file.ts';
import { addChatOptions, type ChatOptions, findChat } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';

export const chatPath: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('path'))
    .description('Print where the chat file of this project is, whether it exists or not')
    .addHelpText('after', '\nExample:\n  $ tail -f "$(engram chat path)"')
    .action(async (options: ChatOptions) => {
      const { path, slug, root, source } = await findChat(context, options);
      await context.print({ path, slug, root, source, exists: isRegularFile(path) }, ({ path }) => `${path}\n`);
    });
