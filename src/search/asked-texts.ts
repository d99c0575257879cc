import { compileQuery } from './compile-query.ts';
import type { Policy } from './relevance.ts';
import type { Sentence } from './score.ts';
import { sentences } from './sentences.ts';
import { backgroundWeight } from './term-weights.ts';

/** The texts of a request whose vectors are of use: the whole, and under `surface` its sentences (SE-74). */
export function askedTexts({ text, policy }: { readonly text: string; readonly policy?: Policy }): string[] {
  const whole = compileQuery(text, backgroundWeight);
  if (whole.terms.length === 0 && whole.phrase === null) return [];
  return [whole.text, ...(policy === 'surface' ? sentencesOf(text).map(({ query }) => query.text) : [])];
}

/** The sentences of a long intent, each as a query of its own (SE-74). */
export function sentencesOf(text: string): Sentence[] {
  return sentences(text).map((sentence) => ({ text: sentence, query: compileQuery(sentence, backgroundWeight) }));
}
