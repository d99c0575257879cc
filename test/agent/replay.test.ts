import { expect, test } from 'vitest';
import { agentStage } from './agent-process.ts';
import { brokenPromises, replay, reportOf } from './replay.ts';

const LONG = process.env.ENGRAM_AGENT_TESTS === 'long';
const SEED = Number(process.env.ENGRAM_AGENT_SEED ?? (LONG ? Date.now() % 1_000_000 : 7));
const OPTIONS = LONG ? { messages: 2000, writers: 4, kills: 30 } : { messages: 150, writers: 3, kills: 4 };

test('AG-10, AG-5: killed again and again amid a busy chat, it answers, counts and learns everything exactly once', {
  timeout: LONG ? 1_800_000 : 120_000,
}, async () => {
  const stage = agentStage();
  const ready = await replay(stage, { ...OPTIONS, seed: SEED });
  const report = reportOf(stage, ready);
  if (LONG) console.log(JSON.stringify({ seed: SEED, ...OPTIONS, ...report }));
  expect([SEED, brokenPromises(stage)]).toEqual([SEED, []]);
  // Not for nothing.
  expect(report.intents).toBeGreaterThan(OPTIONS.messages / 4);
  expect(Math.min(report.waits, report.closed, report.counts, report.learned)).toBeGreaterThan(0);
});
