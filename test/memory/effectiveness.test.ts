import { expect, test } from 'vitest';
import {
  effectiveness,
  followRate,
  missRate,
  netEffectiveness,
  relevanceRate,
  unresolved,
} from '../../src/memory/effectiveness.ts';

const counts = {
  surfaced_count: 20,
  followed_count: 6,
  not_followed_count: 2,
  irrelevant_count: 4,
  missed_count: 5,
};
const none = { surfaced_count: 0, followed_count: 0, not_followed_count: 0, irrelevant_count: 0, missed_count: 0 };

test.each([
  ['effectiveness', effectiveness, 6 / 8],
  ['net_effectiveness', netEffectiveness, 6 / 12],
  ['follow_rate', followRate, 6 / 20],
  ['relevance_rate', relevanceRate, 8 / 12],
  ['miss_rate', missRate, 5 / 25],
])('MF-48: %s, and no value without a divisor', (_, figure, value) => {
  expect(figure(counts)).toBe(value);
  expect(figure(none)).toBeNull();
});

test('MF-48: unresolved is what no outcome is known of, never below 0', () => {
  expect(unresolved(counts)).toBe(8);
  expect(unresolved({ ...none, followed_count: 3 })).toBe(0);
});
