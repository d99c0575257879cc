import { expect, test } from 'vitest';
import { MODEL_DIRECTORY, readModelFile } from '../../src/search/embed/model-files.ts';
import { encodeText } from '../../src/search/embed/tokens.ts';
import { readVocabulary } from '../../src/search/embed/vocabulary.ts';
import { queryWeight, tokenText } from '../../src/search/token-weights.ts';

const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));
const tokens = (text: string) => encodeText(text, vocabulary, 256).slice(1, -1);

test('SE-71: a word counts once, into however many pieces it is cut', () => {
  const ids = tokens('run kubectl now');
  const weight = queryWeight(ids, () => 1);
  const weights = ids.map((id, at) => weight(id, at));
  const pieces = ids.length - 2;
  expect(pieces).toBeGreaterThan(1);
  expect(ids.slice(2, -1).every((id) => tokenText(id).startsWith('##'))).toBe(true);
  expect(weights).toEqual([1, ...Array<number>(pieces).fill(1 / pieces), 1]);
});

test('SE-71: within a word the rarer piece counts more', () => {
  const ids = tokens('kubectl');
  const weight = queryWeight(ids, (id) => id);
  expect(weight(ids[0] ?? 0, 0)).toBe((ids[0] ?? 0) / ids.length);
});
