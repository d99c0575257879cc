import { firstCharacters } from '../search/render-for-model.ts';

/** One decimal at least, so that 1 reads as a confidence. */
export function confidence(value: number | null): string {
  if (value === null) return 'unknown';
  const rounded = Math.round(value * 100) / 100;
  return Number.isInteger(rounded * 10) ? rounded.toFixed(1) : String(rounded);
}

/** `1 memory`, `2 memories`. */
export const memories = (count: number): string => `${count} ${count === 1 ? 'memory' : 'memories'}`;
/** `1 fact`, `2 facts`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Characters of one text (AG-52). */
const LONGEST_TEXT = 1000;

/** The beginning of a foreign text. */
export function shortened(text: string): string {
  const start = firstCharacters(text.trim(), LONGEST_TEXT);
  return start === text.trim() ? start : `${start.trimEnd()} [...]`;
}
