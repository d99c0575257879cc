import { expect, test } from 'vitest';
import { compileQuery } from '../../src/search/compile-query.ts';
import { rescueSpelling } from '../../src/search/spelling.ts';
import { backgroundWeight } from '../../src/search/term-weights.ts';

const WORDS = ['kubernetes', 'cubernetes', 'webhook', 'webhooks', 'rebase', 'rebased', 'rebases', 'rebaser', 'größer'];
const VOCABULARY = {
  stemCount: () => 0,
  tokenCount: (word: string) => Number(WORDS.includes(word)),
  list: (first: string, shortest: number, longest: number) =>
    WORDS.filter((word) => word.startsWith(first) && word.length >= shortest && word.length <= longest).map(
      (word, count) => ({
        word,
        count,
      }),
    ),
};

function rescues(text: string): readonly string[] | null {
  const [term] = rescueSpelling(compileQuery(text, backgroundWeight).terms, VOCABULARY) ?? [];
  return term?.kind === 'word' ? term.rescues : null;
}

test.each([
  ['a missing letter', 'kuberntes', ['kubernetes']],
  ['a letter too many', 'kubernnetes', ['kubernetes']],
  ['a wrong letter', 'kubernatez', null],
  ['one wrong letter', 'kubernatis', null],
  ['one replaced letter', 'kubernetas', ['kubernetes']],
  ['swapped neighbours', 'kubenretes', ['kubernetes']],
  ['another first letter', 'qubernetes', null],
  ['at most three, the most frequent first', 'rebasee', ['rebaser', 'rebases', 'rebased']],
  ['a letter outside ASCII', 'größar', ['größer']],
  ['fewer than five letters', 'webh', null],
  ['a word that the index has', 'webhook', null],
  ['a word without a near one', 'migratoin', null],
])('SE-19: %s', (_, text, expected) => expect(rescues(text)).toEqual(expected));
