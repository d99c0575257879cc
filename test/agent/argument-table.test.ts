import { describe, expect, test } from 'vitest';
import { answerKey } from '../../src/agent/intents.ts';
import { react } from '../../src/agent/react.ts';
import { type AgentState, type Argument, type ArgumentState, newState } from '../../src/agent/state.ts';
import { answerIntent, type Findings, type JudgedMemory } from '../../src/agent/surfacing.ts';
import { onStop, onTime } from '../../src/agent/timed.ts';
import { type Moment, type Reaction, Turn } from '../../src/agent/turn.ts';
import type { Message, MessageId } from '../../src/chat/message.ts';
import { emptyRecord } from '../../src/memory/record.ts';
import type { MemoryName } from '../../src/memory/slug.ts';

/** The state table of section 6, line by line, on the pure functions. */

const NOW = Date.parse('2026-04-03T14:30:00Z');
const M = 'feedback/when-adding-a-database-column' as MemoryName;
const OTHER = 'feedback/when-merging' as MemoryName;
const MINUTE = 60_000;

function moment(changes: Partial<Moment> = {}): Moment {
  return { nowMs: NOW, mode: 'live', project: 'shop-api', isOnline: () => false, learns: true, ...changes };
}

let lines = 100;

function message(fields: Partial<Message>): Message {
  lines += 10;
  return {
    id: `${lines}`.padStart(16, '0') as MessageId,
    from: 'executor',
    to: 'engram-agent',
    thread: 'db',
    type: 'info',
    ts: new Date(NOW).toISOString(),
    re: null,
    text: 'text',
    line: lines,
    cursor: lines + 8,
    start: lines * 20,
    end: lines * 20 + 160,
    repaired: false,
    suspect: false,
    ...fields,
  };
}

const WAIT_ID = 'aaaaaaaaaaaaaaaa';

function argument(state: ArgumentState, changes: Partial<Argument> = {}): Argument {
  return {
    number: 1,
    initiator: 'executor',
    thread: 'db',
    intentKey: 'i@1',
    intentId: '1111111111111111' as MessageId,
    situation: 'Adding a column to orders',
    behavior: 'NOT NULL at once',
    memories: [{ name: M, isFull: true, situation: 's', behavior: 'b', impact: 'i', action: 'Add it nullable' }],
    messages: [WAIT_ID],
    inputs: [],
    state,
    outcome: null,
    deadlineMs: NOW + (state === 'escalated' ? 24 * 60 : 5) * MINUTE,
    openedAtMs: NOW,
    closedAtMs: null,
    isWithLead: false,
    ...changes,
  };
}

function stateWith(...open: readonly Argument[]): AgentState {
  const fresh = newState('engram-agent');
  return {
    ...fresh,
    arguments: new Map(open.map((each) => [each.number, each])),
    memo: { ...fresh.memo, argumentCount: open.length },
  };
}

/** What came of the argument: its state, what it posts and counts. */
function result({ state, posts, counts }: Reaction, number = 1) {
  const after = state.arguments.get(number);
  return {
    state: after?.state,
    posts: posts.flatMap(({ messages }) => messages.map(({ type, text }) => `${type} ${short(text)}`)),
    counts: counts.filter(({ kind }) => kind !== 'considered').map(({ kind, name }) => `${kind} ${name}`),
  };
}

/** Which text of section 11 it is. */
function short(text: string): string {
  if (text.startsWith('Stored memory applies:')) return 'T9';
  if (text.includes('input 3 of 3')) return 'T11';
  if (text.includes('is unresolved after 3 inputs')) return 'T12';
  const closed = /^Argument sub-\d+ closed: ([^.]+)\./.exec(text)?.[1];
  return closed ?? text;
}

const FOLLOWED = { state: 'closed', posts: ['info followed'], counts: [`followed ${M}`] };
const NOT_FOLLOWED = { state: 'closed', posts: ['info not followed'], counts: [`not-followed ${M}`] };
const IRRELEVANT = { state: 'closed', posts: ['info irrelevant'], counts: [`irrelevant ${M}`] };

function reply(state: ArgumentState, fields: Partial<Message>, changes: Partial<Moment> = {}) {
  return result(react(stateWith(argument(state)), message(fields), moment(changes)));
}

