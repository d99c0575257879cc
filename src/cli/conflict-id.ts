import { EngramError } from '../errors.ts';

/** @throws EngramError `usage` unless `text` is the number of a conflict */
export function conflictId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new EngramError('usage', `not the number of a conflict: ${JSON.stringify(text)}`, {
    hint: 'See: engram conflicts list',
  });
}
