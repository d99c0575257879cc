import { describe, expect, test } from 'vitest';
import { planDeletionHolds, planDeletions } from '../../src/sync/plan-deletions.ts';

test.each([
  [1, 0, 1, 'proceed'],
  [10, 0, 10, 'proceed'],
  [11, 0, 10, 'hold'],
  [11, 0, 50, 'hold'],
  [11, 0, 55, 'proceed'],
  [60, 0, 200, 'hold'],
  [40, 0, 200, 'proceed'],
  [41, 0, 200, 'hold'],
  [1, 10, 20, 'hold'],
  [1, 9, 20, 'proceed'],
  [0, 60, 20, 'proceed'],
] as const)('SY-31: %i planned and %i applied lately of %i live: %s', (planned, recent, live, decision) => {
  expect(planDeletions(planned, recent, live)).toBe(decision);
});

const wish = (name: string) => ({ name, missing: 'file' as const, reason: 'file-removed' });
const wishes = (count: number) => Array.from({ length: count }, (_, i) => wish(`feedback/m${i}`));
const names = (list: readonly { readonly name: string }[]) => list.map((item) => item.name);
const batch = { wishes: [], held: [], present: [], recentlyApplied: 0, liveCount: 200, allowMassDelete: false };

describe('SY-32: holds', () => {
  test('S02: 60 of 200 are all held', () => {
    const decision = planDeletionHolds({ ...batch, wishes: wishes(60) });
    expect(decision).toEqual({ proceed: [], hold: wishes(60), release: [] });
  });

  test('S02: a person accepts them, and their holds end', () => {
    const held = names(wishes(60));
    const decision = planDeletionHolds({ ...batch, wishes: wishes(60), held, allowMassDelete: true });
    expect(decision).toEqual({ proceed: wishes(60), hold: [], release: held });
  });

  test('a held deletion stays held when a later batch is small', () => {
    const decision = planDeletionHolds({ ...batch, wishes: wishes(2), held: ['feedback/m1'] });
    expect(decision).toEqual({ proceed: [wish('feedback/m0')], hold: [wish('feedback/m1')], release: [] });
  });

  test('a file that returns releases its own hold and no other', () => {
    const held = ['feedback/m0', 'feedback/m1', 'feedback/m2'];
    const decision = planDeletionHolds({ ...batch, wishes: [wish('feedback/m1')], held, present: ['feedback/m0'] });
    expect(decision).toEqual({ proceed: [], hold: [wish('feedback/m1')], release: ['feedback/m0'] });
  });

  test('a few deletions proceed without a hold', () => {
    const decision = planDeletionHolds({ ...batch, wishes: wishes(3) });
    expect(decision).toEqual({ proceed: wishes(3), hold: [], release: [] });
  });
});