describe('AG-29: a reply', () => {
  const OPEN = ['open', 'countered'] as const;
  const ANY = ['open', 'countered', 'escalated'] as const;

  test.each(ANY)('an ack of the initiator closes an argument that is %s as followed', (state) => {
    expect(reply(state, { type: 'ack', text: 'Fine.', re: WAIT_ID })).toEqual(FOLLOWED);
    expect(reply(state, { type: 'ack', text: 'Fine.' })).toEqual(FOLLOWED);
  });

  test.each(ANY)('a concession, or the decision to follow, closes one that is %s as followed', (state) => {
    expect(reply(state, { text: "You're right, will do." })).toEqual(FOLLOWED);
    expect(reply(state, { text: '[User]: follow it' })).toEqual(FOLLOWED);
  });

  test.each(OPEN)("the user's word, or the decision to override, closes one that is %s as not followed", (state) => {
    expect(reply(state, { text: 'The user asked for one statement.' })).toEqual(NOT_FOLLOWED);
    expect(reply(state, { text: 'override: 40 rows' })).toEqual(NOT_FOLLOWED);
  });

  test.each(OPEN)('a reason why it does not fit closes one that is %s as irrelevant', (state) => {
    const text = 'This does not apply, the table is created in this very migration and empty.';
    expect(reply(state, { text })).toEqual(IRRELEVANT);
    expect(reply(state, { text: 'irrelevant, the table is new' })).toEqual(IRRELEVANT);
  });

  test('an opinion is countered once, then escalated', () => {
    const text = 'I think one statement is nicer.';
    expect(reply('open', { text })).toEqual({ state: 'countered', posts: ['info T11'], counts: [] });
    expect(reply('countered', { text })).toEqual({ state: 'escalated', posts: ['escalate T12'], counts: [] });
    expect(reply('escalated', { text })).toEqual({ state: 'escalated', posts: [], counts: [] });
  });

  test('an escalated argument is decided by the lead or the initiator, by nobody else', () => {
    expect(reply('escalated', { from: 'lead', text: 'override it' })).toEqual(NOT_FOLLOWED);
    expect(reply('escalated', { text: 'irrelevant here' })).toEqual(IRRELEVANT);
    const untouched = { state: 'escalated', posts: [], counts: [] };
    expect(reply('escalated', { from: 'reviewer', text: 'follow' })).toEqual(untouched);
    expect(reply('escalated', { from: 'lead', text: 'I would follow it' })).toEqual(untouched);
    expect(reply('open', { from: 'lead', text: 'override it' })).toMatchObject({ state: 'open', counts: [] });
  });

  test.each(ANY)('a done of the initiator on the thread closes one that is %s as a violation', (state) => {
    const expected = { state: 'closed', posts: ['info done with an open wait'], counts: [`not-followed ${M}`] };
    expect(reply(state, { type: 'done', to: 'all', text: 'Migrated.' })).toEqual(expected);
    const elsewhere = reply(state, { type: 'done', to: 'all', text: 'Migrated.', thread: 'docs' });
    expect(elsewhere).toMatchObject({ state, posts: [] });
  });
});

describe('AG-28: what is a reply', () => {
  const text = 'I think one statement is nicer.';
  const untouched = { state: 'open', posts: [], counts: [] };

  test('without re it is addressed to the agent by name, on the thread of the argument', () => {
    expect(reply('open', { text, to: 'all' })).toEqual(untouched);
    expect(reply('open', { text, thread: 'docs' })).toEqual(untouched);
    expect(reply('open', { text, to: 'reviewer, engram-agent' }).state).toBe('countered');
  });

  test('with re it answers a message of this argument, and no other', () => {
    expect(reply('open', { text, to: 'all', re: WAIT_ID }).state).toBe('countered');
    expect(reply('open', { text, re: 'bbbbbbbbbbbbbbbb' })).toEqual(untouched);
    expect(reply('open', { text, from: 'reviewer', re: WAIT_ID })).toEqual(untouched);
  });

  test('with re it may name the challenged intent, where it is addressed to the agent by name', () => {
    const { intentId: re } = argument('open');
    expect(reply('open', { text, re }).state).toBe('countered');
    expect(reply('open', { type: 'ack', re })).toEqual(FOLLOWED);
    expect(reply('open', { type: 'ack', to: 'all', re })).toEqual(untouched);
    expect(reply('open', { type: 'ack', from: 'reviewer', re })).toEqual(untouched);
  });

  test('pauses, heartbeats, receipts and notices of silence are none', () => {
    for (const conventional of [
      'Pausing execution to respond to WAIT from engram-agent.',
      'alive | 312 memories loaded | 40 intents processed | 6 surfaced | queue: 0',
      'Received.',
      'No response from reviewer yet.',
    ]) {
      expect(reply('open', { text: conventional })).toEqual(untouched);
    }
  });

  test('CH-19: what may be a quotation is none, but for an ack that names a message of the argument', () => {
    expect(reply('open', { text: 'override', suspect: true })).toEqual(untouched);
    expect(reply('open', { type: 'ack', suspect: true })).toEqual(untouched);
    expect(reply('open', { type: 'ack', re: WAIT_ID, suspect: true })).toEqual(FOLLOWED);
  });

  test('every reply begins the five minutes anew, counted from when it was posted', () => {
    const state = stateWith(argument('open', { deadlineMs: NOW + MINUTE }));
    const after = react(state, message({ text }), moment()).state.arguments.get(1);
    expect(after?.deadlineMs).toBe(NOW + 5 * MINUTE);
  });

  test('a late reply finds the argument closed, when it is read in time or not', () => {
    const late = { text, ts: new Date(NOW + 6 * MINUTE).toISOString() };
    const after = react(stateWith(argument('open')), message(late), moment({ nowMs: NOW + 20 * MINUTE }));
    expect(result(after)).toEqual({ state: 'closed', posts: ['info no reply in 5 minutes'], counts: [] });
    const inTime = { text, ts: new Date(NOW + 3 * MINUTE).toISOString() };
    const read = react(stateWith(argument('open')), message(inTime), moment({ nowMs: NOW + 20 * MINUTE }));
    expect(result(read)).toMatchObject({ state: 'countered', posts: ['info T11'] });
  });
});

