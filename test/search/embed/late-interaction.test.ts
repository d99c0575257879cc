import { expect, test } from 'vitest';
import { openBuiltIn } from '../../../src/search/embed/built-in.ts';
import { PACKED_BYTES, type TokenVectors } from '../../../src/search/embed/embedder.ts';
import { isFunctionToken } from '../../../src/search/embed/function-tokens.ts';
import { openLateInteraction } from '../../../src/search/embed/late-interaction.ts';
import { FUNCTION_TOKEN_WEIGHT, readTokenRarity, scaledRarity } from '../../../src/search/embed/token-rarity.ts';
import { VOCABULARY_SIZE } from '../../../src/search/embed/vocabulary.ts';
import { readReference } from './reference.ts';

const DIRECTIONS = 96;
const late = openLateInteraction();
const embedder = openBuiltIn();
const embed = async (text: string, kind: 'query' | 'document') =>
  (await embedder.embed([text], kind))[0]?.tokens ?? expect.unreachable();
const NONE: TokenVectors = { ids: new Uint16Array(), packed: new Uint8Array() };

/** SE-71 written down once more, slowly. */
function slowly(query: TokenVectors, memory: TokenVectors, weightOf: (id: number) => number): number {
  const cosine = (a: readonly number[], b: readonly number[]) =>
    product(a, b) / Math.sqrt(product(a, a) * product(b, b));
  const [ours, theirs] = [unpacked(query), unpacked(memory)];
  const best = ours.map((a) => Math.max(...theirs.map((b) => cosine(a, b))));
  const weights = Array.from(query.ids, weightOf);
  return product(weights, best) / weights.reduce((sum, weight) => sum + weight, 0);
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
}

function unpacked({ ids, packed }: TokenVectors): number[][] {
  const nibble = (value: number) => (value > 7 ? value - 16 : value);
  return Array.from(ids, (_, token) =>
    Array.from({ length: DIRECTIONS }, (_, at) => {
      const byte = packed[token * PACKED_BYTES + (at >> 1)] ?? 0;
      return nibble(at % 2 === 0 ? byte & 15 : byte >> 4);
    }),
  );
}

test('SE-71: L0 is the weighted mean of the largest cosines', async () => {
  const all = readReference()
    .map(({ text }) => text)
    .filter((text) => text.length > 20);
  const weightOf = (id: number) => 0.05 + (id % 10) / 10;
  const queries = await embedder.embed(all.slice(0, 12), 'query');
  const memories = await embedder.embed(all.slice(-12), 'document');
  for (const { tokens: query } of queries) {
    if (query === null) expect.unreachable();
    late.setQuery(query, weightOf);
    for (const { tokens: memory } of memories) {
      if (memory === null) expect.unreachable();
      expect(late.explained(memory.packed)).toBeCloseTo(slowly(query, memory, weightOf), 5);
    }
  }
});

test('SE-71: a text explains itself wholly, and more than another one does', async () => {
  const query = await embed('rename a public function of the library', 'query');
  late.setQuery(query, () => 1);
  expect(late.explained(query.packed)).toBeCloseTo(1, 5);
  const related = late.explained((await embed('changing the name of an exported function', 'document')).packed);
  const unrelated = late.explained((await embed('water the plants on the balcony', 'document')).packed);
  expect(related).toBeGreaterThan(unrelated + 0.15);
  expect(related).toBeLessThan(1);
});

test('SE-71: what weighs nothing counts nothing', async () => {
  const query = await embed('rename water', 'query');
  const memory = await embed('rename', 'document');
  const [first] = query.ids;
  late.setQuery(query, (id) => (id === first ? 1 : 0));
  const onlyFirst = late.explained(memory.packed);
  late.setQuery(query, (id) => (id === first ? 0 : 1));
  expect(onlyFirst).toBeGreaterThan(late.explained(memory.packed) + 0.1);
});

test('SE-71: without tokens nothing is explained', async () => {
  const text = await embed('rename a function', 'query');
  late.setQuery(NONE, () => 1);
  expect(late.explained(text.packed)).toBe(0);
  late.setQuery(text, () => 1);
  expect(late.explained(NONE.packed)).toBe(0);
  late.setQuery(text, () => 0);
  expect(late.explained(text.packed)).toBe(0);
});

test('SE-72: the longest texts fit', async () => {
  const query = await embed('word '.repeat(300), 'query');
  expect(query.ids).toHaveLength(254);
  late.setQuery(query, () => 1);
  expect(late.explained(query.packed)).toBeCloseTo(1, 5);
});

test('SE-71: rare tokens say more than common ones, stop words and punctuation next to nothing', async () => {
  const rarity = readTokenRarity();
  const { ids } = await embed('kubernetes code the .', 'query');
  const [common, stop, sign] = ids.slice(-3);
  const [rare] = ids;
  expect(rarity.background(rare ?? 0)).toBeGreaterThan(rarity.background(common ?? 0) + 0.2);
  expect([rare, common, stop, sign].map((id) => rarity.isFunction(id ?? 0))).toEqual([false, false, true, true]);
  expect(FUNCTION_TOKEN_WEIGHT).toBe(0.05);
  expect(scaledRarity(0, 100)).toBe(1);
  expect(scaledRarity(100, 100)).toBeLessThan(0.01);
});

test('SE-71: of every token of the vocabulary it is known whether it is a stop word or a sign', () => {
  const rarity = readTokenRarity();
  const ids = Array.from({ length: VOCABULARY_SIZE }, (_, id) => id);
  expect(ids.filter(rarity.isFunction)).toEqual(ids.filter((id) => isFunctionToken(rarity.textOf(id))));
});
