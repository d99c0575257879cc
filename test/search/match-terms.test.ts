import { expect, test } from 'vitest';
import { compileQuery } from '../../src/search/compile-query.ts';
import { type FieldLengths, frequency, type TermMatch, termMatcher } from '../../src/search/match-terms.ts';
import { backgroundWeight } from '../../src/search/term-weights.ts';
import { searchedTextsOf } from '../../src/search/words-arm.ts';
import { BACKGROUND_TABLE } from '../../src/text/background-table.ts';
import { stem } from '../../src/text/stem.ts';
import { feedback } from '../support/memory-rows.ts';

const LENGTHS = { lengthOf: () => 10, average: { situation: 10, entity: 10, content: 10 } };

function best(query: string, situation: string, action = 'act', lengths: FieldLengths = LENGTHS): TermMatch | null {
  const { terms } = compileQuery(query, backgroundWeight);
  const texts = searchedTextsOf(feedback(situation, { behavior: '', impact: '', action }));
  return termMatcher(terms, lengths, () => 1).match(texts)[0] ?? null;
}

test.each([
  ['the same word', 'deploy', 'When you deploy', 'word', 1],
  ['the same stem', 'deploy', 'When deploying', 'stem', 0.95],
  ['the same identifier', 'get_user', 'When get_user fails', 'identifier', 1],
  ['a path without its line', 'a/b.ts:42', 'When editing a/b.ts', 'identifier', 1],
  ['a segment of a path', 'x/y/useToken.ts', 'When editing z/useToken.ts', 'part', 0.8],
  ['the joined form', 'getUser', 'When get_user fails', 'joined', 0.8],
  ['sub-words of an identifier', 'get_user', 'When you get the user', 'sub-words', 0.8],
  ['a word that is a hidden sub-word', 'user', 'When getUser fails', 'sub-words', 0.8],
  ['a folded word', 'lodz', 'When in Łódź', 'folded', 0.8],
  ['a bigram', '数据', '数据库', 'bigram', 0.9],
  ['a single character', '数', '数据库', 'single', 0.65],
] as const)('SE-14: %s', (_, query, situation, form, factor) => {
  const match = best(query, situation);
  expect(match).toMatchObject({ field: 'situation', form, share: 1 });
  expect((match?.value ?? 0) / (match?.frequency ?? 1)).toBeCloseTo(factor, 10);
});

test('SE-14: sub-words count by their matched share; content counts half', () => {
  const partly = best('get_user_name', 'When the user is gone');
  expect(partly?.share).toBeGreaterThan(0);
  expect(partly?.share).toBeLessThan(1);
  const inContent = best('deploy', 'When idle', 'deploy it');
  expect(inContent).toMatchObject({ field: 'content' });
  expect(inContent?.value).toBeCloseTo(0.5 * (inContent?.frequency ?? 0), 10);
});

test('SE-14: a form that no memory has is not looked for', () => {
  const { terms } = compileQuery('getUser', backgroundWeight);
  const texts = searchedTextsOf(feedback('When get_user fails'));
  expect(termMatcher(terms, LENGTHS, () => 0).match(texts)[0]?.form).toBe('sub-words');
});

test('SE-14: the best match of a term counts, wherever it stands', () => {
  expect(best('deploy', 'When deploying', 'deploy deploy deploy')).toMatchObject({ field: 'situation', form: 'stem' });
});

test('SE-15: frequency grows with occurrences and falls with length', () => {
  expect(frequency(1, 10, 10)).toBe(1);
  expect(frequency(2, 10, 10)).toBeCloseTo(4 / 3, 10);
  expect(frequency(1, 30, 10, Number.POSITIVE_INFINITY)).toBe(2 / 3);
});

test('SE-15: which memory fits is asked as if none were longer than half as long again as most', () => {
  expect(frequency(1, 15, 10)).toBe(2 / 2.25);
  expect(frequency(1, 300, 10)).toBe(2 / 2.25);
  const long = best('deploy', 'When I deploy', 'act', { ...LENGTHS, lengthOf: () => 300 });
  expect(long?.value).toBeCloseTo(2 / 2.25, 10);
  expect(long?.sureValue).toBeCloseTo(2 / 16.5, 10);
});

test('SE-13: every word is found by every query word of its stem', () => {
  const roots = BACKGROUND_TABLE.split('\n').map((line) => line.slice(0, line.indexOf(':')));
  const suffixes = [
    's',
    'ed',
    'ing',
    'y',
    'ies',
    'ational',
    'ability',
    'biliti',
    'iveness',
    'izer',
    'ously',
    'e',
    'ement',
  ];
  for (const [i, root] of roots.entries()) {
    if (root.length < 2) continue;
    const word = root + suffixes[i % suffixes.length];
    const asked = stem(word);
    // A stem that is a word of that very stem: asking for it must find the word, whatever their letters.
    if (stem(asked) !== asked || compileQuery(asked, backgroundWeight).terms[0]?.kind !== 'word') continue;
    expect([word, best(asked, word)?.form]).toEqual([word, word === asked ? 'word' : 'stem']);
  }
});
