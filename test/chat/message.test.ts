import { expect, test } from 'vitest';
import {
  foldedName,
  isAddressedTo,
  MESSAGE_TYPES,
  messageId,
  messageJson,
  principalName,
  recipients,
} from '../../src/chat/message.ts';
import { createHeadReader, isAfter, parseChat, parseHeads } from '../../src/chat/parse.ts';
import { canonicalBlock, FRESH } from './chat-bytes.ts';

test('CH-8: without a time the place of the header is part of the id', () => {
  const fields = { from: 'a', to: 'b', thread: '', type: '', re: null };
  expect(messageId(fields, '', 'x', 1)).not.toBe(messageId(fields, '', 'x', 2));
  expect(messageId(fields, '2026-04-03T14:30:00Z', 'x', 1)).toBe(messageId(fields, '2026-04-03T14:30:00Z', 'x', 2));
});

test('CH-31: names compare without case, and a sub-agent answers for its principal', () => {
  expect(foldedName(' Reviewer ')).toBe('reviewer');
  expect([principalName('lead/sub-3'), principalName('lead/sub-x'), principalName('a/b')]).toEqual([
    'lead',
    'lead/sub-x',
    'a/b',
  ]);
  expect(recipients(' engram-agent ,, reviewer,')).toEqual(['engram-agent', 'reviewer']);
  expect(['REVIEWER', 'lead'].map((name) => isAddressedTo({ to: 'a, reviewer' }, name))).toEqual([true, false]);
  expect(isAddressedTo({ to: 'All' }, 'lead')).toBe(true);
});

test('CH-11: every type of the protocol may be written', () => {
  expect(MESSAGE_TYPES.filter((type) => !/^[a-z][a-z0-9-]{0,31}$/.test(type))).toEqual([]);
});

test('CH-22: a message prints its line and its cursor, and marks only where they apply', () => {
  const [message] = parseChat(Buffer.from(canonicalBlock({ text: 'C:\\users' })), FRESH).messages;
  if (message === undefined) throw new Error('not read');
  expect(Object.keys(messageJson(message)).join(' ')).toBe('id from to thread type ts re text line cursor repaired');
  expect([message.line, message.cursor, isAfter(message, 1), isAfter(message, 2)]).toEqual([2, 10, true, false]);
});

test('CH-36: heads are what messages are, without text and id', () => {
  const bytes = Buffer.from(canonicalBlock() + canonicalBlock({ from: 'lead' }));
  const heads = parseChat(bytes, FRESH).messages.map(({ id: _, text: __, ...head }) => head);
  expect(parseHeads(bytes, FRESH).messages).toEqual(heads);
  expect(createHeadReader().feed(bytes, FRESH.nowMs).messages).toEqual(heads.slice(0, 1));
});
