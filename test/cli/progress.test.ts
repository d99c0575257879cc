import { expect, test } from 'vitest';
import { timeLeft } from '../../src/cli/progress.ts';

test.each([
  [500, 10, 100, ''],
  [10_000, 0, 100, ''],
  [10_000, 99, 100, ''],
  [10_000, 20, 100, ', 40 s left'],
  [60_000, 10, 100, ', 9 min left'],
  [3_600_000, 10, 100, ', 9 h left'],
])('after %i ms, with %i of %i done: "%s"', (passed, done, total, said) =>
  expect(timeLeft(passed, done, total)).toBe(said),
);
