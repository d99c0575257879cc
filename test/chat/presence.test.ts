import { describe, expect, test } from 'vitest';
import type { PresenceEvidence } from '../../src/chat/parse-reading.ts';
import { createPresenceBook } from '../../src/chat/presence.ts';

const NOW = Date.parse('2026-04-03T15:00:00Z');
const MINUTE = 60_000;

type Told = PresenceEvidence & { readonly suspect: boolean };

const at = (minutes: number, fields: Partial<Told> = {}): Told => ({
  ...{ from: 'reviewer', thread: 'schema', type: 'info', suspect: false },
  ts: new Date(NOW + minutes * MINUTE).toISOString().replace('.000', ''),
  ...fields,
});

function stateOf(messages: readonly Told[], nowMs = NOW, name = 'reviewer') {
  const book = createPresenceBook();
  for (const message of messages) book.note(message, message.suspect, NOW);
  return book.of(name, nowMs).state;
}

const bye = { type: 'done', thread: 'lifecycle' };

describe('CH-34: somebody is', () => {
  test.each<[string, Told[], string]>([
    ['offline without a message', [], 'offline'],
    ['online with one of less than 15 min ago', [at(-14)], 'online'],
    ['offline with one of 15 min ago', [at(-15)], 'offline'],
    ['online with one of up to 2 min ahead', [at(2)], 'online'],
    ['judged by the next older one where the newest is further ahead', [at(-1), at(3)], 'online'],
    ['offline with one that is further ahead alone', [at(3)], 'offline'],
    ['gone with its farewell', [at(-2), at(-1, bye)], 'left'],
    ['there after a done on a task', [at(-1, { type: 'done' })], 'online'],
    ['back once it writes again', [at(-2, bye), at(-1)], 'online'],
    ['back also within the same second', [at(-1, bye), at(-1)], 'online'],
    ['back also with a clock that was set back', [at(-1, bye), at(-3)], 'online'],
    ['gone however long ago that was', [at(-500, bye)], 'left'],
    ['found by another case and as its part', [at(-1, { from: 'Reviewer/sub-3' })], 'online'],
    ['offline with a message that has no time', [at(-1, { ts: null })], 'offline'],
    ['CH-20: not gone by a farewell that is suspect', [at(-2), at(-1, { ...bye, suspect: true })], 'online'],
    ['judged by time, not by place', [at(-1), at(-20)], 'online'],
  ])('%s', (_, messages, state) => expect(stateOf(messages)).toBe(state));

  test('judged at the moment that is asked for: what lay ahead counts once it is due', () => {
    expect(stateOf([at(-1), at(5)], NOW + 18 * MINUTE)).toBe('online');
    expect(stateOf([at(-1)], NOW + 18 * MINUTE)).toBe('offline');
  });
});

test('CH-36: instants are compared, whatever their offset and their digits', () => {
  const book = createPresenceBook();
  book.note(at(0, { ts: '2026-04-03T14:59:59.5Z' }), false, NOW);
  book.note(at(0, { ts: '2026-04-03T14:59:59.25Z', type: 'ack' }), false, NOW);
  expect(book.of('reviewer', NOW)).toMatchObject({
    state: 'online',
    lastTs: '2026-04-03T14:59:59.5Z',
    lastType: 'info',
  });
});

test('CH-35, CH-50: a lease is stronger than messages, and says that it is the evidence', () => {
  const book = createPresenceBook(
    new Map([
      ['engram-agent', 'alive'],
      ['reviewer', 'dead'],
    ]),
  );
  book.note(at(-1), false, NOW);
  book.note(at(-1, { from: 'executor' }), false, NOW);
  expect(book.all(NOW)).toEqual([
    { name: 'engram-agent', state: 'online', lastTs: null, lastType: null, evidence: 'lease' },
    { name: 'executor', state: 'online', lastTs: '2026-04-03T14:59:00Z', lastType: 'info', evidence: 'message' },
    { name: 'reviewer', state: 'offline', lastTs: '2026-04-03T14:59:00Z', lastType: 'info', evidence: 'lease' },
  ]);
});
