import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  adjustedRelevance,
  fuse,
  type GateInput,
  gates,
  isThin,
  outcomeAdjustment,
  passes,
  relevanceOf,
  rounded,
} from '../../src/search/relevance.ts';
import { sentences } from '../../src/search/sentences.ts';

const PLAIN = { equal: false, wholeIdentifier: false, otherIdentifier: false, verbatim: false };

test.each([
  [0, 0],
  [0.05, 0.04],
  [0.2, 0.25],
  [0.225, 0.29],
  [0.6, 0.77],
  [0.9, 0.95],
])('SE-34: evidence %d gives relevance %d, linear between the knots', (evidence, relevance) =>
  expect(relevanceOf(evidence, PLAIN)).toBeCloseTo(relevance, 10),
);

test('SE-34: more evidence is never less relevant, and none is certain', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (a, b) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      expect(relevanceOf(low, PLAIN)).toBeLessThanOrEqual(relevanceOf(high, PLAIN));
      expect(relevanceOf(high, PLAIN)).toBeLessThan(1);
    }),
  );
});

test('SE-35: an equal text has relevance 1, a whole identifier and a query word for word at least 0.6', () => {
  expect(relevanceOf(0.2, { ...PLAIN, equal: true })).toBe(1);
  expect(relevanceOf(0.2, { ...PLAIN, wholeIdentifier: true })).toBe(0.6);
  expect(relevanceOf(0.2, { ...PLAIN, verbatim: true })).toBe(0.6);
  expect(relevanceOf(0.8, { ...PLAIN, wholeIdentifier: true })).toBe(0.94);
  expect(relevanceOf(0.8, { ...PLAIN, otherIdentifier: true })).toBe(0.59);
});

test('SE-34: only the order looks at coverage, and meaning counts there by the length of the memory', () => {
  const arms = { words: 0.3, meaning: 0.6, fine: 0.3, coverage: null };
  expect(fuse(arms)?.table).toBe('AEL');
  expect(fuse(arms)?.fused).toBeCloseTo(0.4, 10);
  const covered = (tokens: number) => fuse({ ...arms, coverage: { evidence: 0.4, tokens } })?.fused;
  expect(covered(32)).toBeCloseTo((0.3 + 0.6 + 0.3 + 0.4) / 4, 10);
  expect(covered(128)).toBeCloseTo((0.3 + 0.5 * 0.6 + 0.3 + 0.4) / 3.5, 10);
  expect(covered(1)).toBeCloseTo((0.3 + 2 * 0.6 + 0.3 + 0.4) / 5, 10);
});

test('SE-38: outcomes move relevance by at most 15 %', () => {
  const none = { followed: 0, notFollowed: 0, followedHere: 0, irrelevantHere: 0 };
  expect(outcomeAdjustment(none)).toEqual({ overall: 0, here: 0 });
  expect(outcomeAdjustment({ ...none, followed: 8 }).overall).toBeCloseTo(0.025, 10);
  expect(outcomeAdjustment({ ...none, irrelevantHere: 4 }).here).toBeCloseTo(-0.05, 10);
  const count = fc.nat(1_000_000);
  fc.assert(
    fc.property(count, count, count, count, (followed, notFollowed, followedHere, irrelevantHere) => {
      const { overall, here } = outcomeAdjustment({ followed, notFollowed, followedHere, irrelevantHere });
      expect(Math.abs(overall + here)).toBeLessThanOrEqual(0.15);
    }),
  );
});

test('SE-38: a raised relevance stays at 1 at most', () => {
  expect(adjustedRelevance(0.95, { overall: 0.05, here: 0.1 })).toBe(1);
  expect(rounded(0.8349)).toBe(0.83);
});

const SURE: GateInput = {
  passing: 0.9,
  matchesEveryTerm: false,
  contentTerms: 6,
  needsReview: false,
  fileHoldsSecret: false,
  learnedElsewhere: false,
  rareIdentifier: false,
};
const allows = (policy: 'query' | 'surface', changes: Partial<GateInput>) =>
  passes(policy, gates(policy, { ...SURE, ...changes }));

test.each([
  ['query', 'above its floor', { passing: 0.15 }, true],
  ['query', 'below its floor', { passing: 0.149 }, false],
  ['query', 'every term of a short query', { passing: 0.1, contentTerms: 3, matchesEveryTerm: true }, true],
  ['query', 'every term of a long query', { passing: 0.1, contentTerms: 4, matchesEveryTerm: true }, false],
  ['query', 'what needs review', { needsReview: true }, true],
  ['surface', 'above its floor', { passing: 0.49 }, true],
  ['surface', 'below its floor', { passing: 0.489 }, false],
  ['surface', 'what needs review', { needsReview: true }, false],
  ['surface', 'a file with a secret', { fileHoldsSecret: true }, false],
  ['query', 'a file with a secret', { fileHoldsSecret: true }, true],
  ['surface', 'a rare identifier', { passing: 0.4, rareIdentifier: true }, true],
  ['surface', 'a rare identifier, but too little else', { passing: 0.39, rareIdentifier: true }, false],
  ['surface', 'learned elsewhere', { passing: 0.69, learnedElsewhere: true }, false],
  [
    'surface',
    'learned elsewhere, with a rare identifier',
    { passing: 0.69, learnedElsewhere: true, rareIdentifier: true },
    false,
  ],
  ['surface', 'learned elsewhere, very sure', { passing: 0.7, learnedElsewhere: true }, true],
] as const)('SE-41: %s, %s', (policy, _, changes, passed) => expect(allows(policy, changes)).toBe(passed));

test('SE-41: thin are fewer than two content terms without an identifier', () => {
  expect([isThin(1, 0), isThin(2, 0), isThin(1, 1)]).toEqual([true, false, false]);
});

test('SE-74: sentences of three or more words, at most twelve; a single one is the whole text', () => {
  expect(sentences('I will add an index. Done. Then I run the migration!\nNext: update the docs')).toEqual([
    'I will add an index.',
    'Then I run the migration!',
    'Next: update the docs',
  ]);
  expect(sentences('One single sentence about src/a.ts and v1.2.3 only.')).toEqual([]);
  expect(sentences('this is a sentence. '.repeat(20))).toHaveLength(12);
});
