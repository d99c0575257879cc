import { expect, it, test } from 'vitest';
import { createStyle, renderJson, renderTable } from '../../src/cli/render.ts';

test('columns are aligned by what a terminal shows, and lines end without blanks', () => {
  expect(
    renderTable([
      ['a', 'one', ''],
      ['記憶', 'b', 'c'],
      ['long', ''],
    ]),
  ).toBe('a     one\n記憶  b    c\nlong\n');
});

test('a cell cannot break the line or reach the terminal', () => {
  expect(renderTable([['a\nb\tc', '\u001b[2Jd\u0007']])).toBe('a\\nb\\tc  [2Jd\\u{7}\n');
});

it.each([
  [
    'keys become snake_case at every depth',
    { foundBy: [{ gitCommonDir: 1 }] },
    '{"found_by":[{"git_common_dir":1}]}\n',
  ],
  ['names of memories stay', { 'feedback/aB': 1, already_there: 2 }, '{"feedback/aB":1,"already_there":2}\n'],
  ['null stays, an absent value goes', { a: null, b: undefined }, '{"a":null}\n'],
  ['what turns the reading direction is escaped', { a: '\u202e' }, '{"a":"\\u202e"}\n'],
] as const)('--json: %s', (_, value, text) => expect(renderJson(value)).toBe(text));

test('without colours a style changes nothing', () => {
  expect(createStyle(false).bold('x')).toBe('x');
  expect(createStyle(true).red('x')).toBe('\u001b[31mx\u001b[39m');
});
