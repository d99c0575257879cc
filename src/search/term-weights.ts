import { backgroundRarity } from '../text/background.ts';
import { markedToken } from '../text/index-text.ts';
import { stem } from '../text/stem.ts';
import type { QueryTerm } from './compile-query.ts';

/** What the weights need to know of the store. */
export interface StoreFrequencies {
  readonly liveCount: number;
  stemCount(stem: string): number;
  tokenCount(token: string): number;
}

/** From this many live memories on, the store's own frequencies and lengths count (SE-15, SE-17). */
export const ENOUGH_MEMORIES = 20;

/** With so many live memories the store's own frequencies count as much as the background's. */
const HALF_WAY_MEMORIES = 100;
const IDENTIFIER_FACTOR = 1.5;
const GRAM_RARITY = 0.6;

/**
 * How much a term counts, 0 to 1, identifiers to 1.5: rare words say what a text is about (SE-17). The larger the store,
 * the more its own frequencies count (docs/decisions/0008-words-evidence.md has the figures).
 */
export function termWeight(term: QueryTerm, store: StoreFrequencies): number {
  const background = backgroundWeight(term);
  if (store.liveCount < ENOUGH_MEMORIES) return background;
  const ownShare = store.liveCount / (store.liveCount + HALF_WAY_MEMORIES);
  const own = factorOf(term) * scaledIdf(storeCount(term, store), store.liveCount);
  return background * (1 - ownShare) + own * ownShare;
}

/** The weight before anything is known of the store. */
export function backgroundWeight(term: QueryTerm): number {
  if (term.kind === 'bigram' || term.kind === 'single') return GRAM_RARITY;
  return factorOf(term) * backgroundRarity(term.kind === 'word' ? term.stem : stem(term.text));
}

/** `real-time` is written like an identifier, but says no more than two words do. */
function factorOf(term: QueryTerm): number {
  return term.kind === 'identifier' && !HYPHENATED_WORDS.test(term.text) ? IDENTIFIER_FACTOR : 1;
}

const HYPHENATED_WORDS = /^\p{L}+(?:-\p{L}+)+$/u;

/** The weight of a sub-word among those of its identifier. */
export function subWordWeight(subWord: string): number {
  return backgroundRarity(stem(subWord));
}

/** Inverse document frequency, scaled so that a word of no document has 1. */
function scaledIdf(count: number, documents: number): number {
  return Math.min(1, Math.log((documents + 1) / (count + 0.5)) / Math.log((documents + 1) / 0.5));
}

function storeCount(term: QueryTerm, store: StoreFrequencies): number {
  if (term.kind === 'word') return store.stemCount(term.stem);
  return store.tokenCount(markedToken(term.kind, term.text));
}
