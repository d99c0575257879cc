import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/text/sha256.ts';

const byNode = (text: string) => createHash('sha256').update(text).digest('hex');

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])(
  'SE-28: a text of %i bytes has the hash that Node gives',
  (length) => {
    const text = 'a'.repeat(length);
    expect(sha256(text)).toBe(byNode(text));
  },
);

test('SE-28: any text has the hash that Node gives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(byNode(text));
    }),
  );
});
