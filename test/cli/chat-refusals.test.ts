import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { canonicalBlock } from '../chat/chat-bytes.ts';
import { type ChatHome, chatHome } from '../support/chat-process.ts';
import { BIN } from '../support/engram.ts';

let chat: ChatHome;
beforeEach(() => {
  chat = chatHome();
});

const ACK_WAIT = ['ack-wait', '--agent', 'executor', '--cursor', '0', '--max-wait', '0.1'];
const INTENT = ['intent', '--from', 'executor', '--to', 'reviewer', '--thread', 'schema', '--max-wait', '0.1'];
const WORDS = ['--situation', 'About to push.', '--behavior', 'Straight to main.'];

describe('CH-47: ack-wait refuses, with exit 2 and what to do,', () => {
  test.each<[string, string[], string]>([
    ['an id that is none', ['--recipients', 'reviewer', '--re', 'xyz'], '--re is no id of a message: "xyz"'],
    ['an empty id', ['--recipients', 'reviewer', '--re', ''], '--re is no id of a message: ""'],
    ['an empty thread', ['--recipients', 'reviewer', '--thread', ' '], '--thread is empty'],
    ['no recipients', ['--recipients', ''], '--recipients is empty'],
    ['recipients that are blank', ['--recipients', ' , '], '--recipients is empty'],
    ['nobody but itself', ['--recipients', 'Executor'], '--recipients names nobody else'],
  ])('%s', (_, args, message) => {
    const { status, stdout, stderr } = chat.run(...ACK_WAIT, ...args);
    expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 2 });
    expect(stderr).toContain(`engram: ${message}\n`);
  });
});

describe('CH-48: intent refuses, with exit 2, and posts nothing:', () => {
  test.each<[string, string[], string]>([
    ['an empty situation', [...INTENT, '--situation', '', '--behavior', 'b'], '--situation is empty'],
    ['an empty behavior', [...INTENT, '--situation', 's', '--behavior', ' '], '--behavior is empty'],
    ['an empty text', [...INTENT, '--text', ''], '--text is empty'],
    ['an empty list of names', [...INTENT, ...WORDS, '--to', ' '], '--to is empty'],
    [
      'the memory agent asking nobody but itself',
      ['intent', '--from', 'Engram-Agent', '--thread', 't', ...WORDS],
      'nobody else is asked',
    ],
  ])('%s', (_, args, message) => {
    const { status, stdout, stderr } = chat.run(...args);
    expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 2 });
    expect(stderr).toContain(message);
    expect(existsSync(chat.path)).toBe(false);
  });

  test('but the memory agent may ask others', () => {
    const { status } = chat.run(
      'intent',
      '--from',
      'engram-agent',
      '--to',
      'lead',
      '--thread',
      't',
      ...WORDS,
      '--max-wait',
      '0.1',
    );
    expect(status).toBe(3);
    expect(chat.json('tail').messages).toMatchObject([{ from: 'engram-agent', to: 'lead' }]);
  });
});

test('CH-50: presence refuses the name of nobody', () => {
  const { status, stderr } = chat.run('presence', '--agent', '');
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--agent is empty') });
});

test.each(['watch', 'tail'])('%s refuses --type without a type, which nothing would match', (command) => {
  const { status, stderr } = chat.run(command, '--type', ' , ');
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--type is empty') });
});

test.runIf(existsSync('/dev/full')).each([[[]], [['--json']]])(
  'CH-15: a post whose cursor cannot be printed (%j) says that it was posted',
  (more) => {
    const words = [
      'chat',
      'post',
      '--from',
      'a',
      '--to',
      'b',
      '--thread',
      't',
      '--type',
      'info',
      '--text',
      'x',
      ...more,
    ];
    const command = [process.execPath, BIN, ...words, '--chat-file', chat.path].map((word) => `'${word}'`).join(' ');
    const { status, stderr } = spawnSync('bash', ['-c', `${command} > /dev/full`], {
      env: { PATH: process.env.PATH ?? '', HOME: chat.home },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('posted, but its cursor could not be printed'),
    });
    expect(stderr).not.toContain('run it again');
    expect(readFileSync(chat.path, 'utf8')).toContain('text = """\nx\n"""\n');
  },
);

test('CH-24: a cursor past the end is told on one line, which names the next command once', () => {
  chat.post('a', 'b', 'info', 'one');
  expect(chat.run('watch', '--cursor', '900')).toEqual({
    status: 6,
    stdout: '',
    stderr:
      'engram: cursor 900 is past the end (10 lines): the file was replaced or cut; take a new one: engram chat cursor\n',
  });
  expect(JSON.parse(chat.run('watch', '--cursor', '900', '--json').stderr)).toMatchObject({
    error: { code: 'chat.cursor', hint: null },
  });
});

describe('CH-29: an escape character of others is shown, not sent and not dropped,', () => {
  const hostile = () => {
    chat.post('a', 'b', 'info', 'x');
    const ts = new Date().toISOString().replace(/\.\d+/, '');
    appendFileSync(chat.path, canonicalBlock({ from: 'a\\u001b[31m', ts, text: '\\u001b[2J\\u001b]0;title\\u0007' }));
  };

  test('in tail', () => {
    hostile();
    const { stdout } = chat.run('tail');
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
    expect(stdout).toContain('a\\u{1b}[31m -> ');
    expect(stdout).toContain('  \\u{1b}[2J\\u{1b}]0;title\\u{7}\n');
  });

  test('in the names of presence', () => {
    hostile();
    expect(chat.run('presence').stdout).toContain('\na\\u{1b}[31m  ');
  });
});
