import { expect, test } from 'vitest';
import { EngramError } from '../../src/errors.ts';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { validateRecord } from '../../src/memory/validate.ts';
import { aFact, aFeedback } from './records.ts';

test('MF-12: a complete record of either type is accepted', () => {
  expect(() => validateRecord(aFeedback())).not.toThrow();
  expect(() => validateRecord(aFact())).not.toThrow();
  expect(() => validateRecord(aFeedback({ situation: 'x'.repeat(2000), action: 'y'.repeat(8000) }))).not.toThrow();
  expect(() =>
    validateRecord(aFeedback({ initial_confidence: null, created_at: null, updated_at: null })),
  ).not.toThrow();
});

test('MF-12: limits count characters, not UTF-16 units', () => {
  expect(() => validateRecord(aFeedback({ situation: '🐘'.repeat(2000) }))).not.toThrow();
  expect(() => validateRecord(aFeedback({ situation: '🐘'.repeat(2001) }))).toThrow('situation has 2001 characters');
});

const refused: [string, string, MemoryRecord][] = [
  ['an empty situation', 'situation', aFeedback({ situation: ' \n' })],
  ['a long situation', 'situation', aFeedback({ situation: 'x'.repeat(2001) })],
  ['a missing content field', 'impact', aFeedback({ impact: null })],
  ['an empty content field', 'object', aFact({ object: '' })],
  ['a long content field', 'action', aFeedback({ action: 'x'.repeat(8001) })],
  ["the other type's content", 'subject', aFeedback({ subject: 'x' })],
  ["the other type's content in a fact", 'action', aFact({ action: 'x' })],
  ['a long source', 'source', aFeedback({ source: 'x'.repeat(501) })],
  ['a scope without a project', 'project_slug', aFeedback({ project_scoped: true })],
  ['confidence above 1', 'initial_confidence', aFeedback({ initial_confidence: 1.1 })],
  ['confidence below 0', 'initial_confidence', aFeedback({ initial_confidence: -0.1 })],
  ['confidence that is no number', 'initial_confidence', aFeedback({ initial_confidence: Number.NaN })],
  ['half a surrogate pair', 'behavior', aFeedback({ behavior: 'a\ud83d' })],
  ['NUL', 'source', aFeedback({ source: 'a\0b' })],
  ['a time that is not normalised', 'created_at', aFeedback({ created_at: '2026-04-02T10:00:00+02:00' })],
];
test.each(refused)('MF-12: %s is refused and the message names %s', (_, key, record) => {
  expect(() => validateRecord(record)).toThrow(EngramError);
  expect(() => validateRecord(record)).toThrow(new RegExp(`^${key} `));
});

test.each([[-1], [1.5], [2 ** 53], [Number.NaN]])('MF-10: a counter of %d is refused', (count) => {
  expect(() => validateRecord(aFeedback({ missed_count: count }))).toThrow(
    'missed_count must be a whole number from 0',
  );
});

test('MF-10: the largest counter is 2^53-1', () => {
  expect(() => validateRecord(aFeedback({ missed_count: 2 ** 53 - 1 }))).not.toThrow();
});
