import { cjkRuns, grams, withoutCjk } from './cjk.ts';
import { fold } from './fold.ts';
import { identifiers } from './identifiers.ts';

/**
 * What a normalised text consists of, each list with repetitions and in order. `subWords` are those that are no words
 * already (`user` of `getUserName`, not of `get_user_name`); `identifiers` holds wholes and path parts.
 */
export interface TextAnalysis {
  readonly words: readonly string[];
  readonly subWords: readonly string[];
  readonly identifiers: readonly string[];
  readonly joined: readonly string[];
  readonly folded: readonly string[];
  readonly bigrams: readonly string[];
  readonly singles: readonly string[];
}

/** Maximal runs of letters, marks and digits, lower case, without CJK (SE-3, SE-5). `text` is normalised. */
export function words(text: string): string[] {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower.match(ASCII_WORD) ?? [];
  // Written where few texts come by: classes of Unicode take half a millisecond to read. A mark alone is no word: an
  // emoji's variation selector is one.
  const runs = withoutCjk(lower).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return runs.filter((run) => /[\p{L}\p{N}]/u.test(run));
}

/** Everything that is indexed and matched of a normalised text, by one function for both (SE-8, SE-13). */
export function analyse(text: string): TextAnalysis {
  if (text === '') return NOTHING;
  const found = words(text);
  const ids = identifiers(text);
  const ascii = ASCII.test(text);
  if (ascii && ids.length === 0) return { ...NOTHING, words: found };
  const cjk = ascii ? NO_GRAMS : grams(cjkRuns(text));
  return {
    words: found,
    subWords: ids.flatMap((id) => id.hiddenSubWords),
    identifiers: ids.flatMap((id) => [id.whole, ...id.parts]),
    joined: ids.flatMap((id) => id.joined),
    folded: ascii ? [] : foldedWords(found),
    bigrams: cjk.bigrams,
    singles: cjk.singles,
  };
}

/** Folded forms of words, where they differ (SE-4). */
export function foldedWords(found: readonly string[]): string[] {
  const folded: string[] = [];
  for (const word of found) {
    const plain = fold(word);
    if (plain !== word) folded.push(plain);
  }
  return folded;
}

const ASCII = /^[\x00-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const NO_GRAMS = { bigrams: [], singles: [] };
const NOTHING: TextAnalysis = {
  words: [],
  subWords: [],
  identifiers: [],
  joined: [],
  folded: [],
  bigrams: [],
  singles: [],
};