describe('AG-30: what is counted', () => {
  const two = argument('open', {
    memories: [
      { name: M, isFull: true, situation: '', behavior: '', impact: '', action: 'x' },
      { name: OTHER, isFull: true, situation: '', behavior: '', impact: '', action: 'y' },
      { name: 'feedback/also' as MemoryName, isFull: false, situation: '', behavior: '', impact: '', action: 'z' },
    ],
  });

  test('every memory shown in full, unless the reply names some of them', () => {
    const all = react(stateWith(two), message({ type: 'ack', text: 'Agreed.', re: WAIT_ID }), moment());
    expect(result(all).counts).toEqual([`followed ${M}`, `followed ${OTHER}`]);
    const one = react(stateWith(two), message({ text: `override ${OTHER}: it is a hotfix` }), moment());
    expect(result(one).counts).toEqual([`not-followed ${OTHER}`]);
  });

  test('once: the key is that of argument and memory', () => {
    const { counts } = react(stateWith(two), message({ type: 'ack', text: 'Agreed.', re: WAIT_ID }), moment());
    expect(counts.map(({ key }) => key)).toEqual([`outcome:sub-1:${M}`, `outcome:sub-1:${OTHER}`]);
  });
});

describe('AG-29: an intent on the thread', () => {
  const judged = (name: MemoryName, verdict: JudgedMemory['verdict']): JudgedMemory => ({
    name,
    record: { ...emptyRecord('feedback', '2026-04-02T10:00:00Z'), situation: 's', behavior: 'b', action: 'a' },
    relevance: 0.8,
    verdict,
    why: 'because.',
  });

  function announced(state: ArgumentState | null, found: readonly JudgedMemory[], isRevised: boolean) {
    const before = state === null ? stateWith() : stateWith(argument(state));
    const intent = message({ type: 'intent', text: 'Situation: Adding a column to orders\nBehavior: at once' });
    const read = react(before, intent, moment());
    const findings: Findings = {
      failed: null,
      judged: found,
      facts: [],
      lacks: { vectors: false, judge: false },
      revises: isRevised ? 1 : null,
    };
    const turn = new Turn(read.state, moment());
    answerIntent(turn, `${intent.id}@${intent.line}`, findings, 4000);
    return result(turn.end());
  }

  test('applies: opens an argument', () => {
    expect(announced(null, [judged(M, 'applies')], false)).toEqual({
      state: 'open',
      posts: ['wait T9'],
      counts: [`surfaced ${M}`],
    });
  });

  test.each(['open', 'countered', 'escalated'] as const)(
    'AG-27: another intent goes out under the number that is %s',
    (state) => {
      expect(announced(state, [judged(OTHER, 'applies')], false)).toEqual({
        state,
        posts: ['wait T9'],
        counts: [`surfaced ${OTHER}`],
      });
    },
  );

  test.each(['open', 'countered', 'escalated'] as const)(
    'a revised one to which nothing of the argument applies closes one that is %s',
    (state) => {
      expect(announced(state, [judged(M, 'follows')], true)).toEqual({
        state: 'closed',
        posts: ['info followed', 'ack No objection (0 facts sent, 1 memory considered). Proceed.'],
        counts: [`followed ${M}`],
      });
    },
  );

  test('a revised one to which it still applies goes a step further, and surfaces nothing again', () => {
    const still = [judged(M, 'applies')];
    expect(announced('open', still, true)).toEqual({ state: 'countered', posts: ['wait T9'], counts: [] });
    expect(announced('countered', still, true)).toEqual({
      state: 'escalated',
      posts: ['wait T9', 'escalate T12'],
      counts: [],
    });
    expect(announced('escalated', still, true)).toEqual({ state: 'escalated', posts: ['wait T9'], counts: [] });
  });

  test('a revised one closes the argument, and another memory opens the next', () => {
    const after = announced('open', [judged(OTHER, 'applies')], true);
    expect(after).toEqual({
      state: 'closed',
      posts: ['info followed', 'wait T9'],
      counts: [`followed ${M}`, `surfaced ${OTHER}`],
    });
  });

  test('AG-17: three in full, the rest by name', () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((slug) => judged(`feedback/${slug}` as MemoryName, 'applies'));
    const intent = message({ type: 'intent', text: 'Situation: x\nBehavior: y' });
    const turn = new Turn(react(stateWith(), intent, moment()).state, moment());
    const lacks = { vectors: false, judge: false };
    const key = `${intent.id}@${intent.line}`;
    answerIntent(turn, key, { failed: null, judged: five, facts: [], lacks, revises: null }, 4000);
    const { posts, counts } = turn.end();
    expect(posts[0]?.cause).toBe(answerKey({ key }));
    expect(posts[0]?.messages[0]?.text).toContain('\nAlso: feedback/d, feedback/e\n');
    expect(counts.filter(({ kind }) => kind === 'surfaced').map(({ name }) => name)).toEqual([
      'feedback/a',
      'feedback/b',
      'feedback/c',
    ]);
    // A second answer to the same intent is none.
    answerIntent(turn, key, { failed: null, judged: [], facts: [], lacks, revises: null }, 4000);
    expect(turn.end().posts).toHaveLength(1);
  });
});

