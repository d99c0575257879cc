import { appendMessages } from '../../chat/append.ts';
import { awaitAnswers } from '../../chat/await-answers.ts';
import { openChatFile } from '../../chat/chat-file.ts';
import { endCursor } from '../../chat/cursor.ts';
import type { AnswerOutcome } from '../../chat/judge-answers.ts';
import { foldedName, isAddressedTo, MEMORY_AGENT, type Message, messageJson } from '../../chat/message.ts';
import { readChatPresence } from '../../chat/read-presence.ts';
import { systemClock } from '../../clock.ts';
import { EngramError } from '../../errors.ts';
import { ownName, parseLimitMs, parseSomeList, parseSomeText } from '../chat-options.ts';
import { outcomeExit, outcomeJson } from '../chat-outcome.ts';
import { addChatOptions, type ChatOptions, findChat, leasesOf } from '../chat-place.ts';
import { printPosted } from '../chat-posted.ts';
import type { CommandDefinition } from '../context.ts';
import type { Style } from '../render.ts';
import { renderAnswer, renderDamage, renderMessage } from '../render-chat.ts';

interface IntentOptions extends ChatOptions {
  readonly from?: string;
  readonly to?: string;
  readonly thread: string;
  readonly situation?: string;
  readonly behavior?: string;
  readonly text?: string;
  readonly redact?: boolean;
  readonly maxWait: string;
  readonly notices: boolean;
}

export const chatIntent: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('intent'))
    .description('Say what you are about to do, and wait until nobody objects')
    .option('--from <name>', 'how you are called ($ENGRAM_CHAT_NAME)')
    .option('--to <names>', `who has to answer besides ${MEMORY_AGENT}: names with commas between them, or all`)
    .requiredOption('--thread <thread>', 'the task')
    .option('--situation <text>', 'what you are about to do, and why')
    .option('--behavior <text>', 'how you are going to do it')
    .option('--text <text>', 'both in your own words')
    .option('--redact', 'replace what looks like a secret instead of refusing the message')
    .option('--max-wait <seconds>', 'give up then, with exit 3; 0 is never', '30')
    .option('--no-notices', 'post nothing but the intent: not who is missing, nor to the lead when time is up')
    .addHelpText(
      'after',
      `
Exit 0: go. Exit 4: somebody objects; answer on the thread before you go on. Exit 3: somebody who is there did not
answer, which is no consent. Facts that belong to it are shown first.

Example:
  $ engram chat intent --from executor --to reviewer --thread schema \\
      --situation "About to add a column to orders" --behavior "One ALTER TABLE with NOT NULL and a default"`,
    )
    .action(async (options: IntentOptions) => {
      const { thread, redact = false } = options;
      const maxWaitMs = parseLimitMs('--max-wait', options.maxWait);
      const from = await ownName(context, '--from', options.from);
      const asked = options.to === undefined ? [] : parseSomeList('--to', options.to);
      const names = withMemoryAgent(from, asked);
      const text = intentText(options);
      const { path } = await findChat(context, options);
      const draft = { from, to: names.includes('all') ? 'all' : names.join(', '), thread, type: 'intent' };
      const cursor = cursorNow(path);
      const [intent] = appendMessages(path, [{ ...draft, text }], { redact }).messages;
      if (intent === undefined) return;
      const heard: Message[] = [];
      let damagedCount = 0;
      const outcome = await awaitAnswers(
        path,
        { agent: from, recipients: names, cursor, re: intent.id, thread, maxWaitMs },
        {
          leases: () => leasesOf(context, path),
          onMessage: (message) => heard.push(message),
          onPresence: (online) => {
            if (online(MEMORY_AGENT)) return;
            context.note(`${MEMORY_AGENT} is offline, so no memories are looked up; start it with: engram agent run`);
          },
          onDamage: (range) => {
            damagedCount += 1;
            context.note(renderDamage(range));
          },
          ...(options.notices ? { onSilent: (silent) => noticeSilence(path, intent, silent) } : {}),
        },
      );
      if (options.notices && outcome.result === 'TIMEOUT') escalate(path, intent, outcome, options.maxWait);
      const facts = heard.filter((message) => isFact(message, intent));
      const result = { id: intent.id, ...outcomeJson(outcome, damagedCount), facts: facts.map(messageJson) };
      await printPosted('the answers', `They stand behind: --cursor ${cursor} --re ${intent.id}`, () =>
        context.print(result, (_, style) => renderOutcome(outcome, facts, style)),
      );
      context.exitWith(outcomeExit(outcome));
    });

