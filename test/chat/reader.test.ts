import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { createChatReader, type DamagedRange, isAfter, parseChat } from '../../src/chat/parse.ts';
import { renderBlock } from '../../src/chat/render.ts';
import { canonicalBlock, FRESH, NOW_MS, QUIET } from './chat-bytes.ts';
import { contents, foreignBlocks } from './contents.ts';
import { cutAt } from './edits.ts';

const RUNS = Number(process.env.ENGRAM_PROPERTY_RUNS ?? 200);

/** Blocks of engram and of other tools. */
const blocks = fc.oneof({ arbitrary: contents().map(renderBlock), weight: 3 }, foreignBlocks());
const files = fc.array(blocks, { maxLength: 8 }).map((written) => Buffer.from(written.join('')));
const cuts = fc.array(fc.nat(), { maxLength: 8 });

const withoutPlace = ({ from, to, thread, type, ts, re, text, id }: Message) => ({
  from,
  to,
  thread,
  type,
  ts,
  re,
  text,
  id,
});

describe('CH-17: whole messages, in order, once', () => {
  test('however the bytes are cut', () => {
    fc.assert(
      fc.property(files, cuts, (bytes, places) => {
        const reader = createChatReader();
        const readings = cutAt(bytes, places).map((piece) => reader.feed(piece, NOW_MS));
        readings.push(reader.end(FRESH));
        const whole = parseChat(bytes, FRESH);
        expect(readings.flatMap(({ messages }) => messages)).toEqual(whole.messages);
        expect(readings.flatMap(({ damaged }) => damaged)).toEqual(whole.damaged);
        expect(reader.border).toEqual(whole.border);
      }),
      { numRuns: RUNS },
    );
  });

  test('wherever a reader sees the end of the file while others write', () => {
    fc.assert(
      fc.property(files, cuts, (bytes, places) => {
        const reader = createChatReader();
        const messages: Message[] = [];
        const damaged: DamagedRange[] = [];
        for (const piece of cutAt(bytes, places)) {
          for (const reading of [reader.feed(piece, NOW_MS), reader.end(FRESH)]) {
            messages.push(...reading.messages);
            damaged.push(...reading.damaged);
          }
        }
        expect(messages.map(withoutPlace)).toEqual(parseChat(bytes, FRESH).messages.map(withoutPlace));
        expect(damaged).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('CH-23: from any border on another reader gives the rest', () => {
    fc.assert(
      fc.property(files, cuts, (bytes, places) => {
        const all = parseChat(bytes, FRESH).messages;
        for (const piece of cutAt(bytes, places)) {
          const border = parseChat(bytes.subarray(0, piece.byteOffset - bytes.byteOffset), FRESH).border;
          const reader = createChatReader({ from: border });
          const rest = [...reader.feed(bytes.subarray(border.offset), NOW_MS).messages, ...reader.end(FRESH).messages];
          expect(rest).toEqual(all.filter(({ start }) => start >= border.offset));
          expect(rest).toEqual(all.filter((message) => isAfter(message, border.cursor)));
        }
      }),
      { numRuns: RUNS },
    );
  });
});

test('CH-22: the cursor of every prefix stays a border when the file grows', () => {
  fc.assert(
    fc.property(files, fc.nat(), (bytes, place) => {
      const { cursor, messages } = parseChat(bytes.subarray(0, place % (bytes.length + 1)), FRESH);
      const later = parseChat(bytes, FRESH).messages;
      expect(later.filter((message) => !isAfter(message, cursor)).map(withoutPlace)).toEqual(
        messages.map(withoutPlace),
      );
    }),
    { numRuns: RUNS },
  );
});

test('CH-22: a cursor counts line ends, as wc -l does', () => {
  const bytes = Buffer.from(canonicalBlock({ text: 'ä\nb' }) + canonicalBlock());
  expect(parseChat(bytes, FRESH).messages.map(({ line, cursor }) => [line, cursor])).toEqual([
    [2, 11],
    [13, 21],
  ]);
});

describe('CH-21: an unfinished last block', () => {
  const HALF = `${canonicalBlock({ text: 'first' })}\n[[message]]\nfrom = "a"\nto = "b"\ntext = """\nhalf`;

  test('is damage when nothing changed for 10 s, and is read when its end comes after all', () => {
    const reader = createChatReader();
    reader.feed(Buffer.from(HALF), NOW_MS);
    expect(reader.end(FRESH).damaged).toEqual([]);
    expect(reader.end(QUIET).damaged).toEqual([{ first: 12, last: 16, reason: 'a string that does not end' }]);
    expect(reader.end(QUIET).damaged).toEqual([]);
    expect(reader.border.cursor).toBe(10);
    reader.feed(Buffer.from(' a text\n"""\n'), NOW_MS);
    expect(reader.end(FRESH)).toMatchObject({ messages: [{ text: 'half a text', suspect: false }], damaged: [] });
  });

  test('does not hide the messages of others who go on writing behind it', () => {
    const reader = createChatReader();
    const notes = ['one', 'two', 'three'].map((text) => `\n[[message]]\nfrom = "c"\nto = "all"\ntext = "${text}"\n`);
    reader.feed(Buffer.from(HALF), NOW_MS);
    reader.end(FRESH);
    const seen = notes.map((note, i) => {
      const nowMs = NOW_MS + (i + 1) * 4000;
      const fed = reader.feed(Buffer.from(note), nowMs);
      const { messages, damaged } = reader.end({ nowMs, unchangedMs: 0 });
      return [...fed.messages, ...messages].map(({ text }) => text).concat(damaged.map(({ reason }) => reason));
    });
    expect(seen).toEqual([[], [], ['one', 'two', 'three', 'a string that does not end']]);
  });

  test('without a line end at its end is whole, unless more quotes may follow', () => {
    const read = (text: string, moment = FRESH) => parseChat(Buffer.from(text), moment).messages.map((m) => m.text);
    const head = '[[message]]\nfrom = "a"\nto = "b"\ntext = ';
    expect([read(`${head}"x"`), read(`${head}"""\nx\n"""`), read(`${head}""`)]).toEqual([['x'], ['x'], []]);
    expect([read(`${head}"""x"""`), read(`${head}"""x"""`, QUIET)]).toEqual([[], ['x']]);
  });
});
