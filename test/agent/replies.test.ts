import { describe, expect, test } from 'vitest';
import { classifyReply, isConventional } from '../../src/agent/replies.ts';
import { expectMistakes, scoreOf } from './precision-recall.ts';

const DECISIONS = [
  'override, the table has 40 rows',
  'follow',
  'Follow.',
  'irrelevant: other database',
  '[User]: override',
  '  [User]: follow the stored action, please',
  'OVERRIDE\nthe user says so',
  'irrelevant',
  'Follow, and thanks',
  'Override. We measured it.',
  'follow - agreed',
  '[User]: irrelevant, that is MySQL',
  'override because the table is empty',
  'Irrelevant!',
  'follow it',
];
const USER = [
  'The user asked for one statement.',
  'I checked: the user wants it in one migration.',
  'the user said it is fine',
  'the user has approved this already',
  'The user confirmed the plan.',
  'Sorry, but the user agreed to the lock.',
  'This was discussed, the user says go.',
  'Because the user wanted exactly this',
  'Yes, the user approved.',
  'We have a ticket and the user confirmed it there.',
  'The user asked explicitly: no batches.',
  'Agreed in general, but the user wants it now.',
  'does not apply, the user said so this morning in chat',
  'the user approved it, switching to it now',
  'You know that the user asked for it',
];
const IRRELEVANT = [
  'This does not apply, the table is empty and only read by tests.',
  'not relevant: here we change a view and no table at all',
  'That memory is unrelated, I am renaming a column in a fixture file.',
  'It does not apply because sqlite has no such locks on this table.',
  "That doesn't apply here since the service is not deployed anywhere yet.",
  'Unrelated. My change is in the docs folder and nothing runs it.',
  'The memory is about production, does not apply to my local scratch database.',
  'not relevant, this is the mobile client and it has no database',
  'I read it; does not apply to views, only to tables with rows.',
  'Unrelated to migrations: I only edit the README of that folder.',
  'does not apply: the column is nullable and backfilled in batches already',
  'Not relevant for this task, we only generate types from the schema.',
  'The rule does not apply as the table was created a minute ago.',
  'This is unrelated because the index is on another table entirely.',
  'It does not apply. The migration tool adds batches by itself.',
];
const CONCEDES = [
  'Agreed.',
  'agreed, I will add it nullable',
  "You're right, I will split it.",
  'Good point, thanks',
  'Will do.',
  'OK',
  'ok',
  'ok.',
  'will use three migrations',
  'Switching to batches.',
  'Fair. I changed the plan to three steps.',
  'you’re right',
  'Good point. Will do it in batches.',
  'I changed the plan.',
  'You are right about the lock.',
];
const PERSISTS = [
  'I think one statement is nicer.',
  'I still prefer one statement.',
  'Agreed, but the table is small.',
  "You're right, however we have no time.",
  'Good point, not for this table though.',
  'Will do everything except the batches.',
  'I disagreed with this before.',
  'ok, one statement it is',
  'It does not apply.',
  'Not relevant here.',
  'Why?',
  '',
  'The users asked for it',
  'Please follow your own rules',
  'I would override this',
  'The table has 40 rows.',
  'overrides are fine',
  '> Agreed.',
  '```\nwill do\n```\nis what my script prints',
];

describe('AG-29: classes of replies', () => {
  const ALL = [...DECISIONS, ...USER, ...IRRELEVANT, ...CONCEDES, ...PERSISTS];
  test.each([
    ['decision', DECISIONS],
    ['user', USER],
    ['irrelevant', IRRELEVANT],
    ['concedes', CONCEDES],
    ['persists', PERSISTS],
  ] as const)('%s', (kind, positive) => {
    const negative = ALL.filter((text) => !positive.includes(text));
    expectMistakes(scoreOf(kind, { positive, negative }, (text) => classifyReply(text).kind === kind));
  });

  test('a decision says which', () => {
    expect(classifyReply('[User]: Override, please')).toEqual({ kind: 'decision', decision: 'override' });
  });
});

describe('AG-28: texts that are never a reply', () => {
  test.each([
    'Pausing execution to respond to WAIT from engram-agent.',
    'Pausing execution to respond to WAIT from lead',
    'Received.',
    'alive | 312 memories loaded | 40 intents processed | 6 surfaced | queue: 0',
    'alive | 312 memories loaded | 40 intents processed | 6 surfaced | queue: 0 | degraded: vectors',
    'No response from reviewer yet.',
    'No response from reviewer, lead yet.',
    ' Received.\n',
  ])('%s', (text) => expect(isConventional(text)).toBe(true));

  test.each([
    'Received. I disagree.',
    'alive and well',
    'No response from the server yet, so I go on with one.',
    'Pausing execution',
    'Agreed.',
    '',
    'Received.\nBut no.',
  ])('a reply: %s', (text) => expect(isConventional(text)).toBe(false));
});

test.each(['a', ' ', 'agreed ', 'not relevant ', 'the user ', 'No response from ', 'alive | ', '\n'])(
  'AG-29: 1 MiB of %j costs time in proportion to it',
  (piece) => {
    const text = piece.repeat(Math.ceil((1 << 20) / piece.length));
    const start = process.cpuUsage();
    classifyReply(text);
    isConventional(text);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
  },
);
