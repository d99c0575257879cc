import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type Comparison, compareByWords } from '../../src/search/sim.ts';
import { wordStatistics } from '../../src/store/word-statistics.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';

let store: TestStore;
let comparison: Comparison;
beforeEach(async () => {
  store = await temporaryStore();
  comparison = compareByWords(wordStatistics(store.context.store.db));
});
afterEach(() => store[Symbol.dispose]());

describe('SE-37: sim of two texts', () => {
  it.each([
    ['case', 'Run Make Check', 'run make check'],
    ['final punctuation', 'Run make check.', 'Run make check'],
    ['white space', 'Run  make\tcheck', 'Run make check'],
    ['NFD', 'Überprüfe die Straße', 'Überprüfe die STRASSE'.normalize('NFD')],
    ['what cannot be seen', 'Run\u200b make check', 'Run make check'],
    ['nothing but a sign', '?', '?'],
  ])('is 1 for texts that differ in %s alone', (_, a, b) => expect(comparison.sim(a, b)).toBe(1));

  test('is 0 without a common word, and between for some', () => {
    const [near, far] = ['Run make check before pushing', 'Name variables by what they hold'];
    expect(comparison.sim('Before pushing run the checks', far)).toBe(0);
    expect(comparison.sim('Before pushing run the checks', near)).toBeGreaterThan(0.5);
    expect(comparison.sim('Before pushing run the checks', near)).toBeLessThan(1);
  });

  test('counts what either text says beyond the other', () => {
    const [short, long] = [
      'run make check',
      'run make check on a copy of the billing database at night with two replicas',
    ];
    expect(comparison.sim(short, long)).toBeLessThan(comparison.sim(short, 'run make check twice'));
  });

  test('is symmetric, and from 0 to 1, for any two texts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('run', 'make', 'check', 'not', 'the', 'src/a.ts', '微信', 'push'), { maxLength: 8 })
        .map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        const sim = comparison.sim(a, b);
        expect(sim).toBe(comparison.sim(b, a));
        expect(sim).toBeGreaterThanOrEqual(0);
        expect(sim).toBeLessThanOrEqual(1);
      }),
    );
  });
});
