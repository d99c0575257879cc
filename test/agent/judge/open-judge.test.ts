import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { openJudge } from '../../../src/agent/judge/open-judge.ts';
import { emptyRecord } from '../../../src/memory/record.ts';
import { COLUMN } from '../../support/judged.ts';
import { type TestStore, temporaryStore } from '../../support/sync-store.ts';

const JUDGE = fileURLToPath(new URL('../../support/misbehaving-judge.mjs', import.meta.url));
const LONG_MS = 20_000;

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

function opened(...how: string[]) {
  const command = { command: [process.execPath, JUDGE, ...how], env: [], environment: process.env };
  const settings = { kind: 'command', appliesAt: 0.6, apart: 0.05, ...command } as const;
  return openJudge(settings, { store: store.context.store, source: null });
}

const SAME = { situation: 'Adding a column', behavior: 'Add it NOT NULL with a default in one migration' };
const OTHER = { ...COLUMN, behavior: 'Deleting old branches', action: 'Keep them for a month' };

test('AG-21: a verdict for each memory, by the model', async () => {
  const judge = await opened('good');
  const verdict = { verdict: 'applies', score: 0.9, reason: 'it is the same', by: 'model' };
  expect(await judge.applies(SAME, [COLUMN, OTHER], LONG_MS)).toEqual([verdict, verdict]);
  expect(await judge.probe(LONG_MS)).toBeNull();
  expect(judge.statistics).toMatchObject({ calls: 3, failures: 0, fallbacks: 0 });
  judge.close();
});

it.each([
  ['fails', 'wrong-verdict', LONG_MS, 'its verdict is none of the three'],
  ['is late', 'slow', 300, 'it came too late'],
])('AG-25: where the model %s the built-in rules answer, for each memory', async (_, how, deadlineMs, reason) => {
  const judge = await opened(how);
  const answers = await judge.applies(SAME, [COLUMN, OTHER, OTHER], deadlineMs);
  expect(answers.map(({ verdict, by }) => [verdict, by])).toEqual([
    ['applies', 'builtin'],
    ['unrelated', 'builtin'],
    ['unrelated', 'builtin'],
  ]);
  expect(judge.degraded).toBe(true);
  expect(judge.statistics).toMatchObject({ calls: 3, failures: 3, fallbacks: 3 });
  expect(await judge.probe(LONG_MS)).toBe(reason);
  judge.close();
});

test('AG-25: for the other questions null asks for the rules of the caller', async () => {
  const judge = await opened('wrong-json');
  const record = emptyRecord('feedback', null);
  const message = { from: 'executor', type: 'info', text: 'x' };
  expect(await judge.reply(SAME, COLUMN, [{ from: 'executor', text: 'no' }])).toBeNull();
  expect(await judge.extract(message, [], 'feedback')).toBeNull();
  expect(await judge.relation(record, record)).toBeNull();
  judge.close();
});
