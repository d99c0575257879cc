import { followChat } from '../../chat/follow.ts';
import { foldedName, isAddressedTo, type Message, principalName } from '../../chat/message.ts';
import { parseCursor, parseLimitMs, parseSomeList } from '../chat-options.ts';
import { addChatOptions, type ChatOptions, findChat } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';
import { write } from '../output.ts';
import { renderDamage, renderMessageLine } from '../render-chat.ts';

interface WatchOptions extends ChatOptions {
  readonly agent?: string;
  readonly cursor?: string;
  readonly type?: string;
  readonly thread?: string;
  readonly maxWait: string;
  readonly all?: boolean;
}

const TIMED_OUT = 3;

export const chatWatch: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('watch'))
    .description('Wait for the next message to you, and print it as one line of JSON')
    .option(
      '--agent <name>',
      'messages to this name or to all, none of its own ($ENGRAM_CHAT_NAME; "" is everybody\'s)',
    )
    .option('--cursor <n>', 'messages behind it; the end of the chat when not given')
    .option('--type <types>', 'only these, such as ack,wait')
    .option('--thread <thread>', 'only on this thread')
    .option('--max-wait <seconds>', 'give up then, with exit 3; 0 is never', '0')
    .option('--all', 'every message that is there already, one a line')
    .addHelpText(
      'after',
      `
A message that is there already is printed at once. Each has its own cursor: give it to the next call, and nothing is
skipped. After exit 3 the old cursor stays valid.

Example:
  $ engram chat watch --agent executor --cursor 412 --max-wait 30`,
    )
    .action(async (options: WatchOptions) => {
      const startedMs = performance.now();
      const limitMs = parseLimitMs('--max-wait', options.maxWait);
      const cursor = options.cursor === undefined ? null : parseCursor(options.cursor);
      const agent = options.agent ?? (await context.config()).chatName.value ?? '';
      const isWanted = wanted(agent, options);
      const { path } = await findChat(context, options);
      using follower = followChat(path, cursor);
      const begunAt = follower.cursor;
      for (let found = false; ; ) {
        const { messages, damaged, isAll } = follower.read();
        for (const range of damaged) context.note(renderDamage(range));
        const matches = messages.filter(isWanted);
        const shown = options.all === true ? matches : matches.slice(0, 1);
        if (shown.length > 0) write('stdout', shown.map(renderMessageLine).join(''));
        found ||= shown.length > 0;
        if (found && (isAll || options.all !== true)) return;
        if (!isAll) continue;
        const leftMs = limitMs - (performance.now() - startedMs);
        if (leftMs <= 0) {
          context.note(`no message within ${options.maxWait} s; go on with --cursor ${begunAt}`);
          return context.exitWith(TIMED_OUT);
        }
        await follower.changed(leftMs);
      }
    });

/** To `agent` or to all, and not from itself (CH-49). */
function wanted(agent: string, { type, thread }: WatchOptions): (message: Message) => boolean {
  const types = type === undefined ? null : parseSomeList('--type', type);
  const self = foldedName(agent);
  return (message) => {
    if (types !== null && !types.includes(message.type)) return false;
    if (thread !== undefined && message.thread !== thread) return false;
    if (self === '') return true;
    const isOwn = foldedName(message.from) === self || foldedName(principalName(message.from)) === self;
    return !isOwn && isAddressedTo(message, agent);
  };
}
