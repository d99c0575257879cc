import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendMessages } from '../../src/chat/append.ts';
import type { MessageDraft } from '../../src/chat/draft.ts';
import { parseChat } from '../../src/chat/parse.ts';
import { EngramError } from '../../src/errors.ts';
import { type FileSystem, realFileSystem } from '../../src/files/file-system.ts';
import { sweepTemps } from '../../src/files/lock.ts';
import { type Call, faultyFileSystem } from '../support/failing-file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { canonicalBlock, FRESH } from './chat-bytes.ts';

const DRAFT: MessageDraft = { from: 'executor', to: 'all', thread: 'schema', type: 'info', text: 'hello' };
const BEFORE = canonicalBlock({ text: 'before' });
const HALF = `${BEFORE}\n[[message]]\nfrom = "a"\nto = "b"\ntext = """\nhalf`;

const texts = (bytes: Uint8Array) => parseChat(bytes, FRESH).messages.map(({ text }) => text);

/** Null: no file and no directory. */
function prepared(content: string | null): string {
  const file = join(temporaryDirectory(), 'chat', 'chat.toml');
  if (content === null) return file;
  realFileSystem.mkdirSync(dirname(file), { mode: 0o700, recursive: true });
  writeFileSync(file, content);
  utimesSync(file, new Date('2026-01-01'), new Date('2026-01-01'));
  return file;
}

const bytesOf = (file: string): Buffer | null => {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
};

/** Runs a post and says how it ended. */
function post(file: string, fs: FileSystem): EngramError | null {
  try {
    appendMessages(file, [DRAFT], { pause: () => {} }, fs);
    return null;
  } catch (error) {
    if (error instanceof EngramError) return error;
    throw error;
  }
}

/** The calls of a post that nothing disturbs. */
function callsOf(content: string | null): Call[] {
  const calls: Call[] = [];
  post(
    prepared(content),
    faultyFileSystem((call) => {
      calls.push(call);
      return null;
    }),
  );
  return calls;
}

describe.each([
  ['a new file', null, []],
  ['a file', BEFORE, ['before']],
  ['a file with an open end', HALF, ['before', 'half']],
] as const)('CH-14: a post to %s', (_, content, there) => {
  const calls = callsOf(content);

  test.each(['ENOSPC', 'EACCES', 'EIO', 'EBUSY'])(
    'of which any call fails once with %s is whole or not there',
    (code) => {
      const outcomes = calls.map((call, i) => {
        const file = prepared(content);
        const before = bytesOf(file);
        const error = post(
          file,
          faultyFileSystem((_call, _nth, ofAll) => (ofAll === i + 1 ? code : null)),
        );
        const after = bytesOf(file);
        const isUnconfirmed = error?.message.includes('did not confirm') === true;
        if (error === null || isUnconfirmed) {
          expect([call, texts(after ?? Buffer.alloc(0))]).toEqual([call, [...there, 'hello']]);
          expect(after?.subarray(0, before?.length ?? 0)).toEqual(before ?? Buffer.alloc(0));
        } else {
          expect([call, after?.toString() ?? '']).toEqual([call, before?.toString() ?? '']);
          expect([call, error.code]).toEqual([call, code === 'ENOSPC' ? 'disk.full' : 'file.write']);
        }
        // The next post works, and nothing is left beside the file but what the next start removes.
        appendMessages(file, [{ ...DRAFT, text: 'next' }]);
        sweepTemps(dirname(file), { minimumAgeMs: 60_000 }, Date.now() + 61_000);
        expect(texts(readFileSync(file)).at(-1)).toBe('next');
        expect([call, readdirSync(dirname(file))]).toEqual([call, ['chat.toml']]);
        return error === null ? 'posted' : isUnconfirmed ? 'unconfirmed' : 'refused';
      });
      expect(new Set(outcomes)).toEqual(new Set(['posted', 'unconfirmed', 'refused']));
    },
  );
});

