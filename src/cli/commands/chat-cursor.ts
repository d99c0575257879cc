import { openChatFile } from '../../chat/chat-file.ts';
import { endCursor } from '../../chat/cursor.ts';
import { systemClock } from '../../clock.ts';
import { addChatOptions, type ChatOptions, findChat } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';

export const chatCursor: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('cursor'))
    .description('Print the cursor at the end of the chat: the number of lines there are')
    .addHelpText(
      'after',
      `
Take it before you post an intent, and hand it on as a number: answers are looked for behind it.

Example:
  $ cursor=$(engram chat cursor)
  $ engram chat watch --agent executor --cursor "$cursor"`,
    )
    .action(async (options: ChatOptions) => {
      const { path } = await findChat(context, options);
      using file = openChatFile(path);
      const cursor = file === null ? 0 : endCursor(file, systemClock());
      await context.print({ cursor, path }, (result) => `${result.cursor}\n`);
    });