describe('AG-29: time and the end', () => {
  const around = {
    memories: () => ({ feedback: 0, facts: 0 }),
    condition: {
      ...{ project: null, learns: true, damagedRanges: 0, degraded: [] },
      judge: { kind: 'builtin', calls: 0, failures: 0, fallbacks: 0, late: 0 },
    },
    isLive: () => true,
  };

  test('example 6: five minutes without a reply close it, nothing is counted', () => {
    for (const state of ['open', 'countered'] as const) {
      const before = onTime(stateWith(argument(state)), moment({ nowMs: NOW + 5 * MINUTE - 1 }), around);
      expect(result(before)).toEqual({ state, posts: [], counts: [] });
      const after = onTime(stateWith(argument(state)), moment({ nowMs: NOW + 5 * MINUTE }), around);
      expect(result(after)).toEqual({ state: 'closed', posts: ['info no reply in 5 minutes'], counts: [] });
      expect(after.posts[0]?.messages[0]).toMatchObject({ to: 'executor', thread: 'db', re: '1111111111111111' });
    }
  });

  test('an escalation waits for a day', () => {
    const day = 24 * 60 * MINUTE;
    const after = onTime(stateWith(argument('escalated')), moment({ nowMs: NOW + day }), around);
    expect(result(after)).toEqual({ state: 'closed', posts: ['info no decision in 24 hours'], counts: [] });
  });

  test.each(['open', 'countered', 'escalated'] as const)('one that is %s ends when its memories are gone', (state) => {
    const after = onTime(stateWith(argument(state)), moment(), { ...around, isLive: () => false });
    expect(result(after)).toEqual({ state: 'closed', posts: ['info memory withdrawn'], counts: [] });
  });

  test('AG-8: when the agent stops, open ones end and escalated ones wait on', () => {
    const stopped = { state: 'closed', counts: [] };
    for (const state of ['open', 'countered'] as const) {
      const after = result(onStop(stateWith(argument(state)), moment()));
      expect(after).toMatchObject(stopped);
      expect(after.posts[0]).toBe('info engram-agent stops');
    }
    expect(result(onStop(stateWith(argument('escalated')), moment())).state).toBe('escalated');
  });
});
