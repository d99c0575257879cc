import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutToBytes, matchedSituation, normalise } from '../../src/text/normalise.ts';

test.each([
  ['a decomposed letter', 'cafe\u0301', 'café'],
  ['white space runs', ' two\t \n lines\u00a0here ', 'two lines here'],
  ['a soft hyphen and a zero width space inside a word', 'mi\u00adgra\u200btion', 'migration'],
  ['a byte order mark before a word', '\ufeffdeploy', 'deploy'],
  ['bidi marks around a word', 'the \u202edeploy\u202c step', 'the deploy step'],
  ['NUL inside a word and between words', 'de\u0000ploy \u0000 now', 'deploy now'],
  ['a mark that was apart from its letter', 'e\u200b\u0301te', 'éte'],
  ['lone surrogates', 'a\ud800 \udc00b', 'a\ufffd \ufffdb'],
  ['an emoji, which is two surrogates', 'ship \u{1f680} it', 'ship \u{1f680} it'],
  ['private-use characters, which mark token classes', 'a\ue001b', 'a b'],
])('SE-1: %s', (_, text, expected) => expect(normalise(text)).toBe(expected));

test('SE-1: normalising again changes nothing, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const once = normalise(text);
      expect(normalise(once)).toBe(once);
    }),
  );
});

test('SE-1: the matched situation ends before the keywords', () => {
  expect(matchedSituation('When deploying\nKeywords: ship, release')).toBe('When deploying');
  expect(matchedSituation('Keywords: at the start stay')).toBe('Keywords: at the start stay');
});

test.each([
  ['fits', 'abc', 3, 'abc'],
  ['is cut between characters', 'aéé', 4, 'aé'],
  ['keeps no half of a pair', 'a\u{1f680}b', 4, 'a'],
])('SE-2: a text that %s', (_, text, bytes, expected) => expect(cutToBytes(text, bytes)).toBe(expected));
