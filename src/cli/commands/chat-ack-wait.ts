import { awaitAnswers } from '../../chat/await-answers.ts';
import { EngramError } from '../../errors.ts';
import { ownName, parseCursor, parseLimitMs, parseMessageId, parseSomeList, parseSomeText } from '../chat-options.ts';
import { outcomeExit, renderOutcomeLine } from '../chat-outcome.ts';
import { addChatOptions, type ChatOptions, findChat, leasesOf } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';
import { write } from '../output.ts';
import { renderDamage } from '../render-chat.ts';

interface AckWaitOptions extends ChatOptions {
  readonly agent?: string;
  readonly cursor: string;
  readonly recipients: string;
  readonly re?: string;
  readonly thread?: string;
  readonly maxWait: string;
}

export const chatAckWait: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('ack-wait'))
    .description('Wait until everybody has answered an intent, or one objects')
    .option('--agent <name>', 'who posted the intent ($ENGRAM_CHAT_NAME)')
    .requiredOption('--cursor <n>', 'taken before the intent was posted')
    .requiredOption('--recipients <names>', 'who has to answer: names with commas between them, or all')
    .option('--re <id>', 'id of the intent, as engram chat post --json prints it')
    .option('--thread <thread>', 'thread of the intent')
    .option('--max-wait <seconds>', 'give up then, with exit 3; 0 is never', '30')
    .addHelpText(
      'after',
      `
Prints one line of JSON: ACK (exit 0), WAIT at the first objection (exit 4), or TIMEOUT (exit 3). Whoever is away for
the first 5 s counts as an ACK, named in "implied"; the silence of somebody who is there never does.

Example:
  $ engram chat ack-wait --agent executor --cursor 412 --recipients engram-agent,reviewer --re e6672582a813f28c`,
    )
    .action(async (options: AckWaitOptions) => {
      const recipients = parseSomeList('--recipients', options.recipients);
      const question = {
        agent: await ownName(context, '--agent', options.agent),
        recipients,
        cursor: parseCursor(options.cursor),
        re: options.re === undefined ? null : parseMessageId(options.re),
        thread: options.thread === undefined ? null : parseSomeText('--thread', options.thread),
        maxWaitMs: parseLimitMs('--max-wait', options.maxWait),
      };
      if (recipients.every((name) => name.toLowerCase() === question.agent.toLowerCase())) {
        throw new EngramError('usage', '--recipients names nobody else');
      }
      const { path } = await findChat(context, options);
      let damagedCount = 0;
      const outcome = await awaitAnswers(path, question, {
        leases: () => leasesOf(context, path),
        onDamage: (range) => {
          damagedCount += 1;
          context.note(renderDamage(range));
        },
      });
      write('stdout', renderOutcomeLine(outcome, damagedCount));
      context.exitWith(outcomeExit(outcome));
    });
