import { describe, expect, test } from 'vitest';
import { feedbackText } from '../support/sync-store.ts';
import { AGENT, type SimulatedAgent, simulatedAgent } from './simulated-agent.ts';

/** A whole day with ENGRAM_AGENT_TESTS=long, else two hours. */
const HOURS = process.env.ENGRAM_AGENT_TESTS === 'long' ? 24 : 2;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A lease lasts for three of these, so that none is missed. */
const STEP_MS = 5000;

const heartbeats = (agent: SimulatedAgent) => agent.own().filter(({ thread }) => thread === 'heartbeat');
const tsOf = ({ ts }: { readonly ts: string | null }) => Date.parse(ts ?? '');

async function withColumn(agent: SimulatedAgent): Promise<void> {
  const uncounted = { surfaced_count: '0', followed_count: '0', not_followed_count: '0' };
  await agent.remember('when-adding-a-column', feedbackText(uncounted));
}

describe('AG-49: the heartbeat', () => {
  test(`AG-49: ${HOURS} hours of silence bring one every 5 minutes, and take no more memory at the end`, {
    timeout: 20 * MINUTE_MS,
  }, async () => {
    const agent = await simulatedAgent();
    await agent.start();
    const readyMs = agent.nowMs();
    const residentMb: number[] = [];
    for (let quarter = 0; quarter < 4 * HOURS; quarter += 1) {
      await agent.pass(HOUR_MS / 4, STEP_MS);
      residentMb.push(process.memoryUsage().rss / 2 ** 20);
    }
    const beats = heartbeats(agent);
    expect(beats.map(tsOf)).toEqual(Array.from({ length: 12 * HOURS }, (_, at) => readyMs + (at + 1) * 5 * MINUTE_MS));
    expect(new Set(beats.map(({ to, type, re, text }) => JSON.stringify([to, type, re, text])))).toEqual(
      new Set([
        JSON.stringify([
          'all',
          'info',
          null,
          'alive | 0 memories loaded | 0 intents processed | 0 surfaced | queue: 0',
        ]),
      ]),
    );
    // Nothing else was said in all that time but that it is there.
    expect(agent.own()).toHaveLength(beats.length + 2);
    if (HOURS === 24) {
      const [early, late] = [residentMb.slice(8, 24), residentMb.slice(-16)].map((part) => Math.max(...part));
      expect(late ?? 0).toBeLessThan(1.1 * (early ?? 0));
    }
    await agent.stop();
  });

  test('AG-49: none is made up for the time that the machine slept', async () => {
    const agent = await simulatedAgent();
    await agent.start();
    await agent.pass(5 * MINUTE_MS, STEP_MS);
    expect(heartbeats(agent)).toHaveLength(1);
    await agent.jump(3 * HOUR_MS);
    await agent.pass(5 * MINUTE_MS - STEP_MS, STEP_MS);
    expect(heartbeats(agent)).toHaveLength(1);
    await agent.pass(STEP_MS, STEP_MS);
    expect(heartbeats(agent)).toHaveLength(2);
    await agent.stop();
  });

  test('AG-49: after a restart it is due from the time of the last one', async () => {
    const agent = await simulatedAgent();
    await agent.start();
    await agent.pass(8 * MINUTE_MS, STEP_MS);
    const [first] = heartbeats(agent);
    await agent.stop();
    await agent.start();
    await agent.pass(3 * MINUTE_MS, STEP_MS);
    expect(heartbeats(agent).map(tsOf)).toEqual(
      [first, first].map((beat, at) => tsOf(beat ?? { ts: null }) + at * 5 * MINUTE_MS),
    );
    await agent.stop();
    // Long after it is due at once, and once.
    agent.jumpAsleep(5 * HOUR_MS);
    await agent.start();
    await agent.pass(4 * MINUTE_MS, STEP_MS);
    expect(heartbeats(agent)).toHaveLength(3);
    await agent.stop();
  });

  test('AG-49, AG-29: a jump of the wall clock restarts a deadline, once; time that passes does not', async () => {
    const agent = await simulatedAgent();
    await withColumn(agent);
    await agent.start();
    const intent = agent.hasty('db');
    await agent.until(() => agent.answerTo(intent) !== undefined);
    expect(agent.answerTo(intent)?.type).toBe('wait');
    const isOpen = () => agent.status().arguments.open === 1;
    await agent.pass(4 * MINUTE_MS, STEP_MS);
    await agent.jump(HOUR_MS);
    expect(isOpen()).toBe(true);
    await agent.pass(4 * MINUTE_MS + 50_000, STEP_MS);
    expect(isOpen()).toBe(true);
    await agent.pass(15_000, STEP_MS);
    expect(isOpen()).toBe(false);
    expect(agent.own().map(({ text }) => text)).toContain(
      'Argument sub-1 closed: no reply in 5 minutes. Nothing counted.',
    );
    await agent.stop();
  });
});