/** Without whoever asks. @throws EngramError `usage` where that leaves nobody */
function withMemoryAgent(from: string, asked: readonly string[]): string[] {
  const isMemoryAgent = foldedName(from) === MEMORY_AGENT;
  const names = asked.filter((name) => foldedName(name) !== foldedName(from));
  if (isMemoryAgent && names.length === 0) {
    throw new EngramError('usage', 'nobody else is asked', {
      hint: `Name others with --to: ${MEMORY_AGENT} does not answer itself.`,
    });
  }
  const folded = names.map(foldedName);
  if (folded.includes('all')) return isMemoryAgent ? ['all'] : ['all', MEMORY_AGENT];
  if (isMemoryAgent) return names;
  return folded.includes(MEMORY_AGENT) ? [...names] : [MEMORY_AGENT, ...names];
}

/** Both lines of CH-28, or one text for both. @throws EngramError `usage` */
function intentText({ situation, behavior, text }: IntentOptions): string {
  if (text !== undefined && situation === undefined && behavior === undefined) return parseSomeText('--text', text);
  if (text === undefined && situation !== undefined && behavior !== undefined) {
    const [said, planned] = [parseSomeText('--situation', situation), parseSomeText('--behavior', behavior)];
    return `Situation: ${said}\nBehavior: ${planned}`;
  }
  throw new EngramError('usage', 'an intent has --situation and --behavior, or --text');
}

function cursorNow(path: string): number {
  using file = openChatFile(path);
  return file === null ? 0 : endCursor(file, systemClock());
}

function noticeSilence(path: string, { from, thread, id }: Message, silent: readonly string[]): void {
  const names = silent.join(', ');
  tryToPost(path, { from, to: names, thread, type: 'info', re: id, text: `No response from ${names} yet.` });
}

/** To whoever leads, if somebody does (CH-33). */
function escalate(path: string, intent: Message, { recipients }: AnswerOutcome, maxWait: string): void {
  const nowMs = systemClock();
  if (foldedName(intent.from) === LEAD || readChatPresence(path, nowMs).book.of(LEAD, nowMs).state !== 'online') return;
  const silent = recipients.filter(({ state }) => state === 'silent').map(({ name }) => name);
  const text = `No response from ${silent.join(', ')} within ${maxWait} s to my intent ${intent.id}:\n\n${intent.text}\n\nShall I go ahead?`;
  tryToPost(path, { from: intent.from, to: LEAD, thread: intent.thread, type: 'escalate', re: intent.id, text });
}

const LEAD = 'lead';

/** A notice is not worth waiting for a lock, nor failing for. */
function tryToPost(path: string, draft: Parameters<typeof appendMessages>[1][number]): void {
  try {
    appendMessages(path, [draft], { wait: false, redact: true });
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
  }
}

/** Facts travel before the answer (CH-48). */
function isFact(message: Message, intent: Message): boolean {
  const isHeard = message.line > intent.line && message.thread === intent.thread && isAddressedTo(message, intent.from);
  return isHeard && message.type === 'info' && /^\[FACT\]/.test(message.text);
}

function renderOutcome(outcome: AnswerOutcome, facts: readonly Message[], style: Style): string {
  const answers = outcome.recipients.map((answer) => renderAnswer(answer, style));
  const lines = [...facts.map((fact) => renderMessage(fact, style)), ...answers];
  return `${lines.join('\n')}\n${style.bold(verdict(outcome))}  ${style.dim(`#${outcome.cursor}`)}\n`;
}

function verdict(outcome: AnswerOutcome): string {
  if (outcome.result === 'ACK') return 'ACK: go ahead';
  if (outcome.result === 'WAIT') return `WAIT: ${outcome.from} objects; answer on the thread before you go on`;
  return `TIMEOUT: no answer from ${outcome.recipient}, which is no consent`;
}
