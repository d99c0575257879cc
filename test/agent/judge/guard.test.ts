import { expect, it, test } from 'vitest';
import { guard } from '../../../src/agent/judge/guard.ts';
import type { Asked, AskLimits, JudgeModel } from '../../../src/agent/judge/judge-model.ts';
import { parseApplies } from '../../../src/agent/judge/parse-answer.ts';
import { appliesQuestion, replyQuestion } from '../../../src/agent/judge/questions.ts';
import { COLUMN, INTENT } from '../../support/judged.ts';

const GOOD: Asked = { kind: 'answer', text: '{"verdict":"follows","score":0.2,"reason":"so"}' };
const BAD: Asked = { kind: 'failed', reason: 'it broke' };
const QUESTION = appliesQuestion(INTENT, COLUMN, 1000);
const MINUTE_MS = 60_000;
const LONG_MS = 30_000;

/** A model that answers when the test says so, and does not stop when it is told to. */
function heldModel() {
  const asked: { readonly limits: AskLimits; answer(asked: Asked): void }[] = [];
  const model: JudgeModel = {
    kind: 'command',
    ask: (_, limits) => new Promise((answer) => asked.push({ limits, answer })),
  };
  return { model, asked };
}

function scripted(...answers: readonly Asked[]) {
  let [count, nowMs] = [0, 0];
  const model: JudgeModel = { kind: 'command', ask: async () => answers[count++] ?? GOOD };
  const guarded = guard(model, { now: () => nowMs });
  return {
    guarded,
    ask: () => guarded.ask(QUESTION, LONG_MS, parseApplies),
    pass: (ms: number) => {
      nowMs += ms;
    },
    get count() {
      return count;
    },
  };
}

test('AG-25: three failures in a row, then built-in rules for 5 min, then one probe', async () => {
  const run = scripted(BAD, GOOD, BAD, BAD, BAD, BAD);
  for (let at = 0; at < 5; at++) await run.ask();
  expect([run.count, run.guarded.isResting]).toEqual([5, true]);
  run.pass(5 * MINUTE_MS - 1);
  expect(await run.ask()).toBeNull();
  expect(run.count).toBe(5);
  run.pass(1);
  // The probe fails: another 5 min.
  await run.ask();
  await run.ask();
  expect(run.count).toBe(6);
  run.pass(5 * MINUTE_MS);
  expect(await run.ask()).toMatchObject({ verdict: 'follows' });
  expect(await run.ask()).toMatchObject({ verdict: 'follows' });
  expect(run.guarded.isResting).toBe(false);
  expect(run.guarded.statistics).toEqual({ calls: 8, failures: 5, fallbacks: 7, late: 0 });
});

test('AG-25: one probe at a time', async () => {
  let nowMs = 0;
  const { model, asked } = heldModel();
  const guarded = guard(model, { now: () => nowMs });
  const ask = () => guarded.ask(QUESTION, LONG_MS, parseApplies);
  const first = [ask(), ask(), ask()];
  await turn();
  for (const { answer } of asked) answer(BAD);
  await Promise.all(first);
  nowMs = 5 * MINUTE_MS;
  const probe = ask();
  await turn();
  expect(await ask()).toBeNull();
  expect(asked.length).toBe(4);
  asked[3]?.answer(GOOD);
  expect(await probe).toMatchObject({ verdict: 'follows' });
});

it.each([
  ['an answer outside the table', { kind: 'answer', text: '{"verdict":"yes"}' }],
  ['a failure', BAD],
  ['a time-out', { kind: 'late', reason: 'late' }],
] as const)('AG-25: %s is a failure', async (_, asked) => {
  const run = scripted(asked);
  expect(await run.ask()).toBeNull();
  expect(run.guarded.statistics).toEqual({ calls: 1, failures: 1, fallbacks: 1, late: asked.kind === 'late' ? 1 : 0 });
});

test('AG-25: 8 calls at once; what finds no lane in time is no failure of the model', async () => {
  const { model, asked } = heldModel();
  const guarded = guard(model);
  const all = Array.from({ length: 9 }, (_, at) => guarded.ask(QUESTION, at === 8 ? 20 : LONG_MS, parseApplies));
  expect(await all[8]).toBeNull();
  expect(asked.length).toBe(8);
  expect(guarded.statistics).toEqual({ calls: 8, failures: 0, fallbacks: 1, late: 0 });
  const next = guarded.ask(QUESTION, LONG_MS, parseApplies);
  asked[0]?.answer(GOOD);
  await all[0];
  await turn();
  asked[8]?.answer(GOOD);
  expect(await next).toMatchObject({ verdict: 'follows' });
  guarded.close();
});

test('AG-25: questions that may take a minute leave lanes to an intent', async () => {
  const { model, asked } = heldModel();
  const guarded = guard(model);
  const patient = replyQuestion(INTENT, COLUMN, []);
  const all = Array.from({ length: 8 }, () => guarded.ask(patient, LONG_MS, parseApplies));
  await turn();
  expect(asked.length).toBe(5);
  const one = guarded.ask(QUESTION, LONG_MS, parseApplies);
  await turn();
  asked[5]?.answer(GOOD);
  expect(await one).toMatchObject({ verdict: 'follows' });
  guarded.close();
  expect(await Promise.all(all)).toEqual(all.map(() => null));
});

test('AG-25: a verdict after the deadline is counted and never used', async () => {
  const { model, asked } = heldModel();
  const guarded = guard(model);
  const late = guarded.ask(QUESTION, 20, parseApplies);
  expect(await late).toBeNull();
  asked[0]?.answer(GOOD);
  await turn();
  expect(asked[0]?.limits.signal.aborted).toBe(true);
  expect(guarded.statistics).toEqual({ calls: 1, failures: 1, fallbacks: 1, late: 1 });
});

test('AG-8: closing breaks off what is asked, and asks nothing more', async () => {
  const { model, asked } = heldModel();
  const guarded = guard(model);
  const open = guarded.ask(QUESTION, LONG_MS, parseApplies);
  await turn();
  guarded.close();
  expect(await open).toBeNull();
  expect(await guarded.ask(QUESTION, LONG_MS, parseApplies)).toBeNull();
  expect([asked.length, guarded.statistics.failures]).toEqual([1, 0]);
});

/** Lets everything that waits for nothing but its turn have it. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
