import { words } from '../text/words.ts';

/** How many sentences of a long intent are asked on their own (SE-74). */
const MOST_SENTENCES = 12;
const FEWEST_WORDS = 3;

/** The first sentences of three or more words of `text`, none when it is a single one (SE-74). */
export function sentences(text: string): string[] {
  const found = text
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\s*\n+\s*/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => words(sentence).length >= FEWEST_WORDS)
    .slice(0, MOST_SENTENCES);
  return found.length < 2 ? [] : found;
}
