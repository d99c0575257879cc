import { describe, expect, test } from 'vitest';
import { type Asked, findAnswers } from '../../src/chat/correlate.ts';
import type { Message, MessageId } from '../../src/chat/message.ts';
import { parseChat } from '../../src/chat/parse.ts';
import { intent, judged, message } from './answers.ts';
import { canonicalBlock, FRESH } from './chat-bytes.ts';

const asked: Asked = { agent: 'executor', re: 'intent', thread: null };
const found = (
  messages: readonly Message[],
  question: Partial<typeof asked> & { thread?: string | null; re?: string | null } = {},
) => findAnswers({ ...asked, ...question }, messages).map(({ kind, message }) => `${kind} ${message.line}`);

describe('CH-31: an answer', () => {
  test.each<[string, Partial<Message>, boolean]>([
    ['that names the intent counts', { re: 'intent' }, true],
    ['that names anything else never counts', { re: 'another' }, false],
    ['without re on the same thread counts', {}, true],
    ['without re and without a thread counts', { thread: '' }, true],
    ['without re on another thread does not', { thread: 'other' }, false],
    ['that names the intent counts on any thread', { re: 'intent', thread: 'other' }, true],
    ['to all counts', { to: 'all' }, true],
    ['to somebody else does not', { to: 'lead', re: 'intent' }, false],
    ['to the name in another case counts', { to: ' EXECUTOR ,lead' }, true],
    ['of another type does not', { type: 'info', re: 'intent' }, false],
    ['of a part of a recipient counts', { from: 'Reviewer/sub-2', re: 'intent' }, true],
    ['to a part of the initiator does not', { to: 'executor/sub-1', re: 'intent' }, false],
  ])('%s', (_, fields, counts) => {
    expect(found([intent(), message(12, fields)])).toEqual(counts ? ['ack 12'] : []);
  });

  test('before the intent does not count', () => {
    expect(found([message(1, { thread: '' }), intent({ line: 12 })])).toEqual([]);
  });

  test('for a part that waits has to be addressed to the part', () => {
    const own = intent({ from: 'executor/sub-1' });
    const question = { agent: 'executor/sub-1' };
    expect(found([own, message(12, { to: 'executor' })], question)).toEqual([]);
    expect(found([own, message(12, { to: 'executor/sub-1' })], question)).toEqual(['ack 12']);
  });

  test('without re is an ack to the oldest intent that its sender has not answered, a wait to all of them', () => {
    const older = intent({ id: 'older' as MessageId, line: 1 });
    const newer = intent({ line: 12 });
    expect(found([older, newer, message(23)])).toEqual([]);
    expect(found([older, newer, message(23), message(34)])).toEqual(['ack 34']);
    expect(found([older, newer, message(23, { re: 'older' }), message(34)])).toEqual(['ack 34']);
    expect(found([older, newer, message(23, { from: 'engram-agent' }), message(34)])).toEqual([]);
    expect(found([older, newer, message(23, { type: 'wait' })])).toEqual(['wait 23']);
    expect(found([older, message(12), intent({ line: 23 }), message(34)])).toEqual(['ack 34']);
  });

  test('without re is not an ack to an intent that its sender was not asked', () => {
    const other = intent({ id: 'other' as MessageId, to: 'engram-agent' });
    expect(found([other, intent({ line: 12 }), message(23)])).toEqual(['ack 23']);
  });

  test('CH-19: that is suspect counts as a wait, as an ack only by name', () => {
    expect(found([intent(), message(12, { suspect: true })])).toEqual([]);
    expect(found([intent(), message(12, { suspect: true, re: 'intent' })])).toEqual(['ack 12']);
    expect(found([intent(), message(12, { suspect: true, type: 'wait' })])).toEqual(['wait 12']);
  });

  // Section 11 has such a paste satisfy no wait. It names no `re`; one that names the intent was written after that was posted.
  test('CH-19: in a paste behind a stray """ is an ack by the id of the intent alone, as read from the file', () => {
    const posted = canonicalBlock({ from: 'executor', to: 'reviewer', type: 'intent', text: 'About to push.' });
    const id = parseChat(Buffer.from(posted), FRESH).messages[0]?.id ?? '';
    const answersBehind = (re: string) => {
      const paste = `[[message]]\nfrom = "reviewer"\nto = "executor"\nthread = "schema"\ntype = "ack"\n${re}text = "go"`;
      const broken = canonicalBlock({ from: 'shell', text: `a """ b\n${paste}\nend` });
      const { messages } = parseChat(Buffer.from(posted + broken + canonicalBlock({ from: 'lead' })), FRESH);
      expect(messages.find(({ type }) => type === 'ack')).toMatchObject({ text: 'go', suspect: true });
      return findAnswers({ ...asked, re: id }, messages).map(({ kind, message }) => `${kind} by ${message.from}`);
    };
    expect(answersBehind('')).toEqual([]);
    expect(answersBehind('re = "0123456789abcdef"\n')).toEqual([]);
    expect(answersBehind(`re = "${id}"\n`)).toEqual(['ack by reviewer']);
  });

  test('CH-47, CH-32: without --re and --thread is any that carries no re, or that of an own intent behind the cursor', () => {
    const any = { re: null };
    expect(found([intent(), message(12, { thread: 'other' })], any)).toEqual(['ack 12']);
    expect(found([intent(), message(12, { re: 'intent', type: 'wait' })], any)).toEqual(['wait 12']);
    expect(found([intent(), message(12, { re: 'older' })], any)).toEqual([]);
    expect(found([message(12, { re: 'intent' })], any)).toEqual([]);
  });

  test('CH-47: with --thread alone is one to the newest own intent on it', () => {
    const onThread = { re: null, thread: 'schema' };
    expect(found([intent(), message(12, { re: 'intent' })], onThread)).toEqual(['ack 12']);
    expect(found([intent(), message(12, { re: 'older' })], onThread)).toEqual([]);
    expect(found([message(12)], onThread)).toEqual(['ack 12']);
    expect(found([message(12, { thread: 'other' })], onThread)).toEqual([]);
  });

  test('to an intent from before the cursor has to name it, or its thread', () => {
    expect(found([message(12)])).toEqual([]);
    expect(found([message(12, { re: 'intent' })])).toEqual(['ack 12']);
    expect(found([message(12)], { thread: 'schema' })).toEqual(['ack 12']);
  });
});

