import { expect, test } from 'vitest';
import { EngramError } from '../../src/errors.ts';
import { RECORD_KEYS } from '../../src/memory/record.ts';
import { recordFromJson, recordToJson } from '../../src/memory/record-json.ts';
import { aFact, aFeedback } from './records.ts';

test('a record survives, and equal records give equal texts whatever the order of their keys', () => {
  const record = aFeedback({
    extra: '{"owner":"platform"}',
    core_origin: 'auto',
    core: true,
    initial_confidence: null,
  });
  const shuffled = aFeedback(Object.fromEntries(Object.entries(record).reverse()));
  expect(recordFromJson(recordToJson(record))).toEqual(record);
  expect(recordToJson(shuffled)).toBe(recordToJson(record));
  expect(Object.keys(JSON.parse(recordToJson(record)))).toEqual([...RECORD_KEYS]);
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['null', 'null'],
  ['a missing key', JSON.stringify({ ...aFact(), source: undefined })],
  ['a counter that is a text', JSON.stringify({ ...aFact(), missed_count: '1' })],
  ['an unknown type', JSON.stringify({ ...aFact(), type: 'note' })],
  ['an unknown origin', JSON.stringify({ ...aFact(), core_origin: 'robot' })],
])('a stored text with %s is damage of the database', (_, text) => {
  expect(() => recordFromJson(text)).toThrow(EngramError);
  expect(() => recordFromJson(text)).toThrow('a stored record cannot be read');
});
