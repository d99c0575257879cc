import { SPECIAL } from './vocabulary.ts';

const MOST_UNKNOWN = 0.2;
const LEAST_LATIN = 0.5;
/** Whose letters are Latin; spares compiling two large expressions. */
const ONLY_ASCII = /^[\0-\x7F]*$/;

/**
 * Whether the model, which has learned English, can make something of a text (SE-29): at most a fifth of its tokens are
 * unknown and at least half of its letters Latin. A text without tokens is not understood either.
 *
 * @param ids - the text's token ids with the two at its ends
 */
export function isUnderstood(text: string, ids: readonly number[]): boolean {
  const tokens = ids.length - 2;
  if (tokens <= 0) return false;
  const unknown = ids.filter((id) => id === SPECIAL.unknown).length;
  if (unknown > tokens * MOST_UNKNOWN) return false;
  if (ONLY_ASCII.test(text)) return true;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin >= letters * LEAST_LATIN;
}
