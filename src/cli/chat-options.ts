import { isMessageId, type MessageId } from '../chat/message.ts';
import { EngramError } from '../errors.ts';
import type { CommandContext } from './context.ts';

/**
 * How the caller is called: the option, else `$ENGRAM_CHAT_NAME`.
 *
 * @throws EngramError `usage` when neither is given
 */
export async function ownName(context: CommandContext, option: '--from' | '--agent', given?: string): Promise<string> {
  const name = (given ?? (await context.config()).chatName.value ?? '').trim();
  if (name !== '') return name;
  throw new EngramError('usage', `${option} is missing`, {
    hint: `Give ${option} NAME, or set $ENGRAM_CHAT_NAME.`,
  });
}

/** Seconds, which may be fractions, as milliseconds; 0 is no limit: Infinity. @throws EngramError `usage` */
export function parseLimitMs(option: string, text: string): number {
  const seconds = Number(text);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(text) || seconds > MOST_SECONDS) {
    throw new EngramError('usage', `${option} must be seconds, 0 or more, not ${JSON.stringify(text)}`);
  }
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1000;
}

/** A year. */
const MOST_SECONDS = 31_536_000;

/** Names or types with commas between them; blanks and empty entries are ignored. @throws EngramError `usage` for none */
export function parseSomeList(option: string, text: string): string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length > 0) return entries;
  throw new EngramError('usage', `${option} is empty`);
}

/** The text of an option that has to say something. @throws EngramError `usage` */
export function parseSomeText(option: string, text: string): string {
  if (text.trim() !== '') return text;
  throw new EngramError('usage', `${option} is empty`);
}

/** `--re`: the id of a message. @throws EngramError `usage` */
export function parseMessageId(text: string): MessageId {
  if (isMessageId(text)) return text;
  throw new EngramError('usage', `--re is no id of a message: ${JSON.stringify(text.slice(0, 80))}`, {
    hint: 'Ids have 16 hex digits; engram chat post --json and engram chat tail --json print them.',
  });
}

/** `--cursor`: a count of lines. @throws EngramError `usage` */
export function parseCursor(text: string): number {
  const cursor = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw new EngramError('usage', `--cursor must be a number of lines, not ${JSON.stringify(text)}`, {
    hint: 'engram chat cursor prints one.',
  });
}
