import { expect, test } from 'vitest';
import { fold } from '../../src/text/fold.ts';
import { identifiers } from '../../src/text/identifiers.ts';
import { normalise } from '../../src/text/normalise.ts';
import { isStopWord } from '../../src/text/stop-words.ts';
import { analyse, words } from '../../src/text/words.ts';

const wholes = (text: string) => identifiers(normalise(text)).map((id) => id.whole);

test('SE-3: words are runs of letters, marks and digits in lower case', () => {
  expect(words("Don't re-run Make_check 2x, später!")).toEqual([
    'don',
    't',
    're',
    'run',
    'make',
    'check',
    '2x',
    'später',
  ]);
  expect(words('\u2764\ufe0f \u{1f680} ???')).toEqual([]);
});

test.each([
  ['get_user_name and getUserName.', ['get_user_name', 'getusername']],
  ['pass --no-verify, never -f', ['--no-verify', '-f']],
  ['(see "src/auth/x.ts:42:7")', ['src/auth/x.ts:42:7']],
  [
    'C++ or C#, node.js; .env @scope/pkg GB/s v1.2.3 10:30',
    ['c++', 'c#', 'node.js', '.env', '@scope/pkg', 'gb/s', 'v1.2.3', '10:30'],
  ],
  ['call op.create_index(user_id)', ['op.create_index', 'user_id']],
  ['prod:eu-west-1 pre-edit utf8', ['prod:eu-west-1', 'pre-edit', 'utf8']],
  ["don't stop. What's API? (build \"open AND ... - * 50%", []],
])('SE-3: identifiers of %s', (text, expected) => expect(wholes(text)).toEqual(expected));

test('SE-3: an identifier yields sub-words, a joined form, and the parts of a path', () => {
  const [name] = identifiers('parseHTTPResponse2Json');
  expect(name?.subWords).toEqual(['parse', 'http', 'response', '2', 'json']);
  expect(name?.joined).toEqual(['parsehttpresponse2json']);
  const [path] = identifiers('web/auth/useAuthToken.ts:42');
  expect(path?.whole).toBe('web/auth/useauthtoken.ts:42');
  expect(path?.parts).toEqual(['web/auth/useauthtoken.ts', 'useauthtoken.ts']);
  expect(path?.joined).toEqual(['useauthtokents', 'useauthtoken']);
  expect(path?.subWords).toEqual(['web', 'auth', 'use', 'token', 'ts', '42']);
});

test('SE-3: sub-words that are words already are not counted twice', () => {
  expect(analyse('get_user_name').subWords).toEqual([]);
  expect(analyse('get_userName').subWords).toEqual(['user', 'name']);
});

test.each([
  ['Økland', 'okland'],
  ['Łódź', 'lodz'],
  ['Straße', 'strasse'],
  ['Işık', 'isik'],
  ['İzmir', 'izmir'],
  ['Đặng', 'dang'],
  ['æther', 'aether'],
  ['Œuvre þing ħ', 'oeuvre thing h'],
])('SE-4: %s folds to %s', (text, expected) => {
  expect(fold(text)).toBe(expected);
  expect(fold(text.normalize('NFD'))).toBe(expected);
});

test('SE-4: folded words are kept where they differ', () => {
  expect(analyse('naïve plain').folded).toEqual(['naive']);
});

test.each([
  ['Han', '数据库', ['数据', '据库'], ['数', '据', '库']],
  ['Kana with a length mark', 'サーバ', ['サー', 'ーバ'], ['サ', 'ー', 'バ']],
  ['Hangul', '배포', ['배포'], ['배', '포']],
  ['Thai with vowel marks', 'ที่', ['ท\u0e35', '\u0e35\u0e48'], ['ท', '\u0e35', '\u0e48']],
])('SE-5: %s becomes bigrams and single characters', (_, text, pairs, singles) => {
  const analysis = analyse(normalise(text));
  expect(analysis.bigrams).toEqual(pairs);
  expect(analysis.singles).toEqual(singles);
  expect(analysis.words).toEqual([]);
});

test('SE-5: a run mixed with Latin is split at the border', () => {
  const analysis = analyse('微信api接口');
  expect(analysis.words).toEqual(['api']);
  expect(analysis.bigrams).toEqual(['微信', '接口']);
});

test('SE-6: function and question words and what people say to an agent are stop words', () => {
  for (const word of ['the', 'when', 'how', 'project', 'please', 'help', 'want']) expect(isStopWord(word)).toBe(true);
  for (const word of ['build', 'before', 'after', 'never']) expect(isStopWord(word)).toBe(false);
});
