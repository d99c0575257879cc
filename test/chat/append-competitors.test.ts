import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { createChatReader, parseChat } from '../../src/chat/parse.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { type Competitor, compete, shlock } from '../support/competitors.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { QUIET } from './chat-bytes.ts';

const LONG = process.env.ENGRAM_CHAT_TESTS === 'long';
const ENGRAM_WRITERS = LONG ? 8 : 3;
const SHELL_WRITERS = LONG ? 4 : 2;
const MESSAGES = LONG ? 200 : 15;
const DEATHS = LONG ? 12 : 3;
const timeout = LONG ? 1_800_000 : 120_000;

const appendMessages = bundleForChild(new URL('children/append-messages.ts', import.meta.url));
const shellAgent = fileURLToPath(new URL('competitors/shell-agent.sh', import.meta.url));

const engram = (file: string, name: string, count = MESSAGES, tear = 0): Promise<Competitor> =>
  compete(name, process.execPath, [appendMessages, file, name, String(count), String(tear)]);

const engrams = (file: string): Promise<Competitor>[] =>
  Array.from({ length: ENGRAM_WRITERS }, (_, i) => engram(file, `engram-${i + 1}`));

const shells = (file: string, lock: 'mkdir' | 'shlock', from: number, count: number): Promise<Competitor>[] =>
  Array.from({ length: count }, (_, i) => {
    const name = `shell-${from + i}`;
    return compete(name, 'sh', [shellAgent, file, name, String(MESSAGES), lock]);
  });

/** Writers that die in the middle of a write, one after the other; the last one lives, since shells wait for its lock. */
async function mortals(file: string): Promise<Competitor[]> {
  const ended: Competitor[] = [];
  for (let i = 1; i <= DEATHS; i += 1) ended.push(await engram(file, `mortal-${i}`, 3, 3));
  return [...ended, await engram(file, 'last', 3)];
}

/** `name number` of each message of a writer, in the order of the file. */
const linesOf = (messages: readonly Message[], name: string) =>
  messages.filter(({ from }) => from === name).map(({ text }) => text.split('\n')[0]);

/** Everything is there once, in order and as it was written, but for the blocks that died; nobody wrote anything else. */
function expectWhole(file: string, ended: readonly Competitor[]): void {
  const { messages } = parseChat(readFileSync(file), QUIET);
  const cursors = new Map(messages.map((message) => [message.cursor, message]));
  let explained = 0;
  for (const { name, said, signal, code } of ended) {
    const isShell = name.startsWith('shell');
    const isMortal = name.startsWith('mortal');
    expect([name, signal, code]).toEqual([name, isMortal ? 'SIGKILL' : null, isMortal ? null : 0]);
    const count = isMortal ? 2 : name === 'last' ? 3 : MESSAGES;
    const wanted = Array.from({ length: count }, (_, i) => `${name} ${i + 1}`);
    expect([name, said.map((line) => line.split(' ').slice(0, 2).join(' '))]).toEqual([name, wanted]);
    // What is left of a torn message may be read as a short one.
    expect([name, linesOf(messages, name).slice(0, count)]).toEqual([name, wanted]);
    const whole = messages.filter(({ from, text }) => from === name && wanted.includes(text.split('\n')[0] ?? ''));
    const tail = isShell ? '\n[[message]]\nfrom = "nobody"' : '\n[[message]]\nfrom = "nobody"\n"""\\';
    expect(whole.slice(0, count).map(({ text }) => text)).toEqual(wanted.map((line) => line + tail));
    for (const line of isShell ? [] : said) {
      const [, number, cursor] = line.split(' ');
      expect(cursors.get(Number(cursor))?.text.split('\n')[0]).toBe(`${name} ${number}`);
    }
    const left = linesOf(messages, name).length - count;
    expect([name, left >= 0 && left <= (isMortal ? 1 : 0)]).toEqual([name, true]);
    explained += count + left;
  }
  // Where a torn block hides the quotation in its text, that is found, and is suspect.
  const others = messages.filter(({ from }) => !ended.some(({ name }) => name === from));
  expect(others.filter(({ suspect }) => !suspect)).toEqual([]);
  expect(messages.length - others.length).toBe(explained);
}

/** Reads the file while it is written, and once more when all have ended. */
function follow(file: string): () => Message[] {
  const reader = createChatReader();
  const messages: Message[] = [];
  const look = () => {
    let bytes: Buffer;
    try {
      bytes = readFileSync(file);
    } catch {
      return;
    }
    const nowMs = Date.now();
    messages.push(...reader.feed(bytes.subarray(reader.offset), nowMs).messages);
    messages.push(...reader.end({ nowMs, unchangedMs: 0 }).messages);
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    look();
    return messages;
  };
}

test('CH-9: beside shells with mkdir locks no message is lost, merged or torn, and readers see each once', {
  timeout,
}, async () => {
  const file = join(temporaryDirectory(), 'chat.toml');
  const followed = follow(file);
  const ended = await Promise.all([...engrams(file), ...shells(file, 'mkdir', 1, SHELL_WRITERS)]);
  expectWhole(file, ended);
  const { messages, damaged } = parseChat(readFileSync(file), QUIET);
  expect([messages.length, damaged]).toEqual([(ENGRAM_WRITERS + SHELL_WRITERS) * MESSAGES, []]);
  expect(followed()).toEqual(messages);
});

test('CH-13: nor where writers are killed in the middle of a write', { timeout }, async () => {
  const file = join(temporaryDirectory(), 'chat.toml');
  const [living, dying] = await Promise.all([
    Promise.all([...engrams(file), ...shells(file, 'mkdir', 1, SHELL_WRITERS)]),
    mortals(file),
  ]);
  expectWhole(file, [...living, ...dying]);
});

// Without kills: shlock removes by name what it judged by content, so beside a dead lock it can remove a live one.
test('CH-9: beside shells with shlock and with mkdir no message is lost', { timeout }, async (context) => {
  if (shlock.kind === 'unavailable') return context.skip(`shlock cannot be had: ${shlock.reason}`);
  const file = join(temporaryDirectory(), 'chat.toml');
  const half = SHELL_WRITERS / 2;
  const ended = await Promise.all([
    ...engrams(file),
    ...shells(file, 'shlock', 1, half),
    ...shells(file, 'mkdir', half + 1, half),
  ]);
  expectWhole(file, ended);
  expect(parseChat(readFileSync(file), QUIET).damaged).toEqual([]);
});
