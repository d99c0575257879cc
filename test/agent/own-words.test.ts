import { expect, test } from 'vitest';
import { withoutOwnWords } from '../../src/agent/own-words.ts';

const SHOWN = 'Stored memory applies: feedback/x\n> Action: Add it nullable, backfill in batches, then set NOT NULL';
const POSTED = 'Argument sub-1 closed: followed. Counted for feedback/x. Proceed with the stored action.';

test.each([
  ['what was shown, quoted', '> Action: Add it nullable, backfill in batches, then set NOT NULL', ''],
  ['what was shown, with a few words changed', 'I will add it nullable, backfill in batches, then set NOT NULL', ''],
  [
    'one sentence of several',
    'The table has 40 rows. Add it nullable, backfill in batches, then set NOT NULL. Fine?',
    'The table has 40 rows. Fine?',
  ],
  ['one line of several', 'Never lock orders.\nProceed with the stored action.\nThanks', 'Never lock orders.\nThanks'],
  ['other words', 'always run make test-fast', 'always run make test-fast'],
  ['white space that nobody may lose', '  a\n\n b  ', '  a\n\n b  '],
  ['fewer words than three', 'Never.', 'Never.'],
  ['nothing', '', ''],
])('AG-43: %s', (_, text, rest) => {
  expect(withoutOwnWords(text, [POSTED, SHOWN])).toBe(rest);
});

test('AG-43: the share counts for one text, never for several together', () => {
  const own = ['run the tests before merging', 'merging needs two approvals'];
  const text = 'please run the tests before merging needs two approvals from us all today';
  expect(withoutOwnWords(text, own)).toBe(text);
  expect(withoutOwnWords(text, [own.join(' ')])).toBe(text);
});

test('AG-43: exactly 60 % of the triples is ours', () => {
  // Five triples, three of them known.
  expect(withoutOwnWords('a b c d e f g', ['a b c d e'])).toBe('');
  expect(withoutOwnWords('a b c d e f g h', ['a b c d e'])).toBe('a b c d e f g h');
});

test('AG-43: nothing of ours, nothing changes', () => {
  expect(withoutOwnWords('a b c', [])).toBe('a b c');
});

test('AG-43: long texts cost time in proportion to them', () => {
  const own = Array.from({ length: 200 }, (_, at) => `alpha beta gamma delta ${at} `.repeat(20));
  for (const piece of ['alpha beta gamma delta ', 'a ', '. ', '\n', 'word']) {
    const start = process.cpuUsage();
    withoutOwnWords(piece.repeat(Math.ceil((1 << 20) / piece.length)), own);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(6000);
  }
});

test('AG-43: a fact with another number is news, also right after the agent said the first', () => {
  const own = ['Learned facts/shop-api-listens-on-port-8080 (confidence 0.7): shop-api listens-on port 8080'];
  expect(withoutOwnWords('shop-api listens on port 9000.', own)).toBe('shop-api listens on port 9000.');
  expect(withoutOwnWords('shop-api listens on port 8080.', own)).toBe('');
});
