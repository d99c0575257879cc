import { describe, expect, test } from 'vitest';
import { AGENT, agentStage } from './agent-process.ts';

/** AG-53, by the built command beside a real agent. */

const KEYS = [
  'running pid project chat_file started_at cursor lag_lines last_heartbeat',
  'memories intents answer_ms queue arguments outcomes surfaced unresolved missed',
  'learned judge pending_file_writes damaged_ranges degraded learning',
].flatMap((line) => line.split(' '));

const PARTS: Readonly<Record<string, readonly string[]>> = {
  memories: ['feedback', 'facts', 'core', 'promoted', 'quarantined'],
  intents: ['seen', 'acked', 'waited', 'failed', 'late'],
  answer_ms: ['p50', 'p95', 'max'],
  queue: ['now', 'max'],
  arguments: ['open', 'escalated', 'timed_out'],
  outcomes: ['followed', 'not_followed', 'irrelevant'],
  learned: ['feedback', 'facts', 'replaced', 'duplicates', 'conflicts', 'drafts'],
  judge: ['kind', 'calls', 'failures', 'fallbacks'],
};

const HEARTBEAT_AT = `UPDATE agent_chats SET value = json_set(value, '$.heartbeatAtMs', ?)`;

describe('AG-53: agent status', () => {
  test('AG-53: says all there is of an agent that runs, that is silent for too long, and that does not run', async () => {
    const stage = agentStage();
    stage.remember();
    const agent = stage.agent();
    await agent.ready;
    const asked = [stage.intent('fix'), stage.hasty()];
    await stage.answered(...asked);
    const status = stage.json('agent', 'status');
    expect(Object.keys(status)).toEqual(KEYS);
    for (const [part, keys] of Object.entries(PARTS)) expect(Object.keys(status[part] as object)).toEqual(keys);
    expect(status).toMatchObject({
      running: true,
      pid: agent.pid,
      chat_file: stage.path,
      memories: { feedback: 1, facts: 0, core: 0, promoted: 0, quarantined: 0 },
      intents: { seen: 2, acked: 1, waited: 1, failed: 0, late: 0 },
      queue: { now: 0 },
      arguments: { open: 1, escalated: 0, timed_out: 0 },
      surfaced: 1,
      judge: { kind: 'builtin', calls: 0, failures: 0, fallbacks: 0 },
      damaged_ranges: 0,
      degraded: [],
      learning: 'on',
    });
    expect(Date.parse(status.started_at as string)).toBeGreaterThan(Date.now() - 60_000);
    expect((status.answer_ms as { max: number }).max).toBeLessThan(4000);
    expect(stage.run('agent', 'status').status).toBe(0);

    // The process is there and renews its lease; what it wrote last is old.
    stage.sql(HEARTBEAT_AT, Date.now() - 7 * 60_000);
    expect(stage.run('agent', 'status').status).toBe(1);
    expect(stage.json('agent', 'status')).toMatchObject({ running: true });
    stage.sql(HEARTBEAT_AT, Date.now() - 5 * 60_000);
    expect(stage.run('agent', 'status').status).toBe(0);

    expect((await agent.stop()).status).toBe(0);
    expect(stage.run('agent', 'status').status).toBe(3);
    expect(stage.json('agent', 'status')).toMatchObject({
      running: false,
      pid: null,
      started_at: null,
      lag_lines: expect.any(Number),
      intents: { seen: 2 },
    });
    expect(stage.own().at(-1)?.from).toBe(AGENT);
  });

  test('AG-53: and of a chat in which none ever was', () => {
    const stage = agentStage();
    stage.remember();
    stage.run('db', 'sync');
    const { status, stdout } = stage.run('agent', 'status', '--json');
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      running: false,
      cursor: 0,
      last_heartbeat: null,
      answer_ms: { p50: null, p95: null, max: null },
      judge: { kind: null },
    });
  });

  test('AG-53: an agent that was killed is not there, whatever its lease says', async () => {
    const stage = agentStage();
    const agent = stage.agent();
    await agent.ready;
    await agent.kill();
    expect(stage.run('agent', 'status').status).toBe(3);
  });
});
