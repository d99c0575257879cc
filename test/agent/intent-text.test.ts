import { expect, test } from 'vitest';
import { parseIntentText } from '../../src/agent/intent-text.ts';

test.each([
  ['both lines', 'Situation: About to fix a typo.\nBehavior: Edit one line.', 'About to fix a typo.', 'Edit one line.'],
  ['any case, and CRLF', 'SITUATION: a\r\nbehavior: b\r\n', 'a', 'b'],
  ['the other name of the behavior', 'Situation: a\nPlanned-action: b', 'a', 'b'],
  ['values of several lines', 'Situation: a\nand more\nBehavior:\nb\nc', 'a\nand more', 'b\nc'],
  ['the other order', 'Behavior: b\nSituation: a', 'a', 'b'],
  ['no labels', 'Running the tests', 'Running the tests', 'Running the tests'],
  ['one label', 'Situation: a', 'a', 'a'],
  ['one label and text before', 'Fixing the build\nBehavior: b', 'Fixing the build', 'b'],
  ['one line', 'Situation: About to merge. Behavior: Squash.', 'About to merge.', 'Squash.'],
  ['bold labels of a list', '- **Situation:** a\n- **Behavior:** b', 'a', 'b'],
  [
    'a word that looks like one',
    'Situation: the behavior: field is empty',
    'the behavior: field is empty',
    'the behavior: field is empty',
  ],
  ['nothing', '', '', ''],
])('CH-28: an intent with %s', (_, text, situation, behavior) => {
  expect(parseIntentText(text)).toEqual({ situation, behavior });
});

test.each(['Situation: ', '\n', ' ', 'Behavior:\n', '. ', '**'])(
  'CH-28: 1 MiB of %j costs time in proportion to it',
  (piece) => {
    const text = piece.repeat(Math.ceil((1 << 20) / piece.length));
    const start = process.cpuUsage();
    parseIntentText(text);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
  },
);
