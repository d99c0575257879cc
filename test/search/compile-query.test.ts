import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CompiledQuery,
  compileQuery,
  everyTermMatch,
  MOST_QUERY_BYTES,
  MOST_TERMS,
  proseMatch,
  termsMatch,
} from '../../src/search/compile-query.ts';
import { backgroundWeight } from '../../src/search/term-weights.ts';

const compiled = (text: string): CompiledQuery => compileQuery(text, backgroundWeight);
const terms = (text: string) => compiled(text).terms.map((term) => `${term.kind}:${term.text}`);

test('SE-2: a query over 32 KiB is cut at a character and says so', () => {
  const query = compiled('é '.repeat(MOST_QUERY_BYTES));
  expect(query.truncated).toBe(true);
  expect(compiled('short').truncated).toBe(false);
});

test('SE-2: of more than 64 distinct terms the heaviest are used', () => {
  const common = ['file', 'use', 'data', 'code', 'time'];
  const rare = Array.from(
    { length: MOST_TERMS },
    (_, i) => `zyx${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}q`,
  );
  const used = compiled([...common, ...rare].join(' ')).terms.map((term) => term.text);
  expect(used).toHaveLength(MOST_TERMS);
  for (const word of common) expect(used).not.toContain(word);
});

test('SE-3: an identifier with its sub-words is one term', () => {
  expect(terms('rename get_user_name in src/a.ts')).toEqual([
    'identifier:get_user_name',
    'identifier:src/a.ts',
    'word:rename',
  ]);
});

test('SE-5: a query uses single characters only for a run of one', () => {
  expect(terms('库')).toEqual(['single:库']);
  expect(terms('数据库')).toEqual(['bigram:数据', 'bigram:据库']);
});

test('SE-6: stop words are left out and named; a query of them alone is one phrase', () => {
  const query = compiled('How do I deploy the build?');
  expect(query.terms.map((term) => term.text)).toEqual(['deploy', 'build']);
  expect(query.stopWords).toEqual(['how', 'do', 'i', 'the']);
  expect(query.phrase).toBeNull();
  expect(compiled('to be or not to be').phrase).toEqual(['to', 'be', 'or', 'not', 'to', 'be']);
  expect(compiled('the').phrase).toBeNull();
});

test('SE-10: words of one stem are one term', () => {
  expect(terms('deploy deploying deployed')).toEqual(['word:deploy']);
});

test('SE-10: every token stands in double quotes, joined with OR, whatever the text', () => {
  const quoted = /^\(?(?:"(?:[^"]|"")*"(?: OR |\)? AND \(?|\)?$))+$/;
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', ' "a" OR b', ' NEAR(x y)', ' a:b* ^c'),
      (text, extra) => {
        const query = compiled(text + extra);
        for (const match of [
          proseMatch(query.terms),
          termsMatch(query.terms, () => 1, 200),
          everyTermMatch(query.terms.slice(0, 3), () => 1),
        ]) {
          if (match !== null) expect(match).toMatch(quoted);
        }
      },
    ),
  );
});

test('SE-11: tokens that nobody holds, and beside rarer ones those that very many hold, are not asked for', () => {
  const counts: Record<string, number> = { deploy: 900, webhook: 3, build: 700 };
  const match = (text: string) => termsMatch(compiled(text).terms, (token) => counts[token] ?? 0, 200);
  expect(match('deploy webhook missing')).toBe('"webhook"');
  expect(match('deploy build')).toBe('"deploy" OR "build"');
  expect(match('missing')).toBeNull();
});
