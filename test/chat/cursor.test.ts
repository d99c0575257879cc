import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openChatFile } from '../../src/chat/chat-file.ts';
import { endCursor } from '../../src/chat/cursor.ts';
import { followChat } from '../../src/chat/follow.ts';
import { isAfter, parseChat } from '../../src/chat/parse.ts';
import { readAll } from '../../src/chat/read-end.ts';
import { engramError } from '../support/engram-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { canonicalBlock, FRESH, NOW_MS } from './chat-bytes.ts';

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'chat.toml');
});

/** More than one message may be long, so that what is close to its end is read by itself. */
const LONG_PAST = Array.from({ length: 900 }, (_, at) =>
  canonicalBlock({
    ts: `2026-04-03T10:${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}Z`,
    text: `${at} `.repeat(350),
  }),
).join('');

const late = (text: string, more: Parameters<typeof canonicalBlock>[0] = {}) =>
  canonicalBlock({ ts: '2026-05-01T10:00:00Z', text, ...more });

/** What a reader of the whole file would return behind a cursor. */
function allBehind(text: string) {
  const { messages } = parseChat(Buffer.from(text), FRESH);
  return (cursor: number) => messages.filter((message) => isAfter(message, cursor));
}

function readBehind(cursor: number | null) {
  using follower = followChat(path, cursor, () => NOW_MS);
  return readAll(follower).messages;
}

const PASTE = canonicalBlock({ type: 'ack', text: 'pasted' }) + canonicalBlock({ type: 'ack', text: 'pasted too' });

/** More than is looked at first. */
const FILLER = Array.from({ length: 900 }, (_, at) => `line ${at} of a log that somebody quotes whole`).join('\n');
const ONE_LINERS = Array.from(
  { length: 3 },
  (_, at) =>
    `[[message]]\nfrom = "lead"\nto = "all"\nthread = "t"\ntype = "shutdown"\nts = "2026-05-02T10:00:0${at}Z"\ntext = "pasted"\n`,
).join('\n');

describe('CH-23: what is read behind a cursor is what a reader of the whole file finds there', () => {
  test.each([
    ['ordinary messages', late('one') + late('two\nlines') + late('three')],
    ['blocks pasted into a text', late(`see:\n${PASTE.replaceAll('"""', '\\"\\"\\"')}\nend`) + late('next')],
    [
      "blocks pasted whole between '''",
      `${late('one')}\n[[message]]\nfrom = "sh"\nto = "all"\ntext = '''\n${PASTE}\n'''\n${late('next')}`,
    ],
    ['blocks pasted behind a stray """', late(`a """ b\n${PASTE}`) + late('next') + late('after')],
    ['a file that ends in a block', `${late('one')}\n[[message]]\nfrom = "a"\ntext = """\nhalf`],
    ['blocks of one-line texts pasted into a long text', late(`${FILLER}\n${ONE_LINERS}\nend`) + late('next')],
    ['text where no text may be', `${late('one')}garbage\n${late('next')}`],
  ])('%s', (_, tail) => {
    const text = LONG_PAST + tail;
    writeFileSync(path, text);
    const expected = allBehind(text);
    const first = LONG_PAST.split('\n').length - 12;
    const last = text.split('\n').length - 1;
    for (let cursor = first; cursor <= last; cursor += 1) {
      expect({ cursor, messages: readBehind(cursor) }).toEqual({ cursor, messages: expected(cursor) });
    }
  });

  test('also behind the first line and in the middle', () => {
    writeFileSync(path, LONG_PAST);
    const expected = allBehind(LONG_PAST);
    for (const cursor of [0, 1, 2, 4005, 8999]) expect(readBehind(cursor)).toEqual(expected(cursor));
  });
});

test.each([
  ['whole', '', 0],
  ['with an unfinished block', '\n[[message]]\nfrom = "a"\ntext = """\nhalf', 0],
  ['with blank lines at its end', '\n\n', 0],
])('CH-22: the cursor at the end of a file %s is its last border', (_, end, more) => {
  writeFileSync(path, LONG_PAST + late('last') + end);
  using file = openChatFile(path);
  if (file === null) throw new Error('no file');
  expect(endCursor(file, NOW_MS)).toBe((LONG_PAST + late('last')).split('\n').length - 1 + more);
});

test('CH-24: a cursor past the end is refused with its lines and what to do; one beyond is the end', () => {
  writeFileSync(path, late('one'));
  expect(readBehind(11)).toEqual([]);
  expect(() => followChat(path, 12)).toThrow(
    expect.objectContaining({
      code: 'chat.cursor',
      exitCode: 6,
      message: 'cursor 12 is past the end (10 lines): the file was replaced or cut; take a new one: engram chat cursor',
    }),
  );
});

describe('CH-51: what is no chat file is refused', () => {
  test.each<[string, () => void]>([
    ['a directory', () => mkdirSync(path)],
    ['a FIFO', () => execFileSync('mkfifo', [path])],
    ['a picture', () => writeFileSync(path, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))],
    ['UTF-16', () => writeFileSync(path, Buffer.from('[[message]]\nfrom = "a"\n', 'utf16le'))],
  ])('%s', (_, make) => {
    make();
    expect(() => followChat(path, null)).toThrow(engramError('chat.damaged'));
  });

  test('but a chat file with a picture in it is read', () => {
    writeFileSync(path, Buffer.concat([Buffer.from('89504e470d0a1a0a00', 'hex'), Buffer.from(`\n${late('one')}`)]));
    expect(readBehind(0).map(({ text }) => text)).toEqual(['one']);
  });
});
