import { EngramError } from '../errors.ts';
import type { MemoryType } from '../memory/record.ts';
import { nearest } from '../suggest.ts';

/** `--type`; null = both. @throws EngramError `usage` with a suggestion */
export function parseType(text: string | undefined): MemoryType | null {
  if (text === undefined) return null;
  if (text === 'feedback' || text === 'fact') return text;
  const suggestion = nearest(text, ['feedback', 'fact']);
  throw new EngramError('usage', `unknown type ${JSON.stringify(text)}`, {
    hint: suggestion === null ? 'It is feedback or fact.' : `Did you mean ${suggestion}?`,
  });
}

/** A whole number between two bounds; null = not given. @throws EngramError `usage` */
export function parseWhole(option: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new EngramError(
    'usage',
    `${option} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`,
  );
}
