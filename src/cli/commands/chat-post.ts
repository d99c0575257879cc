import { appendMessages } from '../../chat/append.ts';
import { foldedName, MEMORY_AGENT, MESSAGE_TYPES, recipients } from '../../chat/message.ts';
import { nearest } from '../../suggest.ts';
import { ownName } from '../chat-options.ts';
import { addChatOptions, type ChatOptions, findChat } from '../chat-place.ts';
import { printPosted } from '../chat-posted.ts';
import { givenText } from '../chat-text.ts';
import type { CommandContext, CommandDefinition } from '../context.ts';

interface PostOptions extends ChatOptions {
  readonly from?: string;
  readonly to: string;
  readonly thread: string;
  readonly type: string;
  readonly text?: string;
  readonly textFile?: string;
  readonly re?: string;
  readonly redact?: boolean;
}

export const chatPost: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('post'))
    .description('Write a message into the chat, and print the cursor behind it')
    .option('--from <name>', 'how you are called ($ENGRAM_CHAT_NAME)')
    .requiredOption('--to <names>', 'all, or names with commas between them')
    .requiredOption('--thread <thread>', 'the task, or user-input, lifecycle, heartbeat')
    .requiredOption('--type <type>', 'intent, ack, wait, info, done, learned, ready, shutdown or escalate')
    .option('--text <text>', 'what you say')
    .option('--text-file <file>', 'the same from a file; - is stdin')
    .option('--re <id>', 'id of the message you answer')
    .option('--redact', 'replace what looks like a secret instead of refusing the message')
    .addHelpText(
      'after',
      `
An intent is better posted with engram chat intent, which waits for the answers.

Example:
  $ engram chat post --from reviewer --to executor --thread schema --type ack --re e6672582a813f28c --text "No objection."`,
    )
    .action(async (options: PostOptions) => {
      const { to, thread, type, re = null, redact = false } = options;
      const from = await ownName(context, '--from', options.from);
      const text = await givenText(context, options);
      const { path } = await findChat(context, options);
      const posted = appendMessages(path, [{ from, to, thread, type, re, text }], { redact });
      const [message] = posted.messages;
      warnAbout(context, to, type);
      const result = { cursor: posted.cursor, id: message?.id ?? null, ts: message?.ts ?? null };
      await printPosted('its cursor', `Its cursor is ${posted.cursor}.`, () =>
        context.print(result, ({ cursor }) => `${cursor}\n`),
      );
    });

/** What was written may still not be what was meant (CH-50). */
function warnAbout(context: CommandContext, to: string, type: string): void {
  const isAsked = recipients(to).some((name) => [MEMORY_AGENT, 'all'].includes(foldedName(name)));
  if (type === 'intent' && !isAsked) {
    context.note(
      `warning: this intent does not go to ${MEMORY_AGENT}, so no memories are looked up; engram chat intent adds it`,
    );
  }
  const isKnown = MESSAGE_TYPES.some((known) => known === type);
  const near = isKnown ? null : nearest(type, MESSAGE_TYPES);
  if (near !== null) context.note(`warning: no agent knows the type ${type}; did you mean ${near}?`);
}
