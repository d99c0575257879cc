import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSlug, parseMemoryName, parseSlug, recordSlug, slugify } from '../../src/memory/slug.ts';
import { aFact, aFeedback } from './records.ts';

test.each([
  ['lower case and dashes', 'When Adding a Column', 'when-adding-a-column'],
  ['runs of anything else', '  C++ / Rust -- "FFI"!  ', 'c-rust-ffi'],
  ['letters outside ASCII are no letters', 'Größe ändern', 'gr-e-ndern'],
  ['capitals outside ASCII stay outside', '\u0130stanbul KELVIN \u212a', 'stanbul-kelvin'],
  ['nothing left', '日本語', 'memory'],
  ['empty', '', 'memory'],
])('MF-7: %s', (_, text, slug) => {
  expect(slugify(text)).toBe(slug);
});

test('MF-7: exactly 80 characters stay whole', () => {
  expect(slugify('a'.repeat(80))).toBe('a'.repeat(80));
});

test('MF-7: a longer text is cut at the last dash that leaves at least 40', () => {
  const slug = slugify(`${'a'.repeat(50)} ${'b'.repeat(20)} ${'c'.repeat(20)}`);
  expect(slug).toBe(`${'a'.repeat(50)}-${'b'.repeat(20)}`);
});

test('MF-7: a word that ends exactly at 80 is kept', () => {
  const words = `${'a'.repeat(50)} ${'b'.repeat(29)}`;
  expect(slugify(`${words} next`)).toBe(words.replace(' ', '-'));
});

test('MF-7: a dash that would leave fewer than 40 does not count', () => {
  expect(slugify(`${'a'.repeat(39)} ${'b'.repeat(60)}`)).toBe(`${'a'.repeat(39)}-${'b'.repeat(40)}`);
  expect(slugify(`${'a'.repeat(40)} ${'b'.repeat(60)}`)).toBe('a'.repeat(40));
});

test('MF-7: a suffix counts against the 80', () => {
  expect(slugify('a'.repeat(80), 2)).toBe(`${'a'.repeat(78)}-2`);
  expect(slugify('run the tests', 3)).toBe('run-the-tests-3');
  expect(slugify('', 2)).toBe('memory-2');
});

test('MF-7: feedback is named by its situation, a fact by subject, predicate and object', () => {
  expect(recordSlug(aFeedback({ situation: 'When deploying on Friday' }))).toBe('when-deploying-on-friday');
  const e5 = {
    subject: 'invoice-worker',
    predicate: 'reads-time-from',
    object: 'the database server, never the local clock',
  };
  expect(recordSlug(aFact(e5))).toBe('invoice-worker-reads-time-from-the-database-server-never-the-local-clock');
});

test('MF-7: any text gives a slug of at most 80, without dashes at its ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 9999 }), (text, suffix) => {
      const slug = slugify(text, suffix);
      expect(isSlug(slug)).toBe(true);
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(slug.length).toBeLessThanOrEqual(80);
    }),
  );
});

test('MF-1: a name is its directory and its slug', () => {
  expect(parseMemoryName('facts/e\u0301t\u00e9')).toBe('facts/\u00e9t\u00e9');
  for (const bad of [
    'notes/a',
    'facts/',
    'facts/a/b',
    'facts/.a',
    'facts/a\u0000',
    'facts/a\\b',
    `facts/${'é'.repeat(101)}`,
  ]) {
    expect(() => parseMemoryName(bad)).toThrow('not a memory name');
  }
  expect(() => parseSlug('')).toThrow('not a memory name');
});