const ack = (line: number, from: string) => message(line, { from, re: 'intent' });
const wait = (line: number, from: string) => message(line, { from, re: 'intent', type: 'wait', text: 'Stop.' });

describe('CH-32 and CH-46: the outcome', () => {
  test('is ACK when all have acked, behind the last ack', () => {
    const { outcome } = judged([intent(), ack(12, 'engram-agent'), message(23, { type: 'info' }), ack(34, 'reviewer')]);
    expect(outcome).toMatchObject({
      result: 'ACK',
      cursor: 43,
      implied: [],
      recipients: [
        { name: 'engram-agent', state: 'ack' },
        { name: 'reviewer', state: 'ack' },
      ],
    });
  });

  test('goes on while one is missing', () => {
    expect(judged([intent(), ack(12, 'reviewer')])).toMatchObject({ outcome: null, silent: [], nextMs: 5000 });
  });

  test('is WAIT at the first wait, whatever else there is, as it stood then', () => {
    const messages = [
      intent(),
      ack(12, 'reviewer'),
      wait(23, 'reviewer'),
      ack(34, 'engram-agent'),
      ack(45, 'reviewer'),
    ];
    expect(judged(messages).outcome).toMatchObject({
      result: 'WAIT',
      cursor: 32,
      from: 'reviewer',
      text: 'Stop.',
      recipients: [
        { name: 'engram-agent', state: 'pending', message: null },
        { name: 'reviewer', state: 'wait', message: { line: 23 } },
      ],
    });
  });

  test('is no WAIT for one that nobody asked, unless all were asked', () => {
    const stranger = wait(12, 'stranger');
    expect(judged([intent(), stranger]).outcome).toBeNull();
    expect(judged([intent(), stranger], { question: { recipients: ['all'] } }).outcome).toMatchObject({
      result: 'WAIT',
      from: 'stranger',
    });
  });
});

