import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longRuns } from '../../src/text/long-runs.ts';
import { NAME, NAMES } from '../../src/text/secret-names.ts';

test('MF-12: the runs are those that a pattern finds', () => {
  const pieces = fc.constantFrom('a', 'b-', '_', '\\', '@', ' ', '\n', '"', 'é', 'abcdefgh', '=='.repeat(4));
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (all, shortest) => {
      const text = all.join('');
      const pattern = new RegExp(`(?<![\\w.~+/=@:\\\\-])[\\w.~+/=@:\\\\-]{${shortest},}`, 'g');
      expect(longRuns(text, shortest).trimEnd()).toBe((text.match(pattern) ?? []).join(' '));
    }),
  );
});

test('MF-12: what a text without a name lacks, each name has', () => {
  const names = fc.constantFrom(...Object.values(NAMES).map((source) => new RegExp(`^(?:${source})$`)));
  fc.assert(
    fc.property(
      names.chain((pattern) => fc.stringMatching(pattern)),
      (name) => {
        expect([name, NAME.test(name), NAME.test(name.toUpperCase())]).toEqual([name, true, true]);
      },
    ),
  );
});
