import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { until } from '../support/watch-process.ts';
import { AGENT, type AgentStage, agentStage, RECOVERED, said } from './agent-process.ts';

const stateOf = ({ run }: AgentStage) => {
  const { status, stdout } = run('chat', 'presence', '--agent', AGENT, '--json');
  const { agents } = JSON.parse(stdout) as { agents: readonly { state: string; evidence: string }[] };
  return [status, agents[0]?.state, agents[0]?.evidence];
};

describe('CH-35: the lease says more than messages', () => {
  test('online without a word in 15 min while it runs, offline at once after kill -9, left after a clean stop', async () => {
    const stage = agentStage();
    const { agent, path, run } = stage;
    const first = agent();
    await first.ready;
    // All it has said is long past.
    const old = readFileSync(path, 'utf8').replace(/^ts = ".*"$/gm, 'ts = "2026-01-01T00:00:00Z"');
    writeFileSync(path, old);
    await until(() => RECOVERED.test(said(stage.own().at(-1) ?? never())));
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^ts = ".*"$/gm, 'ts = "2026-01-01T00:00:00Z"'));
    expect(stateOf(stage)).toEqual([0, 'online', 'lease']);
    await first.kill();
    expect(stateOf(stage)).toEqual([3, 'offline', 'lease']);
    const waited = run(
      'chat',
      'ack-wait',
      '--agent',
      'executor',
      '--cursor',
      '0',
      '--recipients',
      AGENT,
      '--re',
      '0'.repeat(16),
    );
    expect([waited.status, JSON.parse(waited.stdout)]).toEqual([0, expect.objectContaining({ implied: [AGENT] })]);
    const second = agent();
    await second.ready;
    expect(stateOf(stage)).toEqual([0, 'online', 'lease']);
    expect((await second.stop()).status).toBe(0);
    expect(stateOf(stage)).toEqual([3, 'left', 'message']);
  });

  test('an intent is answered while it runs; after its death the command says so', async () => {
    const { agent, run } = agentStage();
    const first = agent();
    await first.ready;
    const announce = () =>
      run(
        'chat',
        'intent',
        '--from',
        'executor',
        '--thread',
        'db',
        '--situation',
        'About to fix a typo',
        '--behavior',
        'Edit a line',
      );
    expect(announce().status).toBe(0);
    await first.kill();
    const { stdout, stderr } = announce();
    expect(stdout + stderr).toContain('engram agent run');
  });
});

test('CH-45: a recovery posts one info with cursor and count, no second ready, and nothing is answered twice', async () => {
  const { agent, intent, answered, answersTo, own } = agentStage();
  const first = agent();
  await first.ready;
  const question = intent('fix');
  await answered(question);
  await first.kill();
  const later = intent('mend');
  await agent().ready;
  expect([question, later].map((one) => answersTo(one).length)).toEqual([1, 1]);
  expect(own().filter(({ type }) => type === 'ready').length).toBe(1);
  expect(own().filter((message) => RECOVERED.test(said(message))).length).toBe(1);
});

function never(): never {
  throw new Error('the agent has said nothing');
}
