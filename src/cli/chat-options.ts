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

/** Names or types with commas between them; blanks and empty entries are ignored. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** `--cursor`: a count of lines. @throws EngramError `usage` */
export function parseCursor(text: string): number {
  const cursor = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw new EngramError('usage', `--cursor must be a number of lines, not ${JSON.stringify(text)}`, {
    hint: 'engram chat cursor prints one.',
  });
}
