import { expect, test } from 'vitest';
import { searchVector } from '../../../src/search/embed/accept-vector.ts';
import type { Embedding } from '../../../src/search/embed/embedder.ts';

const embedding = (vector: number[], lower?: number[]): Embedding => ({
  vector: Float32Array.from(vector),
  ...(lower === undefined ? {} : { lower: Float32Array.from(lower) }),
  tokens: null,
  isUnderstood: true,
});

test('SE-22: a text is found by the direction halfway between its two vectors', () => {
  const found = searchVector(embedding([1, 0], [0, 1]), 2);
  const half = Math.SQRT1_2;
  expect([...found]).toEqual([expect.closeTo(half, 6), expect.closeTo(half, 6)]);
});

test('SE-24: without a second vector it is the first, scaled to norm 1', () => {
  expect([...searchVector(embedding([3, 4]), 2)]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)]);
});

test.each([
  ['a fault of the provider', { ...embedding([1, 0]), fault: 'the server lies' }, 'the server lies'],
  ['another length', embedding([1, 0, 0], [1, 0, 0]), '3 values instead of 2'],
  ['no length', embedding([0, 0], [1, 0]), 'without length'],
  ['two that cancel each other', embedding([1, 0], [-1, 0]), 'without length'],
])('SE-24: %s is no vector', (_, given, reason) => {
  expect(searchVector(given, 2)).toContain(reason);
});
