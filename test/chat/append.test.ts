import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AppendOptions, appendMessages } from '../../src/chat/append.ts';
import type { MessageDraft } from '../../src/chat/draft.ts';
import { parseChat } from '../../src/chat/parse.ts';
import { realFileSystem } from '../../src/files/file-system.ts';
import { engramError } from '../support/engram-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { canonicalBlock, FRESH } from './chat-bytes.ts';

const DRAFT: MessageDraft = { from: 'executor', to: 'all', thread: 'schema', type: 'info', text: 'hello' };

const chatFile = (): string => join(temporaryDirectory(), 'chat.toml');
const read = (file: string) => parseChat(readFileSync(file), FRESH);
const texts = (file: string) => read(file).messages.map(({ text }) => text);

/** A file as a killed writer left it, some time ago. */
function leftFile(content: string): string {
  const file = chatFile();
  writeFileSync(file, content);
  utimesSync(file, new Date('2026-01-01'), new Date('2026-01-01'));
  return file;
}

const HALF = '\n[[message]]\nfrom = "a"\nto = "b"\n';

describe('CH-9: a post', () => {
  test('CH-1, CH-9: makes the directory 0700 and the file 0600, and leaves no lock behind', () => {
    const directory = join(temporaryDirectory(), 'data', 'chat');
    const file = join(directory, 'chat.toml');
    appendMessages(file, [DRAFT]);
    expect([statSync(directory).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(directory)).toEqual(['chat.toml']);
  });

  test('CH-15: answers with what the reader returns, and with the cursor behind it', () => {
    const file = leftFile(canonicalBlock({ text: 'ä\nb' }));
    const first = appendMessages(file, [DRAFT]);
    const both = appendMessages(file, [
      DRAFT,
      { ...DRAFT, from: 'lead', re: first.messages[0]?.id ?? '', text: 'two\nü' },
    ]);
    const { messages, cursor } = read(file);
    expect(messages.slice(1)).toEqual([...first.messages, ...both.messages]);
    expect([first.cursor, both.cursor]).toEqual([messages[1]?.cursor, cursor]);
    expect(spawnSync('wc', ['-l'], { input: readFileSync(file), encoding: 'utf8' }).stdout.trim()).toBe(String(cursor));
  });

  test('CH-9, CH-10: waits for the lock of a shell, and takes its time after that', () => {
    const file = chatFile();
    mkdirSync(`${file}.lock`);
    let nowMs = Date.now();
    const release = () => {
      nowMs += 5000;
      realFileSystem.rmdirSync(`${file}.lock`);
    };
    const startedMs = nowMs;
    const { messages } = appendMessages(file, [DRAFT], { now: () => nowMs, pause: release });
    expect(Date.parse(messages[0]?.ts ?? '')).toBe(Math.floor((startedMs + 5000) / 1000) * 1000);
  });

  test('CH-9: gives up on a lock that stays, and at once without waiting', () => {
    const file = chatFile();
    writeFileSync(`${file}.lock`, `${process.ppid}\n`);
    expect(() => appendMessages(file, [DRAFT], { pause: () => {} })).toThrow(engramError('lock.timeout'));
    expect(() => appendMessages(file, [DRAFT], { wait: false })).toThrow(engramError('lock.timeout'));
    expect(readdirSync(join(file, '..'))).toEqual(['chat.toml.lock']);
  });

  test('follows a link to the file, and refuses what is no file', () => {
    const file = leftFile('');
    const link = chatFile();
    symlinkSync(file, link);
    appendMessages(link, [DRAFT]);
    expect(texts(file)).toEqual(['hello']);
    for (const make of [(path: string) => mkdirSync(path), (path: string) => spawnSync('mkfifo', [path])]) {
      const path = chatFile();
      make(path);
      expect(() => appendMessages(path, [DRAFT])).toThrow(engramError('chat.damaged'));
    }
  });
});

describe('CH-13: the end of the file is repaired by appending', () => {
  test.each([
    ['half a text', `${HALF}text = """\nhalf a l`, 'half a l'],
    ['a text without its closing quotes', `${HALF}text = """\nwhole\n`, 'whole'],
    ['a text with two of them', `${HALF}text = """\nwhole\n""`, 'whole\n""'],
    ['a text that ends with a backslash', `${HALF}text = """\nhalf\\`, 'half'],
    ['a literal text', `${HALF}text = '''half`, 'half'],
    ['no line end', `${HALF}text = "x"`, 'x'],
    ['no text', `${HALF}`, null],
    ['half a key', `${HALF}te`, null],
    ['half a string of one line', `${HALF}text = "abc`, null],
    ['half a header', '\n[[mess', null],
    ['half a character', Buffer.from(`${HALF}text = """\nä`).subarray(0, -1), null],
  ])('after %s', (_, content, rescued) => {
    const before = Buffer.concat([Buffer.from(canonicalBlock({ text: 'before' })), Buffer.from(content)]);
    const file = leftFile('');
    writeFileSync(file, before);
    utimesSync(file, new Date('2026-01-01'), new Date('2026-01-01'));
    const { cursor, messages } = appendMessages(file, [DRAFT]);
    appendMessages(file, [{ ...DRAFT, text: 'after' }]);
    expect(readFileSync(file).subarray(0, before.length)).toEqual(before);
    expect(texts(file)).toEqual(['before', ...(rescued === null ? [] : [rescued]), 'hello', 'after']);
    const found = read(file).messages.find(({ text }) => text === 'hello');
    expect([found?.cursor, found?.id, found?.line, found?.start]).toEqual([
      cursor,
      messages[0]?.id,
      messages[0]?.line,
      messages[0]?.start,
    ]);
  });

  test('but the messages of others behind an open string stay messages', () => {
    const others = ['one', 'two'].map((text) => `\n[[message]]\nfrom = "c"\nto = "all"\ntext = "${text}"\n`).join('');
    for (const quotes of ['"""', "'''"]) {
      const file = leftFile(`${HALF}text = ${quotes}\nhalf\n${others}`);
      appendMessages(file, [DRAFT]);
      expect(texts(file)).toEqual(['one', 'two', 'hello']);
      expect(read(file).damaged).toHaveLength(1);
      expect(read(file).messages.at(-1)?.suspect).toBe(false);
    }
  });

  test('once a writer without the lock has had a second to go on', () => {
    const file = chatFile();
    writeFileSync(file, `${HALF}text = """\nhalf`);
    let pauses = 0;
    const options: AppendOptions = {
      now: () => Date.now() + pauses * 50,
      pause: () => {
        pauses += 1;
        if (pauses === 5) appendFileSync(file, ' and the rest\n"""\n');
      },
    };
    appendMessages(file, [DRAFT], options);
    expect([texts(file), pauses]).toEqual([['half and the rest', 'hello'], 5]);
  });

  test('and not at all, with an error, while such a writer goes on for ever, or nobody may wait', () => {
    const file = chatFile();
    writeFileSync(file, `${HALF}text = """\nhalf`);
    expect(() => appendMessages(file, [DRAFT], { wait: false })).toThrow(engramError('write.contended'));
    expect(() => appendMessages(file, [DRAFT], { pause: () => appendFileSync(file, '.') })).toThrow(
      engramError('write.contended'),
    );
    expect(readFileSync(file, 'utf8')).toMatch(/half\.+$/);
  });
});

describe('CH-16: nothing is written', () => {
  test.each([
    ['a text above 1 MiB', { text: 'ä'.repeat(524_289) }],
    ['an empty text', { text: ' \n' }],
    ['an empty from', { from: '' }],
    ['an empty to', { to: ' , ' }],
    ['an empty thread', { thread: ' ' }],
    ['an empty type', { type: '' }],
    ['everybody as sender', { from: 'All' }],
    ['a sender with a line break', { from: 'a\n[[message]]' }],
    ['a sender with quotes', { from: 'a"' }],
    ['a name of 65 letters', { to: 'a'.repeat(65) }],
    ['all beside a name', { to: 'all, lead' }],
    ['a thread of two lines', { thread: 'a\nb' }],
    ['a thread of 121 letters', { thread: 'a'.repeat(121) }],
    ['a type with capitals', { type: 'ACK' }],
    ['an id that is none', { re: 'the last one' }],
  ])('for %s', (_, change) => {
    const file = chatFile();
    expect(() => appendMessages(file, [DRAFT, { ...DRAFT, ...change }])).toThrow(engramError('chat.draft'));
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  // Put together here, so that no scanner takes this file for one that holds a secret.
  const SECRET = ['ghp', 'x7Rk2mQ9vT4nB8sL1wZ6yC3dF5gH0jK2pA9e'].join('_');

  test('for a secret, which is named by kind and line only; --redact posts the rest', () => {
    const file = chatFile();
    const draft = { ...DRAFT, text: `the token\nis ${SECRET} here` };
    expect(() => appendMessages(file, [draft])).toThrow(engramError('chat.secret'));
    expect(() => appendMessages(file, [draft])).toThrow(
      /^line 2 of the text looks like it holds a secret \([a-z-]+\)$/,
    );
    expect(readdirSync(join(file, '..'))).toEqual([]);
    appendMessages(file, [draft], { redact: true });
    expect(texts(file)).toEqual([expect.stringMatching(/^the token\nis \[redacted:[a-z-]+\] here$/)]);
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
  });

  test('recipients are written with one comma and one blank between them', () => {
    const file = chatFile();
    appendMessages(file, [{ ...DRAFT, to: 'engram-agent,,  reviewer ' }]);
    expect(read(file).messages[0]?.to).toBe('engram-agent, reviewer');
  });
});