test('AG-50: a long queue is said once in ten minutes, to the lead who is there, else to all', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const agent = await simulatedAgent((builtIn) => ({
    ...builtIn,
    kind: 'command',
    applies: async (intent, memories) => {
      await released;
      return builtIn.applies(intent, memories, 0);
    },
  }));
  await withColumn(agent);
  await agent.start();
  const notices = () => agent.own().filter(({ text }) => text.startsWith('Queue is '));
  const intents = Array.from({ length: 5 }, (_, at) => agent.hasty(`task-${at}`));
  await agent.pass(2000);
  expect(notices()).toEqual([]);
  intents.push(agent.hasty('task-5'));
  await agent.pass(9 * MINUTE_MS, STEP_MS);
  expect(notices()).toMatchObject([
    {
      to: 'all',
      thread: 'lifecycle',
      type: 'info',
      re: null,
      text: 'Queue is 6: intents arrive faster than they are answered. Consider splitting the work over several channels.',
    },
  ]);
  agent.post({ from: 'lead', to: 'all', thread: 'lifecycle', type: 'ready', text: 'Here.' });
  await agent.pass(2 * MINUTE_MS, STEP_MS);
  expect(notices().map(({ to }) => to)).toEqual(['all', 'lead']);
  release();
  await agent.until(() => intents.every((intent) => agent.answerTo(intent) !== undefined));
  await agent.pass(1000);
  expect(agent.status()).toMatchObject({ queue: { now: 0, max: 6 }, intents: { seen: 6 } });
  await agent.stop();
});

test('AG-48: many new memories are said once, too many end the learning until the window has passed', async () => {
  const agent = await simulatedAgent();
  await agent.start();
  const notices = () => agent.own().filter(({ text }) => text.includes('new memories in 10 minutes'));
  const learn = (number: number) =>
    agent.post({
      from: 'researcher',
      to: 'all',
      type: 'learned',
      text: `service-${number} -> listens-on -> port ${8000 + number}`,
    });
  for (let number = 1; number <= 5; number += 1) learn(number);
  await agent.until(() => agent.facts().length === 5);
  await agent.pass(2000);
  expect(notices()).toEqual([]);
  for (let number = 6; number <= 36; number += 1) learn(number);
  await agent.until(() => agent.facts().length === 31);
  await agent.pass(MINUTE_MS, STEP_MS);
  expect(agent.facts()).toHaveLength(31);
  expect(agent.status().learning).toBe('paused');
  expect(notices()).toMatchObject([
    {
      to: 'all',
      type: 'info',
      re: null,
      text: '6 new memories in 10 minutes. Please review and consolidate: engram list',
    },
  ]);
  // Answers go on.
  const intent = agent.post({ type: 'intent', text: 'Situation: Fixing a typo.\nBehavior: Edit it.' });
  await agent.until(() => agent.answerTo(intent) !== undefined);
  await agent.pass(10 * MINUTE_MS, STEP_MS);
  await agent.until(() => agent.facts().length === 36);
  expect(agent.status().learning).toBe('on');
  expect(notices()).toHaveLength(1);
  await agent.stop();
});

