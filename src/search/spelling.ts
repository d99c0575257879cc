import type { VocabularyWord } from '../store/word-statistics.ts';
import { backgroundRarity } from '../text/background.ts';
import type { QueryTerm, WordTerm } from './compile-query.ts';

/** Where the words of the index come from. */
export interface Vocabulary {
  stemCount(stem: string): number;
  tokenCount(word: string): number;
  list(first: string, shortest: number, longest: number): VocabularyWord[];
}

const SHORTEST = 5;
const MOST_RESCUES = 3;
/** The background knows words that hardly anybody writes: `runing` has the stem of `rune`. */
const KNOWN_RARITY = 0.9;

/**
 * The terms with words of the index in the place of those that nobody knows: neither the index nor the background table
 * has them (SE-19). Null when no term is rescued.
 */
export function rescueSpelling(terms: readonly QueryTerm[], vocabulary: Vocabulary): readonly QueryTerm[] | null {
  const rescued = terms.map((term) => (isUnknown(term, vocabulary) ? withRescues(term, vocabulary) : term));
  return rescued.some((term, i) => term !== terms[i]) ? rescued : null;
}

function isUnknown(term: QueryTerm, vocabulary: Vocabulary): term is WordTerm {
  if (term.kind !== 'word' || [...term.text].length < SHORTEST || backgroundRarity(term.stem) < KNOWN_RARITY)
    return false;
  return vocabulary.stemCount(term.stem) === 0 && vocabulary.tokenCount(term.text) === 0;
}

function withRescues(term: WordTerm, vocabulary: Vocabulary): WordTerm {
  const word = [...term.text];
  const near = vocabulary
    .list(word[0] ?? '', word.length - 1, word.length + 1)
    .filter((known) => isOneEditAway(word, [...known.word]))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, MOST_RESCUES)
    .map((known) => known.word);
  return near.length === 0 ? term : { ...term, rescues: near };
}

/** One character inserted, deleted or replaced, or two neighbours swapped. */
function isOneEditAway(a: readonly string[], b: readonly string[]): boolean {
  if (a.length > b.length) return isOneEditAway(b, a);
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = (from: number, of: readonly string[]): string => of.slice(from).join('\0');
  if (b.length === a.length + 1) return rest(start, a) === rest(start + 1, b);
  if (a.length !== b.length || start === a.length) return false;
  if (rest(start + 1, a) === rest(start + 1, b)) return true;
  return a[start] === b[start + 1] && a[start + 1] === b[start] && rest(start + 2, a) === rest(start + 2, b);
}
