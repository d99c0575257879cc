import { expect, test } from 'vitest';
import { backgroundOf, measureBackground } from '../../src/search/background.ts';
import { unrelatedPairs } from '../../src/search/background-pairs.ts';
import { openBuiltIn } from '../../src/search/embed/built-in.ts';

test('SE-27: the background of the built-in model is the mean over 128 unrelated pairs', async () => {
  const pairs = unrelatedPairs();
  expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(128);
  const embedder = openBuiltIn();
  const measured = await measureBackground(embedder);
  const known = await backgroundOf(embedder);
  expect(known.meaning).toBeCloseTo(measured.meaning, 5);
  expect(known.fine?.explained).toBeCloseTo(measured.fine?.explained ?? Number.NaN, 5);
  expect(known.fine?.covered).toBeCloseTo(measured.fine?.covered ?? Number.NaN, 5);
});
