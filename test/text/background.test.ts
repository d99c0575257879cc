import { expect, test } from 'vitest';
import { backgroundRarity } from '../../src/text/background.ts';
import { BACKGROUND_STEMS, BACKGROUND_TABLE } from '../../src/text/background-table.ts';
import { stem } from '../../src/text/stem.ts';

const rarity = (word: string) => backgroundRarity(stem(word));

test('SE-17: the table knows at least 5,000 stems', () => {
  expect(BACKGROUND_TABLE.trim().split('\n')).toHaveLength(BACKGROUND_STEMS);
  expect(BACKGROUND_STEMS).toBeGreaterThanOrEqual(5000);
});

test('SE-17: rarer words weigh more, an unknown word weighs 1', () => {
  expect(rarity('the')).toBeLessThan(0.15);
  expect(rarity('file')).toBeLessThan(rarity('migration'));
  expect(rarity('migration')).toBeLessThan(rarity('idempotent'));
  expect(rarity('zzyzx')).toBe(1);
});

test('SE-17: text that looks like the table is no way into it', () => {
  for (const word of ['', ':', '\n', 'file:', 'file\n', 'ﬁle', 'a\nb']) expect(backgroundRarity(word)).toBe(1);
});
