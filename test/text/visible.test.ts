import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible, visibleJson } from '../../src/text/visible.ts';

test.each([
  ['line breaks and tabs stay', 'a\n\tb', 'a\n\tb'],
  ['an ANSI sequence loses its escape', '\x1b[31mred\x1b[0m', '[31mred[0m'],
  ['a lone escape is shown', 'a\x1b', 'a\\u{1b}'],
  ['a CR is shown', 'new\rold', 'new\\u{d}old'],
  ['C1 and NUL are shown', '\x9b31m\0', '\\u{9b}31m\\u{0}'],
  ['bidi and zero width are shown', 'a\u202eb\u200bc\ufeff', 'a\\u{202e}b\\u{200b}c\\u{feff}'],
  ['fillers that are drawn as nothing are shown', 'a\u3164b\u034fc\u115f', 'a\\u{3164}b\\u{34f}c\\u{115f}'],
  [
    'what chooses the look of an emoji or ideograph stays',
    '\u26a0\ufe0f \u845b\u{e0100}',
    '\u26a0\ufe0f \u845b\u{e0100}',
  ],
  [
    'bytes hidden in variation selectors are shown',
    'a\u{e0148}\u26a0\ufe0f\u{e0165}\ufe01',
    'a\\u{e0148}\u26a0\ufe0f\\u{e0165}\\u{fe01}',
  ],
  ['a text of tags that only a model sees is shown', '\u{e0049}\u{e0067}', '\\u{e0049}\\u{e0067}'],
  ['a lone surrogate is shown, a pair stays', '\ud800 \u{1f680}', '\\u{d800} \u{1f680}'],
])('SE-59: %s', (_, text, expected) => expect(visible(text)).toBe(expected));

test('SE-59: nothing that hides itself is left, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Cf}\p{Cs}\r\x00-\x08\x7f-\x9f]/u.test(visible(text))),
  );
});

test('SE-59: JSON escapes C1 and bidi characters and parses to the same value', () => {
  const value = { text: 'a\u202eb\x9b\u{e0041}é', list: [1] };
  const json = visibleJson(value, 1);
  expect(json).not.toMatch(/[\p{Cf}\x7f-\x9f]/u);
  expect(json).toContain('é');
  expect(JSON.parse(json)).toEqual(value);
});
