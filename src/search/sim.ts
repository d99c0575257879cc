import { foldedText } from '../memory/exact-key.ts';
import type { WordStatistics } from '../store/word-statistics.ts';
import { normalise } from '../text/normalise.ts';
import { type CompiledQuery, compileQuery } from './compile-query.ts';
import type { SearchedTexts } from './match-terms.ts';
import { relevanceOf } from './relevance.ts';
import { backgroundWeight } from './term-weights.ts';
import { type EvidenceFinder, evidenceFinder, wordsScale } from './words-arm.ts';

/** Compares texts with each other. Each text is prepared once, however often it is compared. */
export interface Comparison {
  /**
   * `sim` of two texts, 0 to 1 (SE-37): how likely one is of use where the other was asked for. Symmetric; 1 for texts that
   * are equal after SE-1, case folding and final punctuation. It nominates; it never says that two texts mean the same.
   */
  sim(a: string, b: string): number;
}

/** Compares by words, as heavy as this store has them. */
export function compareByWords(statistics: WordStatistics): Comparison {
  const prepared = new Map<string, PreparedText>();
  const prepare = (text: string): PreparedText => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const made = prepareText(text, statistics);
    prepared.set(text, made);
    return made;
  };
  return {
    sim: (one, other) => {
      const [a, b] = [prepare(one), prepare(other)];
      return relevanceOf(wordsEvidence(a, b), { equal: a.folded === b.folded, wholeIdentifier: false });
    },
  };
}

interface PreparedText {
  readonly folded: string;
  readonly query: CompiledQuery;
  readonly finder: EvidenceFinder;
  readonly texts: SearchedTexts;
}

function prepareText(raw: string, statistics: WordStatistics): PreparedText {
  const text = normalise(raw);
  const query = compileQuery(text, backgroundWeight);
  // A text has everything that it is asked for: the other one is in no index.
  const finder = evidenceFinder(query, wordsScale(query, statistics), () => 1);
  return { folded: foldedText(text), query, finder, texts: asMemory(text) };
}

/** A text as the situation of a memory that says nothing else. */
function asMemory(text: string): SearchedTexts {
  return { texts: { situation: text, entity: '', content: '' }, analysed: {} };
}

/** Words evidence of a in b and of b in a, averaged. */
function wordsEvidence(a: PreparedText, b: PreparedText): number {
  return (a.finder.of(b.texts).evidence + b.finder.of(a.texts).evidence) / 2;
}
