import { describe, expect, test } from 'vitest';
import { memoryName, parseSlug } from '../../src/memory/slug.ts';
import {
  type CapEntry,
  coreState,
  demoted,
  deservesDemotion,
  deservesPromotion,
  PROMOTED_CAP,
  pinned,
  planPromotion,
  promoted,
  surplusPromotion,
  tierOf,
  unpinned,
} from '../../src/memory/tiers.ts';
import { aFeedback } from './records.ts';

test.each([
  [true, null, 'pinned'],
  [true, 'user', 'pinned'],
  [true, 'auto', 'promoted'],
  [false, null, 'plain'],
  [false, 'user', 'plain-by-decision'],
  [false, 'auto', 'plain-by-decision'],
] as const)('MF-43: core %s with origin %s is %s', (core, core_origin, state) => {
  expect(coreState({ core, core_origin })).toBe(state);
});

test('MF-43: pin, unpin, promotion and demotion write their two keys and nothing else', () => {
  const record = aFeedback({ surfaced_count: 3 });
  expect(pinned(record)).toEqual({ ...record, core: true, core_origin: 'user' });
  expect(unpinned(pinned(record))).toEqual({ ...record, core: false, core_origin: 'user' });
  expect(promoted(record)).toEqual({ ...record, core: true, core_origin: 'auto' });
  expect(demoted(promoted(record))).toEqual(record);
});

describe('MF-44: promotion', () => {
  const earned = { surfaced_count: 9, followed_count: 8 };
  test.each([
    ['8 of 9', earned, true],
    ['4 of 5', { surfaced_count: 5, followed_count: 4 }, true],
    ['4 of 4: too few', { surfaced_count: 4, followed_count: 4 }, false],
    ['exactly 0.7', { surfaced_count: 10, followed_count: 7 }, false],
    ['never shown', {}, false],
    ['pinned already', { ...earned, core: true }, false],
    ['promoted already', { ...earned, core: true, core_origin: 'auto' }, false],
    ['plain by decision', { ...earned, core_origin: 'user' }, false],
    ['needs review', { ...earned, needs_review: true }, false],
    ['imported', { ...earned, source: 'imported from notes.md' }, false],
  ] as const)('%s', (_, changes, expected) => {
    expect(deservesPromotion(aFeedback(changes))).toBe(expected);
  });

  test('only the events since the text was replaced count', () => {
    const record = aFeedback(earned);
    expect(deservesPromotion(record, { ...record, surfaced_count: 2, followed_count: 2 })).toBe(false);
    expect(deservesPromotion(record, { ...record, surfaced_count: 5, followed_count: 5 })).toBe(true);
  });
});

describe('MF-45: demotion', () => {
  const auto = { core: true, core_origin: 'auto' } as const;
  test.each([
    ['never followed in 10', { ...auto, surfaced_count: 10 }, true],
    ['never followed in 9', { ...auto, surfaced_count: 9 }, false],
    ['1 of 4', { ...auto, surfaced_count: 10, followed_count: 1, not_followed_count: 3 }, true],
    ['1 of 3: too few outcomes', { ...auto, surfaced_count: 10, followed_count: 1, not_followed_count: 2 }, false],
    ['exactly a half', { ...auto, surfaced_count: 10, followed_count: 2, not_followed_count: 2 }, false],
    ['pinned is never demoted', { core: true, surfaced_count: 50 }, false],
    ['plain cannot be', { surfaced_count: 50 }, false],
  ] as const)('%s', (_, changes, expected) => {
    expect(deservesDemotion(aFeedback(changes))).toBe(expected);
  });

  test('a replaced text ends a promotion, not a pin', () => {
    expect(deservesDemotion(aFeedback(auto), true)).toBe(true);
    expect(deservesDemotion(aFeedback({ core: true }), true)).toBe(false);
  });
});

describe('MF-46: the cap', () => {
  const entry = (slug: string, textUpdatedAt: string | null): CapEntry => ({
    name: memoryName('feedback', parseSlug(slug)),
    textUpdatedAt,
  });
  const full = Array.from({ length: PROMOTED_CAP }, (_, i) => entry(`m${i + 10}`, `2026-04-${i + 10}T00:00:00Z`));
  const young = entry('young', '2026-05-01T00:00:00Z');

  test('below 20 a candidate is promoted', () => {
    expect(planPromotion(young, full.slice(1))).toEqual({ kind: 'promote' });
  });
  test('when full, the oldest text goes first', () => {
    expect(planPromotion(young, full)).toEqual({ kind: 'demote-first', name: 'feedback/m10' });
  });
  test('an unknown age counts as the oldest, a tie is broken by slug', () => {
    const tied = [...full.slice(2), entry('b', null), entry('a', null)];
    expect(planPromotion(young, tied)).toEqual({ kind: 'demote-first', name: 'feedback/a' });
  });
  test('a candidate older than all stays plain', () => {
    expect(planPromotion(entry('old', '2026-01-01T00:00:00Z'), full)).toEqual({ kind: 'keep-plain' });
    expect(planPromotion(entry('old', null), full)).toEqual({ kind: 'keep-plain' });
  });
  test('above the cap one is demoted, at the cap none', () => {
    expect(surplusPromotion([...full, young])).toBe('feedback/m10');
    expect(surplusPromotion(full)).toBeNull();
  });
});

test.each([
  ['core', { core: true }, null, 'core'],
  ['core that needs review', { core: true, needs_review: true }, null, 'on-demand'],
  ['changed 7 days ago', {}, '2026-04-01T00:00:00Z', 'recent'],
  ['changed a second earlier', {}, '2026-03-31T23:59:59Z', 'on-demand'],
  ['of unknown age', {}, null, 'on-demand'],
] as const)('MF-47: a memory %s', (_, changes, textUpdatedAt, tier) => {
  expect(tierOf(aFeedback(changes), textUpdatedAt, Date.parse('2026-04-08T00:00:00Z'))).toBe(tier);
});
