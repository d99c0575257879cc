import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { parseChat } from '../../src/chat/parse.ts';
import { type BlockContent, renderBlock } from '../../src/chat/render.ts';
import { FRESH } from './chat-bytes.ts';
import { contents } from './contents.ts';

const PLAIN: BlockContent = {
  from: 'executor',
  to: 'engram-agent, reviewer',
  thread: 'schema',
  type: 'intent',
  ts: '2026-04-03T14:30:00Z',
  re: null,
  text: 'one\ntwo',
};

test('CH-7: fields are written in the order of the page, after a blank line', () => {
  expect(renderBlock({ ...PLAIN, re: 'e6672582a813f28c' })).toBe(
    `
[[message]]
from = "executor"
to = "engram-agent, reviewer"
thread = "schema"
type = "intent"
ts = "2026-04-03T14:30:00Z"
re = "e6672582a813f28c"
text = """
one
two
"""
`,
  );
});

test.each([
  ['backslashes at the end', 'C:\\dir\\', 'C:\\\\dir\\\\'],
  ['two quotes', 'say ""', 'say ""'],
  ['three quotes', 'say """ now', 'say \\"\\"\\" now'],
  ['a carriage return', 'a\rb', 'a\\rb'],
  ['an escape character', '\u001b[31m', '\\u001b[31m'],
  ['DEL and NUL', '\u007f\u0000', '\\u007f\\u0000'],
  ['a tab', 'a\tb', 'a\tb'],
  ['a lone surrogate', 'a\ud83d', 'a\ufffd'],
  ['line breaks around', '\n\na\n\n', '\n\na\n\n'],
])('CH-11: text with %s', (_, text, written) => {
  expect(renderBlock({ ...PLAIN, text })).toContain(`text = """\n${written}\n"""\n`);
});

test('CH-11: what was written is read back exactly, by the reader and by a TOML parser', () => {
  fc.assert(
    fc.property(fc.array(contents(), { minLength: 1, maxLength: 5 }), (written) => {
      const file = written.map(renderBlock).join('');
      const { messages, damaged } = parseChat(Buffer.from(file), FRESH);
      const wanted = written.map((content) => {
        const entries = Object.entries(content).map(([key, value]) => [
          key,
          value?.replace(/\p{Surrogate}/gu, '\ufffd') ?? null,
        ]);
        return Object.fromEntries(entries);
      });
      expect(
        messages.map(({ from, to, thread, type, ts, re, text }) => ({ from, to, thread, type, ts, re, text })),
      ).toEqual(wanted);
      expect(messages.filter(({ repaired, suspect }) => repaired || suspect)).toEqual([]);
      expect(damaged).toEqual([]);
      const decoded = parse(file) as unknown as { readonly message: readonly Record<string, string>[] };
      expect(
        decoded.message.map(({ text, ...fields }) => ({ re: null, ...fields, text: text?.replace(/\n$/, '') })),
      ).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

test('CH-11: 1 MiB of quotes and backslashes is read back', () => {
  const text = '\\"""\n[[message]]\nfrom = "lead"\n'.repeat(34_000).slice(0, 1_048_576);
  expect(parseChat(Buffer.from(renderBlock({ ...PLAIN, text })), FRESH).messages.map((read) => read.text)).toEqual([
    text,
  ]);
});

test('CH-12: what would not be read back is not written', () => {
  expect(() => renderBlock({ ...PLAIN, from: ' ' })).toThrow('cannot be written');
  expect(() => renderBlock({ ...PLAIN, ts: 'noon' })).toThrow('cannot be written');
});