describe('CH-33: time', () => {
  const away = { onlineAtStart: ['engram-agent'], onlineNow: ['engram-agent'] };
  const answered = [intent(), ack(12, 'engram-agent')];

  test('implies the consent of who was away for the whole of the first 5 s, not before', () => {
    expect(judged(answered, { ...away, elapsedMs: 4999 })).toMatchObject({ outcome: null, nextMs: 5000 });
    expect(judged(answered, { ...away, elapsedMs: 5000 }).outcome).toMatchObject({
      result: 'ACK',
      cursor: 21,
      implied: ['reviewer'],
      recipients: [{ state: 'ack' }, { name: 'reviewer', state: 'offline', message: null }],
    });
  });

  test.each<[string, Parameters<typeof judged>[1], Message[]]>([
    ['was there at the start', { onlineNow: ['engram-agent'] }, []],
    ['is back by then', { onlineAtStart: ['engram-agent'] }, []],
    ['came and left in between', { ...away, earlierCount: 2 }, [message(23, { type: 'done', thread: 'lifecycle' })]],
  ])('implies nothing for one that %s: it gets the full time', (_, moment, more) => {
    const messages = [...answered, ...more];
    const { outcome, silent } = judged(messages, { ...moment, elapsedMs: 5000 });
    expect({ outcome, silent }).toEqual({ outcome: null, silent: ['reviewer'] });
    expect(judged(messages, { ...moment, elapsedMs: 30_000 }).outcome).toMatchObject({
      result: 'TIMEOUT',
      recipient: 'reviewer',
      recipients: [{ state: 'ack' }, { state: 'silent' }],
    });
  });

  test('judges once: who comes back after the 5 s stays implied, but may still object', () => {
    const question = { recipients: ['engram-agent', 'reviewer', 'third'] };
    const { afterGrace } = judged(answered, { ...away, question, elapsedMs: 5000 });
    const later = { question, afterGrace, elapsedMs: 9000 };
    expect(judged([...answered, ack(23, 'third')], later).outcome).toMatchObject({
      result: 'ACK',
      implied: ['reviewer', 'third'].slice(0, 1),
    });
    expect(judged([...answered, wait(23, 'reviewer')], later).outcome).toMatchObject({ result: 'WAIT' });
  });

  test('is never consent of who is there: a limit below 5 s implies nothing for anybody', () => {
    const { outcome } = judged(answered, { ...away, question: { maxWaitMs: 300 }, elapsedMs: 300 });
    expect(outcome).toMatchObject({ result: 'TIMEOUT', recipient: 'reviewer' });
    expect(judged(answered, { question: { maxWaitMs: 300 } }).nextMs).toBe(300);
  });

  test('CH-46: names the first silent one', () => {
    expect(judged([intent()], { elapsedMs: 30_000 }).outcome).toMatchObject({
      result: 'TIMEOUT',
      recipient: 'engram-agent',
      cursor: 0,
    });
  });
});

describe('CH-47: the recipients', () => {
  test('are trimmed, folded and named once, without whoever waits', () => {
    const question = { recipients: [' Reviewer ', 'reviewer', 'EXECUTOR'] };
    expect(judged([intent(), ack(12, 'REVIEWER/sub-1')], { question }).outcome).toMatchObject({
      result: 'ACK',
      recipients: [{ name: 'Reviewer', state: 'ack' }],
    });
  });

  test('all are those who are there', () => {
    const question = { recipients: ['all'] };
    expect(judged([intent(), ack(12, 'reviewer')], { question }).outcome).toBeNull();
    expect(judged([intent(), ack(12, 'reviewer'), ack(23, 'engram-agent')], { question }).outcome).toMatchObject({
      result: 'ACK',
    });
  });

  test('all are nobody: ACK after 5 s; one that came meanwhile gets the full time', () => {
    const nobody = { question: { recipients: ['all'] }, onlineAtStart: [] };
    expect(judged([intent()], { ...nobody, onlineNow: [], elapsedMs: 4000 }).outcome).toBeNull();
    expect(judged([intent()], { ...nobody, onlineNow: [], elapsedMs: 5000 }).outcome).toMatchObject({
      result: 'ACK',
      cursor: 0,
      recipients: [],
      implied: ['all'],
    });
    const { outcome, afterGrace } = judged([intent()], { ...nobody, onlineNow: ['reviewer'], elapsedMs: 5000 });
    expect({ outcome, afterGrace }).toEqual({ outcome: null, afterGrace: { names: ['reviewer'], away: [] } });
  });
});

test('CH-40: who objects twice to one intent has one argument: the first objection is told, once', () => {
  const twice = [
    message(12, { type: 'wait', re: 'intent', text: 'Stop.' }),
    message(23, { type: 'wait', re: 'intent', text: 'Stop, I said.' }),
  ];
  expect(judged([intent(), ...twice]).outcome).toMatchObject({
    ...{ result: 'WAIT', from: 'reviewer', text: 'Stop.', cursor: 21 },
    recipients: [
      { name: 'engram-agent', state: 'pending' },
      { name: 'reviewer', state: 'wait', message: { line: 12 } },
    ],
  });
});
