import { foldedName, isAddressedTo, type Message, messageJson, principalName } from '../../chat/message.ts';
import type { DamagedRange } from '../../chat/parse.ts';
import { readAll, readChatEnd } from '../../chat/read-end.ts';
import { parseSomeList } from '../chat-options.ts';
import { addChatOptions, type ChatOptions, findChat } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';
import { parseWhole } from '../given-options.ts';
import { endRequest } from '../interrupt.ts';
import { renderDamage, renderMessage } from '../render-chat.ts';

interface TailOptions extends ChatOptions {
  readonly follow?: boolean;
  readonly lines: string;
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly thread?: string;
}

const MOST_MESSAGES = 1_000_000;

export const chatTail: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('tail'))
    .description('Show the last messages of the chat, oldest first')
    .option('-f, --follow', 'go on with what comes, until Ctrl-C')
    .option('-n, --lines <n>', 'so many messages', '20')
    .option('--from <name>', 'only from this name')
    .option('--to <name>', 'only to this name or to all')
    .option('--type <types>', 'only these, such as intent,wait')
    .option('--thread <thread>', 'only on this thread')
    .addHelpText('after', '\nExamples:\n  $ engram chat tail -n 5 --type wait\n  $ engram chat tail -f')
    .action(async (options: TailOptions) => {
      const count = parseWhole('-n', options.lines, 0, MOST_MESSAGES) ?? 20;
      const isWanted = wanted(options);
      const { path } = await findChat(context, options);
      const end = options.follow === true ? endRequest() : null;
      const { messages, damaged, follower } = readChatEnd(path, count, isWanted);
      using following = follower;
      const show = async (shown: readonly Message[], ranges: readonly DamagedRange[]) => {
        for (const range of ranges) context.note(renderDamage(range));
        const result = { messages: shown.map(messageJson), damaged: ranges, cursor: following.cursor };
        await context.print(result, (_, style) =>
          shown.map((message) => `${renderMessage(message, style)}\n`).join(''),
        );
      };
      await show(messages, damaged);
      end?.addEventListener('abort', () => following[Symbol.dispose]());
      while (end !== null && !end.aborted) {
        await following.changed(Number.POSITIVE_INFINITY);
        if (end.aborted) break;
        const news = readAll(following);
        const shown = news.messages.filter(isWanted);
        if (shown.length + news.damaged.length > 0) await show(shown, news.damaged);
      }
    });

function wanted({ from, to, type, thread }: TailOptions): (message: Message) => boolean {
  const types = type === undefined ? null : parseSomeList('--type', type);
  const sender = from === undefined ? null : foldedName(from);
  return (message) =>
    (types === null || types.includes(message.type)) &&
    (thread === undefined || message.thread === thread) &&
    (to === undefined || isAddressedTo(message, to)) &&
    (sender === null || foldedName(message.from) === sender || foldedName(principalName(message.from)) === sender);
}
