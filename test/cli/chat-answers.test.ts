import { appendFileSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { appendMessages } from '../../src/chat/append.ts';
import { canonicalBlock } from '../chat/chat-bytes.ts';
import { type ChatHome, chatHome, type Posted } from '../support/chat-process.ts';
import { until } from '../support/watch-process.ts';

let chat: ChatHome;
beforeEach(() => {
  chat = chatHome();
});

const toExecutor = (from: string, type: string, text: string, re?: string) =>
  chat.post(from, 'executor', type, text, re === undefined ? [] : ['--re', re]);
const intent = (to = 'engram-agent, reviewer') => chat.post('executor', to, 'intent', 'About to add a column.');
const ackWait = (re: string, ...args: string[]) => [
  ...[
    'ack-wait',
    '--agent',
    'executor',
    '--cursor',
    '0',
    '--re',
    re,
    '--recipients',
    'engram-agent, reviewer',
    ...args,
  ],
];
const inFile = (text: string) => () => readFileSync(chat.path, 'utf8').includes(text);

describe('ack-wait', () => {
  test('CH-46, CH-33: two recipients, one of them away: ACK after 5 s, which names the implied one', () => {
    const { id } = intent();
    toExecutor('engram-agent', 'ack', 'No relevant memories. Proceed.', id);
    const startedMs = Date.now();
    const { status, stdout, stderr } = chat.run(...ackWait(id, '--max-wait', '20'));
    expect({ status, stderr, lines: stdout.split('\n').length }).toEqual({ status: 0, stderr: '', lines: 2 });
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(5000);
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer)).toEqual(['result', 'cursor', 'recipients', 'implied', 'damaged']);
    expect(answer).toMatchObject({
      result: 'ACK',
      cursor: 21,
      recipients: [
        { name: 'engram-agent', state: 'ack', message: { from: 'engram-agent', re: id, line: 12, cursor: 21 } },
        { name: 'reviewer', state: 'offline', message: null },
      ],
      implied: ['reviewer'],
      damaged: 0,
    });
  });

  test('CH-32, CH-46: an objection ends the waiting at once: WAIT with its text, exit 4', async () => {
    const { id } = intent();
    const waiting = chat.start(...ackWait(id));
    toExecutor('engram-agent', 'info', '[FACT] a b c');
    toExecutor('engram-agent', 'wait', 'Stored memory applies: add it nullable.', id);
    const { status, stdout } = await waiting.end;
    expect(status).toBe(4);
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer)).toEqual(['result', 'cursor', 'from', 'text', 'recipients', 'damaged']);
    expect(answer).toMatchObject({
      ...{ result: 'WAIT', from: 'engram-agent', text: 'Stored memory applies: add it nullable.', cursor: 31 },
      recipients: [{ state: 'wait' }, { name: 'reviewer', state: 'pending' }],
    });
  });

  test('CH-46: one that is there and silent is TIMEOUT, exit 3, never consent', () => {
    toExecutor('reviewer', 'info', 'here');
    const { id } = intent();
    toExecutor('engram-agent', 'ack', 'No relevant memories. Proceed.', id);
    const { status, stdout } = chat.run(...ackWait(id, '--max-wait', '0.2'));
    expect(status).toBe(3);
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer)).toEqual(['result', 'cursor', 'recipient', 'recipients', 'damaged']);
    expect(answer).toMatchObject({
      result: 'TIMEOUT',
      recipient: 'reviewer',
      recipients: [{ state: 'ack' }, { state: 'silent' }],
    });
  });

  test('CH-25: an answer from before the cursor, or to something else, does not count', () => {
    const old = toExecutor('reviewer', 'ack', 'from an old session');
    const { id } = intent('reviewer');
    toExecutor('reviewer', 'ack', 'to something else', '0123456789abcdef');
    const wait = [
      'ack-wait',
      '--agent',
      'executor',
      '--recipients',
      'reviewer',
      '--max-wait',
      '0.1',
      '--cursor',
      String(old.cursor),
    ];
    expect(chat.run(...wait, '--re', id)).toMatchObject({ status: 3 });
    expect(chat.run(...wait)).toMatchObject({ status: 3 });
    expect(chat.run(...wait.slice(0, -1), '0')).toMatchObject({ status: 0 });
  });

  test('CH-51: damage on the way is counted and said, and changes nothing', () => {
    const { id } = intent();
    appendFileSync(chat.path, `garbage\n${canonicalBlock({ from: 'x' })}`);
    for (const name of ['engram-agent', 'reviewer']) toExecutor(name, 'ack', 'ok', id);
    const { status, stdout, stderr } = chat.run(...ackWait(id));
    expect({ status, damaged: JSON.parse(stdout).damaged }).toEqual({ status: 0, damaged: 1 });
    expect(stderr).toMatch(/^damaged, skipped: line 11: /);
  });

  test.each([
    [['ack-wait', '--cursor', '0', '--recipients', 'a'], '--agent is missing'],
    [['ack-wait', '--agent', 'executor', '--recipients', 'a'], "required option '--cursor <n>' not specified"],
    [
      ['ack-wait', '--agent', 'executor', '--cursor', '0', '--recipients', ' , Executor'],
      '--recipients names nobody else',
    ],
    [
      ['ack-wait', '--agent', 'e', '--cursor', '0', '--recipients', 'a', '--max-wait', 'soon'],
      '--max-wait must be seconds',
    ],
  ])('%j is exit 2', (args, message) => {
    const { status, stderr } = chat.run(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
  });

  test('CH-51: SIGINT ends it with 130, also where there is no file to read', async () => {
    intent('reviewer');
    appendFileSync(chat.path, `garbage\n${canonicalBlock()}`);
    const waiting = chat.start('ack-wait', '--agent', 'executor', '--cursor', '0', '--recipients', 'reviewer');
    await new Promise((resolve) => waiting.process.stderr?.once('data', resolve));
    waiting.process.kill('SIGINT');
    expect(await waiting.end).toMatchObject({ status: 130, stdout: '' });
  });
});