describe('AG-15, AG-20: a judge that stalls', () => {
  const BUDGET_MS = 4000;

  test('AG-15, AG-20: is replaced by the built-in rules inside the budget, and the answer says so', async () => {
    const agent = await simulatedAgent((builtIn) => ({
      ...builtIn,
      kind: 'command',
      applies: async (intent, memories, deadlineMs) => {
        await new Promise((resolve) => setTimeout(resolve, deadlineMs));
        return builtIn.applies(intent, memories, 0);
      },
      get degraded() {
        return true;
      },
    }));
    await withColumn(agent);
    await agent.start({ answerBudgetMs: BUDGET_MS });
    const intent = agent.hasty('db');
    const postedMs = performance.now();
    await agent.until(() => agent.answerTo(intent) !== undefined);
    expect(performance.now() - postedMs).toBeLessThan(BUDGET_MS);
    expect(agent.answerTo(intent)?.type).toBe('wait');
    expect(agent.answerTo(intent)?.text.split('\n').at(-1)).toBe('(judge unavailable: built-in rules used)');
    await agent.pass(1000);
    expect(agent.status()).toMatchObject({ degraded: ['judge'], intents: { seen: 1, waited: 1, late: 0 } });
    await agent.pass(5 * MINUTE_MS, STEP_MS);
    expect(heartbeats(agent).at(-1)?.text).toMatch(/ \| queue: 0 \| degraded: judge$/);
    await agent.stop();
  });

  test('AG-15: and one that never answers keeps nobody waiting, nor those who ask after it', async () => {
    const agent = await simulatedAgent((builtIn) => ({
      ...builtIn,
      kind: 'command',
      applies: () => new Promise(() => {}),
    }));
    await withColumn(agent);
    await agent.start({ answerBudgetMs: BUDGET_MS });
    const stalled = agent.hasty('db');
    const quick = agent.post({ thread: 'docs', type: 'intent', text: 'Situation: Fixing a typo.\nBehavior: Edit it.' });
    const postedMs = performance.now();
    await agent.until(() => agent.answerTo(quick) !== undefined);
    expect(agent.answerTo(stalled)).toBeUndefined();
    await agent.until(() => agent.answerTo(stalled) !== undefined);
    expect(performance.now() - postedMs).toBeLessThan(BUDGET_MS);
    expect(agent.answerTo(stalled)?.text).toBe(
      'Memory check failed: the search took too long. Nothing was checked. Proceed at your own judgement.',
    );
    expect(agent.status().intents).toMatchObject({ seen: 2, acked: 1, failed: 1 });
    await agent.stop();
  });
});

test('AG-15, AG-18: a memory whose file somebody holds is answered from, and counted once its lock is gone', async () => {
  const agent = await simulatedAgent();
  await withColumn(agent);
  await agent.start();
  const free = agent.holdFile('feedback/when-adding-a-column.toml');
  const first = agent.hasty('db');
  await agent.until(() => agent.answerTo(first) !== undefined);
  await agent.pass(20_000);
  const second = agent.hasty('etl');
  await agent.until(() => agent.answerTo(second) !== undefined);
  await agent.pass(20_000);
  expect([first, second].map((intent) => agent.answerTo(intent)?.type)).toEqual(['wait', 'wait']);
  expect(agent.surfacedCount('feedback/when-adding-a-column.toml')).toBe(0);
  expect(agent.status()).toMatchObject({ pending_file_writes: 2, surfaced: 2 });
  free();
  await agent.pass(3000);
  expect(agent.surfacedCount('feedback/when-adding-a-column.toml')).toBe(2);
  expect(agent.status().pending_file_writes).toBe(0);
  expect(agent.own().every(({ from }) => from === AGENT)).toBe(true);
  await agent.stop();
});
