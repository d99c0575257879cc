import { expect, test } from 'vitest';
import { countLineEnds } from '../../src/chat/line-ends.ts';
import {
  foldedName,
  isAddressedTo,
  MESSAGE_TYPES,
  messageId,
  messageJson,
  principalName,
  recipients,
} from '../../src/chat/message.ts';
import { createHeadReader, createSightingReader, isAfter, parseChat, parseHeads } from '../../src/chat/parse.ts';
import type { VisitSighting } from '../../src/chat/parse-reading.ts';
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

test('CH-36: presence sees who wrote what when in every message, and the damage between them', () => {
  const bytes = Buffer.from(`${canonicalBlock()}no block\n${canonicalBlock({ from: 'lead', re: '0123456789abcdef' })}`);
  const { messages, ...wanted } = parseChat(bytes, FRESH);
  const seen: unknown[] = [];
  const visit: VisitSighting = ({ from, thread, type, ts }, suspect) => seen.push({ from, thread, type, ts, suspect });
  const reader = createSightingReader(visit, null);
  const damaged = [...reader.feed(bytes, FRESH.nowMs).damaged, ...reader.end(FRESH).damaged];
  const { border, tail } = reader;
  expect({ damaged, border, tail, cursor: border.cursor }).toEqual(wanted);
  expect(seen).toEqual(messages.map(({ from, thread, type, ts, suspect }) => ({ from, thread, type, ts, suspect })));
});

test('CH-22: line ends are counted wherever a range begins and ends', () => {
  const bytes = Buffer.from(
    Array.from({ length: 3000 }, (_, i) => (i % 7 === 3 ? '\n' : i % 5 === 0 ? '\u008a' : 'x')).join(''),
    'latin1',
  );
  for (const from of [0, 1, 2, 3, 5]) {
    for (const to of [from + 511, from + 512, from + 2001, 3000]) {
      const wanted = bytes.subarray(from, to).filter((byte) => byte === 10).length;
      expect(countLineEnds(bytes.subarray(1), Math.max(0, from - 1), to - 1)).toBe(
        from === 0 ? wanted - (bytes[0] === 10 ? 1 : 0) : wanted,
      );
      expect(countLineEnds(bytes, from, to)).toBe(wanted);
    }
  }
  expect(countLineEnds(Buffer.alloc(5000, 10), 0, 5000)).toBe(5000);
});