describe('intent', () => {
  const args = ['intent', '--from', 'executor', '--to', 'reviewer', '--thread', 'schema'];
  const words = ['--situation', 'About to add a column.', '--behavior', 'One ALTER TABLE.'];
  const idOf = () => (chat.json('tail', '--type', 'intent').messages as Posted[])[0]?.id ?? '';

  test('CH-48, CH-28: posts to the memory agent too, and shows facts, answers and the result', async () => {
    for (const name of ['engram-agent', 'reviewer']) toExecutor(name, 'ready', 'here');
    const waiting = chat.start(...args, ...words, '--json');
    await until(inFile('type = "intent"'));
    toExecutor('engram-agent', 'info', '[FACT] orders has 40 million rows (situation: schema)', idOf());
    for (const name of ['engram-agent', 'reviewer']) toExecutor(name, 'ack', 'No objection.', idOf());
    const { status, stdout, stderr } = await waiting.end;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{
        id: idOf(),
        result: 'ACK',
        implied: [],
        facts: [{ text: '[FACT] orders has 40 million rows (situation: schema)' }],
      },
      recipients: [{ name: 'engram-agent' }, { name: 'reviewer' }],
    });
    expect(chat.json('tail', '--type', 'intent').messages).toMatchObject([
      { to: 'engram-agent, reviewer', text: 'Situation: About to add a column.\nBehavior: One ALTER TABLE.' },
    ]);
  });

  test('CH-32: an objection is exit 4, readable, on the thread', async () => {
    toExecutor('reviewer', 'ready', 'here');
    const waiting = chat.start(...args, '--text', 'About to push.');
    await until(inFile('type = "intent"'));
    toExecutor('reviewer', 'wait', 'CI is red.');
    const { status, stdout } = await waiting.end;
    expect(status).toBe(4);
    expect(stdout).toMatch(/reviewer -> executor {2}wait {2}\[schema\] {2}id [0-9a-f]{16} {2}#\d+\n {2}CI is red\./);
    expect(stdout).toMatch(/WAIT: reviewer objects; answer on the thread before you go on {2}#\d+\n$/);
  });

  test('CH-48, CH-33: says that the memory agent is away, and escalates to a lead that is there when time is up', () => {
    for (const name of ['lead', 'reviewer']) toExecutor(name, 'ready', 'here');
    const { status, stderr } = chat.run(...args, ...words, '--max-wait', '0.2');
    expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining('engram agent run') });
    expect(chat.json('tail', '--type', 'escalate').messages).toMatchObject([
      {
        from: 'executor',
        to: 'lead',
        thread: 'schema',
        re: idOf(),
        text: expect.stringContaining('No response from engram-agent, reviewer within 0.2 s'),
      },
    ]);
    chat.run(...args, ...words, '--max-wait', '0.2', '--no-notices');
    expect(chat.json('tail', '--type', 'escalate').messages).toHaveLength(1);
  });

  test('CH-27: facts, answers and notices are those on the thread of the intent', async () => {
    for (const name of ['engram-agent', 'lead', 'reviewer']) toExecutor(name, 'ready', 'here');
    const waiting = chat.start(...args, ...words, '--json', '--max-wait', '1.5');
    await until(inFile('type = "intent"'));
    // In this process, and at once: five commands would take longer than is waited for.
    const say = (from: string, thread: string, type: string, text: string) => ({
      from,
      to: 'executor',
      thread,
      type,
      text,
    });
    appendMessages(chat.path, [
      say('engram-agent', 'other', 'info', '[FACT] of another task'),
      say('engram-agent', 'schema', 'info', '[FACT] of this task'),
      say('engram-agent', 'other', 'ack', 'to another task'),
      say('reviewer', 'other', 'ack', 'to another task'),
      say('engram-agent', 'schema', 'ack', 'No objection.'),
    ]);
    const { status, stdout } = await waiting.end;
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ recipient: 'reviewer', facts: [{ text: '[FACT] of this task' }] });
    expect(chat.json('tail', '--type', 'intent,escalate').messages).toMatchObject([
      { type: 'intent', thread: 'schema' },
      { type: 'escalate', thread: 'schema' },
    ]);
  });

  test('CH-33: after 5 s it says once who is silent', async () => {
    for (const name of ['engram-agent', 'reviewer']) toExecutor(name, 'ready', 'here');
    const waiting = chat.start(...args, ...words);
    await until(inFile('type = "intent"'));
    toExecutor('engram-agent', 'ack', 'No relevant memories. Proceed.', idOf());
    await until(inFile('No response'));
    toExecutor('reviewer', 'ack', 'ok', idOf());
    expect((await waiting.end).status).toBe(0);
    expect(chat.json('tail', '--from', 'executor', '--type', 'info').messages).toMatchObject([
      { to: 'reviewer', thread: 'schema', text: 'No response from reviewer yet.' },
    ]);
  });

  test('is refused with exit 2 where text or thread are missing, with 6 where there is no chat file', () => {
    expect(chat.run(...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--situation and --behavior, or --text'),
    });
    expect(chat.run(...args.slice(0, -2), ...words)).toMatchObject({ status: 2 });
    expect(chat.run(...args, ...words, '--chat-file', chat.home)).toMatchObject({ status: 6 });
  });
});
