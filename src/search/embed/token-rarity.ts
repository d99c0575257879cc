import { STOP_WORDS } from '../../text/stop-words.ts';
import { isFunctionToken } from './function-tokens.ts';
import { MODEL_DIRECTORY, readModelFile } from './model-files.ts';
import { readVocabulary, SPECIAL, type Vocabulary } from './vocabulary.ts';

/** How much tokens say (SE-71). */
export interface TokenRarity {
  /** Whether a token is a stop word or punctuation, which always counts FUNCTION_TOKEN_WEIGHT. */
  isFunction(id: number): boolean;
  /** The token as the vocabulary writes it: `##` begins the rest of a word. */
  textOf(id: number): string;
  /** From texts in general, 0 (in every text) to 1 (in none). */
  background(id: number): number;
}

export const FUNCTION_TOKEN_WEIGHT = 0.05;

/** @throws EngramError `model.missing`, `model.damaged` */
export function readTokenRarity(directory: string = MODEL_DIRECTORY): TokenRarity {
  const file = readModelFile(directory, 'tokenCounts');
  const texts = new Uint32Array(file.buffer, 0, 1)[0] ?? 0;
  const counts = new Uint16Array(file.buffer, 4);
  const vocabulary = readVocabulary(readModelFile(directory, 'vocabulary'));
  const stopWords = new Set<number>();
  for (const word of STOP_WORDS) {
    const [id = SPECIAL.unknown, ...more] = cut(word, vocabulary);
    if (more.length === 0 && id !== SPECIAL.unknown) stopWords.add(id);
  }
  return {
    // The text of a token costs more than all else that is asked about it.
    isFunction: (id) => stopWords.has(id) || (vocabulary.isCharacter(id) && isFunctionToken(vocabulary.textOf(id))),
    textOf: (id) => vocabulary.textOf(id),
    background: (id) => scaledRarity(counts[id] ?? 0, texts),
  };
}

function cut(word: string, vocabulary: Vocabulary): readonly number[] {
  const pieces: number[] = [];
  vocabulary.cut(word, pieces);
  return pieces;
}

/** Inverse document frequency, scaled so that what is in no text has 1 (SE-17, SE-71). */
export function scaledRarity(textsWithIt: number, texts: number): number {
  return Math.min(1, Math.log((texts + 1) / (textsWithIt + 0.5)) / Math.log((texts + 1) / 0.5));
}
