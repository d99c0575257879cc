import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { appendMessages } from '../../src/chat/append.ts';
import { feedbackText } from '../support/sync-store.ts';
import { AGENT, simulatedAgent } from './simulated-agent.ts';

const COUNT = 60;

test('AG-13, AG-14, AG-50: many intents at once get one answer each, in their order, and the queue is said', async () => {
  const agent = await simulatedAgent();
  await agent.remember('when-adding-a-column', feedbackText());
  await agent.start();
  const drafts = Array.from({ length: COUNT }, (_, at) => ({
    from: `executor-${at % 7}`,
    to: AGENT,
    thread: `task-${at}`,
    type: 'intent',
    text:
      at % 5 === 0
        ? 'Situation: About to add a column to a table that holds many rows\nBehavior: Adding the column NOT NULL with a default in one migration'
        : `Situation: Fixing typo ${at}.\nBehavior: Edit it.`,
  }));
  const { messages } = appendMessages(agent.chatFile, drafts, { now: () => agent.nowMs() });
  await agent.pass(1000);
  await agent.until(() => messages.every((intent) => agent.answerTo(intent) !== undefined));
  const answers = agent.own().filter(({ re, type }) => re !== null && (type === 'ack' || type === 'wait'));
  expect(answers.map(({ re }) => re).sort()).toEqual(messages.map(({ id }) => id as string).sort());
  expect(answers.filter(({ type }) => type === 'wait')).toHaveLength(COUNT / 5);
  // One that has less to look at may overtake a few, no more than are under way at a time.
  const places = answers.map(({ re }) => messages.findIndex(({ id }) => id === re));
  expect(Math.max(...places.map((place, at) => Math.abs(place - at)))).toBeLessThan(8);
  expect(agent.own().filter(({ text }) => /^Queue is \d+: /.test(text))).toHaveLength(1);
  expect(agent.status()).toMatchObject({
    queue: { now: 0 },
    intents: { seen: COUNT, acked: (COUNT * 4) / 5, waited: COUNT / 5, failed: 0, late: 0 },
  });
  // What stands in the file is noted as posted: another look posts nothing again.
  const before = readFileSync(agent.chatFile, 'utf8');
  await agent.pass(5000);
  expect(readFileSync(agent.chatFile, 'utf8')).toBe(before);
  await agent.stop();
});
