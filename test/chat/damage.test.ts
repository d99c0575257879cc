import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { createChatReader, parseChat } from '../../src/chat/parse.ts';
import { renderBlock } from '../../src/chat/render.ts';
import { block, canonicalBlock, FRESH, NOW_MS, QUIET } from './chat-bytes.ts';
import { contents, nastyTexts } from './contents.ts';
import { cutAt, damagedBytes, edits } from './edits.ts';

const RUNS = Number(process.env.ENGRAM_PROPERTY_RUNS ?? 300);

const key = ({ from, to, thread, type, ts, re, text }: Omit<Message, never>) =>
  JSON.stringify([from, to, thread, type, ts, re, text]);

/** What a good file says, with the borders of its blocks. */
function goodFile(written: readonly string[]) {
  const bytes = Buffer.from(written.join(''));
  const { messages } = parseChat(bytes, FRESH);
  expect(messages).toHaveLength(written.length);
  return { bytes, messages };
}

/** In the order of their times, as they are in a file. */
const goodBlocks = fc
  .array(contents(), { minLength: 3, maxLength: 6 })
  .map((all) => [...all].sort((a, b) => (a.ts < b.ts ? -1 : 1)).map(renderBlock));

describe('CH-19: damage inside one block', () => {
  test('costs that block and nothing else, whatever it is', () => {
    fc.assert(
      fc.property(goodBlocks, fc.nat(), edits(), (written, which, damage) => {
        const { bytes, messages } = goodFile(written);
        const at = which % messages.length;
        const damaged = messages[at];
        if (damaged === undefined) return;
        const after = damagedBytes(bytes, damaged.start, damaged.end, damage);
        const read = parseChat(after.bytes, QUIET);
        const others = messages.filter((message) => message !== damaged).map(key);
        const kept = new Set(others);
        expect(read.messages.map(key).filter((one) => kept.has(one))).toEqual(expect.arrayContaining(others));
        // What is neither was made of the bytes of the damaged block.
        for (const message of read.messages.filter((one) => !kept.has(key(one)))) {
          expect(message.start).toBeGreaterThanOrEqual(messages[at - 1]?.start ?? 0);
          expect(message.start).toBeLessThanOrEqual(after.end);
        }
        // Nobody is suspected for long.
        const [, ...later] = messages.slice(at + 1).map(key);
        const good = read.messages.filter(({ suspect }) => !suspect).map(key);
        expect(good).toEqual(expect.arrayContaining(later));
      }),
      { numRuns: RUNS },
    );
  });

  test('is found at the same places however the bytes are cut', () => {
    fc.assert(
      fc.property(
        goodBlocks,
        fc.nat(),
        edits(),
        fc.array(fc.nat(), { maxLength: 6 }),
        (written, which, damage, places) => {
          const { bytes, messages } = goodFile(written);
          const damaged = messages[which % messages.length];
          if (damaged === undefined) return;
          const after = damagedBytes(bytes, damaged.start, damaged.end, damage).bytes;
          const reader = createChatReader();
          const readings = cutAt(after, places).map((piece) => reader.feed(piece, QUIET.nowMs));
          readings.push(reader.end(QUIET));
          const whole = parseChat(after, QUIET);
          expect(readings.flatMap((reading) => reading.messages)).toEqual(whole.messages);
          expect(readings.flatMap((reading) => reading.damaged)).toEqual(whole.damaged);
          expect([reader.border, reader.tail]).toEqual([whole.border, whole.tail]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('CH-20: is reported once while the file grows, and never keeps a whole message back', () => {
    fc.assert(
      fc.property(goodBlocks, fc.nat(), edits(), (written, which, damage) => {
        const { bytes, messages } = goodFile(written);
        const damaged = messages[which % messages.length];
        if (damaged === undefined) return;
        const after = damagedBytes(bytes, damaged.start, damaged.end, damage);
        const reader = createChatReader();
        const readings = [
          reader.feed(after.bytes.subarray(0, after.end), NOW_MS),
          reader.end(QUIET),
          reader.end(QUIET),
        ];
        readings.push(reader.feed(after.bytes.subarray(after.end), NOW_MS), reader.end(QUIET));
        const ranges = readings.flatMap((reading) => reading.damaged);
        expect(new Set(ranges.map(({ first }) => first)).size).toBe(ranges.length);
        const others = messages.filter((message) => message !== damaged).map(key);
        expect(readings.flatMap((reading) => reading.messages).map(key)).toEqual(expect.arrayContaining(others));
      }),
      { numRuns: RUNS },
    );
  });
});

test('CH-20: bytes of any kind are read without an error, and a good block behind them is found', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    nastyTexts().map((text) => Buffer.from(text)),
  );
  const last = canonicalBlock({ text: 'the last one' });
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 4 }), (parts) => {
      const read = parseChat(Buffer.concat([...parts, Buffer.from(`\n${last}`)]), QUIET);
      expect(read.messages.at(-1)?.text).toBe('the last one');
    }),
    { numRuns: RUNS },
  );
});