/** The real file system, in which a long write does as `write` says. */
function withWrite(write: (descriptor: number, bytes: Uint8Array) => number): FileSystem {
  return {
    ...realFileSystem,
    writeSync: (descriptor, bytes, offset, length) =>
      length < 50 ? realFileSystem.writeSync(descriptor, bytes, offset, length) : write(descriptor, bytes),
  };
}

const noSpace = (): never => {
  throw Object.assign(new Error('ENOSPC: injected'), { code: 'ENOSPC' });
};

describe('CH-14: a short write', () => {
  const half = (descriptor: number, bytes: Uint8Array) =>
    realFileSystem.writeSync(descriptor, bytes, 0, bytes.length >> 1);

  test.each([
    ['that says so', half],
    [
      'that fails after some bytes',
      (descriptor: number, bytes: Uint8Array): number => {
        half(descriptor, bytes);
        return noSpace();
      },
    ],
    ['of nothing', noSpace],
  ])('%s is cut back', (_, write) => {
    for (const content of [BEFORE, HALF]) {
      const file = prepared(content);
      expect(post(file, withWrite(write))?.code).toBe('disk.full');
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
  });

  test('behind which somebody else has written is left, and costs only itself', () => {
    const file = prepared(BEFORE);
    const foreign = canonicalBlock({ from: 'shell', text: 'foreign' });
    const error = post(
      file,
      withWrite((descriptor, bytes) => {
        const written = half(descriptor, bytes);
        appendFileSync(file, foreign);
        return written;
      }),
    );
    expect([error?.code, error?.message]).toEqual(['disk.full', expect.stringContaining('readers skip it')]);
    expect(readFileSync(file, 'utf8').startsWith(BEFORE)).toBe(true);
    expect(readFileSync(file, 'utf8').endsWith(foreign)).toBe(true);
    expect(texts(readFileSync(file))).toEqual(['before', 'foreign']);
    appendMessages(file, [DRAFT]);
    expect(texts(readFileSync(file))).toEqual(['before', 'foreign', 'hello']);
  });

  test('that cannot be cut back is closed by the next post', () => {
    const file = prepared(BEFORE);
    const full = { ...withWrite(half), ftruncateSync: noSpace };
    expect(post(file, full)?.message).toContain('readers skip it');
    appendMessages(file, [DRAFT], { pause: () => {}, now: () => Date.now() + 5000 });
    expect(texts(readFileSync(file))).toEqual(['before', 'hello']);
  });
});

test('CH-15: a writer without the lock that comes in between moves the cursor', () => {
  const file = prepared(BEFORE);
  const foreign = canonicalBlock({ from: 'shell', text: 'foreign' });
  const fs = withWrite((descriptor, bytes) => {
    appendFileSync(file, foreign);
    return realFileSystem.writeSync(descriptor, bytes, 0, bytes.length);
  });
  const { messages, cursor } = appendMessages(file, [DRAFT], {}, fs);
  const read = parseChat(readFileSync(file), FRESH);
  expect(read.messages.map(({ text }) => text)).toEqual(['before', 'foreign', 'hello']);
  expect([read.messages.at(-1), read.cursor]).toEqual([messages[0], cursor]);
});

test('CH-14: a writer without the lock that is seen in time is taken into account', () => {
  const file = prepared(BEFORE);
  let once = true;
  const fs: FileSystem = {
    ...realFileSystem,
    openSync: (path, flags, mode) => {
      if (flags === 'a+' && once) appendFileSync(file, '\n[[message]]\nfrom = "a"\nto = "b"\ntext = "no line end"');
      if (flags === 'a+') once = false;
      return realFileSystem.openSync(path, flags, mode);
    },
  };
  const { cursor } = appendMessages(file, [DRAFT], {}, fs);
  const read = parseChat(readFileSync(file), FRESH);
  expect(read.messages.map(({ text }) => text)).toEqual(['before', 'no line end', 'hello']);
  expect(cursor).toBe(read.cursor);
});
