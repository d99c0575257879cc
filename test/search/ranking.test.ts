import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rank } from '../../src/search/ranking.ts';

const CONTENDERS = fc.array(fc.record({ value: fc.option(fc.nat(50), { nil: null }), slack: fc.nat(20) }));

function contendersOf(drawn: readonly { value: number | null; slack: number }[], evaluated: number[] = []) {
  return drawn.map(({ value, slack }) => ({
    atMost: (value ?? 0) + slack,
    evaluate: () => {
      evaluated.push((value ?? 0) + slack);
      return value;
    },
  }));
}

test('the ranking is that of all values, whatever the bounds are', () => {
  fc.assert(
    fc.property(CONTENDERS, (drawn) => {
      const ranking = rank(contendersOf(drawn), (value) => value);
      const values = drawn.flatMap(({ value }) => (value === null ? [] : [value]));
      const ranked = Array.from({ length: drawn.length + 1 }, (_, place) => ranking.at(place));
      expect(ranked.filter((value) => value !== null)).toEqual(values.sort((a, b) => b - a));
      expect(ranked.at(-1)).toBeNull();
    }),
  );
});

test('nothing is evaluated whose bound is below the value at the place', () => {
  fc.assert(
    fc.property(CONTENDERS, fc.nat(5), (drawn, place) => {
      const evaluated: number[] = [];
      const value = rank(contendersOf(drawn, evaluated), (each) => each).at(place);
      if (value !== null) expect(Math.min(...evaluated)).toBeGreaterThanOrEqual(value);
    }),
  );
});