describe('CH-18: closed damage costs the block alone, and nobody is suspect', () => {
  test.each([
    ['no from', ['to = "b"', 'text = "x"']],
    ['no from', ['from = " "', 'text = "x"']],
    ['no text', ['from = "a"', 'to = "b"']],
    ['a key that is there twice', ['from = "a"', 'from = "b"', 'text = "x"']],
    ['a key that is there twice', ['from = "a"', 'text = "x"', 'text = "y"']],
    ['a string that is not closed on its line', ['from = "a"', 'text = "C:\\dir\\"']],
    ['from is no string', ['from = 5', 'text = "x"']],
    ['re is no string', ['from = "a"', 're = e6672582a813f28c', 'text = "x"']],
    ['ts is no time', ['from = "a"', 'ts = yesterday', 'text = "x"']],
  ])('%s', (reason, lines) => {
    const text =
      canonicalBlock({ text: 'before' }) + block('[[message]]', ...lines) + canonicalBlock({ text: 'after' });
    const { messages, damaged } = parseChat(Buffer.from(text), FRESH);
    expect(damaged).toEqual([{ first: 12, last: 12 + lines.length, reason }]);
    expect(messages.map((message) => [message.text, message.suspect])).toEqual([
      ['before', false],
      ['after', false],
    ]);
  });

  test('a text that is not UTF-8 is lost', () => {
    const bad = Buffer.concat([
      Buffer.from('[[message]]\nfrom = "a"\ntext = "'),
      Buffer.from([0xe4]),
      Buffer.from('"\n'),
    ]);
    const { messages, damaged } = parseChat(Buffer.concat([bad, Buffer.from(canonicalBlock())]), FRESH);
    expect([messages.length, damaged]).toEqual([1, [{ first: 1, last: 3, reason: 'text is not UTF-8' }]]);
  });

  test.each([
    ['a control character', 'a\u0001b', 'a\u0001b'],
    ['a carriage return', 'a\rb', 'a\rb'],
    ['half a code point', '\\ud800', '\\ud800'],
    ['a code point that is none', '\\U00110000', '\\U00110000'],
    ['known and unknown escapes', '\\d\\t\\\\ \\x41', '\\d\t\\ \\x41'],
  ])('%s in a text is kept as typed', (_, typed, text) => {
    const [message] = parseChat(Buffer.from(canonicalBlock({ text: typed })), FRESH).messages;
    expect([message?.text, message?.repaired, message?.suspect]).toEqual([text, true, false]);
  });
});

describe('CH-19: who is suspect', () => {
  const DAMAGE = '\nthis is no block\n';
  const at = (minute: number, more: object = {}) =>
    canonicalBlock({ ts: `2026-04-03T14:${String(minute).padStart(2, '0')}:00Z`, text: String(minute), ...more });
  const untyped = (text: string, ts: string) =>
    block('[[entry]]', 'from = "x"', 'to = "y"', ...(ts === '' ? [] : [`ts = "${ts}"`]), `text = "${text}"`);
  const suspects = (text: string) =>
    parseChat(Buffer.from(text), FRESH)
      .messages.filter(({ suspect }) => suspect)
      .map((message) => message.text);

  test.each([
    ['the first block behind the range', at(1) + block('[[message]]', DAMAGE) + at(2) + at(3), ['2']],
    [
      'older blocks until a canonical one that is not',
      at(5) + block('[[message]]', DAMAGE) + at(3) + at(4) + at(5) + at(2),
      ['3', '4'],
    ],
    [
      'not one of the same second, except the first',
      at(5) + block('[[message]]', DAMAGE) + at(5) + at(5, { text: 'b' }),
      ['5'],
    ],
    [
      'one without a time',
      at(5) + block('[[message]]', DAMAGE) + untyped('u', '') + untyped('v', '') + at(6) + untyped('w', ''),
      ['u', 'v'],
    ],
    [
      'not for ever because of a time in the future, which ends nothing either',
      at(5) +
        at(6, { ts: '2099-01-01T00:00:00Z', text: 'future' }) +
        block('[[message]]', DAMAGE) +
        at(7, { ts: '2098-01-01T00:00:00Z', text: 'f' }) +
        at(3) +
        at(8) +
        at(2),
      ['f', '3'],
    ],
    [
      'other orders of keys end nothing',
      at(5) + block('[[message]]', DAMAGE) + untyped('u', '2026-04-03T15:00:00Z') + at(3),
      ['u', '3'],
    ],
    [
      'again after more damage',
      at(5) + block('[[message]]', DAMAGE) + at(6) + block('[[message]]', DAMAGE) + at(7),
      ['6', '7'],
    ],
  ])('%s', (_, text, expected) => expect(suspects(text)).toEqual(expected));

  test('a whole message with other text right behind it is delivered, but suspect', () => {
    expect(suspects(`${at(1)}${at(2)}stray words\n${at(3)}${at(4)}`)).toEqual(['2', '3']);
  });

  test('not before a header that was torn off, or whose line is damaged alone', () => {
    expect(suspects(`${at(1)}\n[[mess\n${at(2)}`)).toEqual(['2']);
  });

  test('a reader that goes on from a border suspects the same blocks', () => {
    const text = at(5) + block('[[message]]', DAMAGE) + at(3) + at(4) + at(6);
    const whole = parseChat(Buffer.from(text), FRESH).messages;
    for (const message of whole) {
      const border = parseChat(Buffer.from(text).subarray(0, message.end), FRESH).border;
      const reader = createChatReader({ from: structuredClone(border) });
      const rest = [
        ...reader.feed(Buffer.from(text).subarray(border.offset), NOW_MS).messages,
        ...reader.end(FRESH).messages,
      ];
      expect(rest).toEqual(whole.filter(({ start }) => start >= message.end));
    }
  });
});

test('CH-17: a header is lost, and the block before it stays whole', () => {
  const text =
    canonicalBlock({ text: 'one' }) +
    canonicalBlock({ text: 'two' }).replace('[[message]]\n', '') +
    canonicalBlock({ text: 'three' });
  const { messages, damaged } = parseChat(Buffer.from(text), FRESH);
  expect(messages.map((message) => message.text)).toEqual(['one', 'three']);
  expect(damaged).toEqual([{ first: 12, last: 19, reason: 'text outside strings' }]);
});
