import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  AGENT,
  agentStage,
  FAREWELL,
  heldLock,
  INITIALIZED,
  NOTHING,
  READY,
  said,
  suspended,
} from './agent-process.ts';

describe('AG-2: one agent a chat', () => {
  test('a second start exits 1 and names the process that answers; its death frees the chat at once', async () => {
    const { agent, once, run, own } = agentStage();
    const first = agent();
    await first.ready;
    for (const second of [once(), once('--take-over'), run('agent', 'run', '--name', 'other')]) {
      expect([second.status, second.stdout]).toEqual([1, '']);
      expect(second.stderr).toContain(`process ${first.pid} answers in`);
    }
    await first.kill();
    const next = agent();
    await next.ready;
    expect((await next.stop()).status).toBe(0);
    expect(own().filter(({ type }) => type === 'ready').length).toBe(1);
  });

  test('a lease that was not renewed for 15 s is free, and its former holder ends without another word', async () => {
    const home = agentStage();
    const { agent, sql, own, intent, answered, answersTo } = home;
    const first = agent();
    await first.ready;
    await suspended(home, first);
    sql('UPDATE agent_leases SET renewed_at_ms = renewed_at_ms - 15000');
    const second = agent();
    await second.ready;
    const question = intent('fix');
    await answered(question);
    first.process.kill('SIGCONT');
    const { status, stderr } = await first.end;
    expect([status, stderr]).toEqual([1, expect.stringContaining('another process answers in')]);
    expect(answersTo(question).length).toBe(1);
    expect(own().filter(({ type }) => type === 'done')).toEqual([]);
  });

  test('a lost lease ends it with exit 1; what was planned is not posted any more', async () => {
    const { agent, sql, own, intent, path, messages, planned } = agentStage();
    const first = agent();
    await first.ready;
    // Without the lock nothing goes out: the answer stays planned until the lease is gone.
    const { lock, free } = heldLock(path);
    const question = intent('fix');
    await planned(question);
    sql('UPDATE agent_leases SET epoch = epoch + 1');
    free();
    const { status, stderr } = await first.end;
    expect([status, stderr, existsSync(lock)]).toEqual([
      1,
      expect.stringContaining('another process answers in'),
      false,
    ]);
    expect(own().map(said)).toEqual([expect.stringMatching(READY), INITIALIZED]);
    expect(messages().at(-1)?.id).toBe(question.id);
  });

  test.each([
    ['10 minutes ago', 10 * 60_000, 1],
    ['12 minutes ago', 12 * 60_000, 0],
  ])('somebody of its name who wrote %s', (_, ageMs, exit) => {
    const { once, write, own } = agentStage();
    write(AGENT, 'all', 'info', 'alive', { thread: 'heartbeat', ageMs });
    const { status, stderr } = once();
    expect([status, stderr.includes('--take-over')]).toEqual([exit, exit === 1]);
    expect(once('--take-over').status).toBe(0);
    expect(own().length).toBe(1);
  });

  test('somebody of its name who took leave is no obstacle', () => {
    const { once, write } = agentStage();
    write(AGENT, 'all', 'info', 'alive', { thread: 'heartbeat', ageMs: 60_000 });
    write(AGENT, 'all', 'done', 'Shutting down.', { thread: 'lifecycle', ageMs: 50_000 });
    expect(once().status).toBe(0);
  });

  test('AG-14: a foreign answer under its name ends the matter, before it is read and while its own is planned', async () => {
    const { agent, write, intent, answered, answersTo, path, planned } = agentStage();
    const first = agent();
    await first.ready;
    const { free } = heldLock(path);
    const question = intent('fix');
    await planned(question);
    write(AGENT, 'executor', 'wait', 'Stop.', { re: question.id });
    free();
    const next = intent('mend');
    await answered(next);
    expect(answersTo(question).map(said)).toEqual(['wait db: Stop.']);
    await first.kill();
    const [unread, last] = [intent('solve'), intent('undo')];
    write(AGENT, 'executor', 'ack', 'Go.', { re: unread.id });
    await agent('--take-over').ready;
    await answered(last);
    expect([unread, last].map((one) => answersTo(one).map(({ text }) => text))).toEqual([['Go.'], [NOTHING]]);
  });
});

describe('AG-4, AG-6: the first start', () => {
  test('answers what was asked within the last minute and has no answer; the rest is history', async () => {
    const { agent, write, intent, answered, answersTo, own } = agentStage();
    const old = intent('fix', { ageMs: 70_000 });
    const known = intent('mend', { ageMs: 20_000 });
    const fresh = intent('solve', { ageMs: 10_000 });
    write(AGENT, 'executor', 'ack', NOTHING, { re: known.id, ageMs: 5000 });
    write('lead', 'all', 'shutdown', 'Leave.', { ageMs: 4000 });
    write('lead', 'all', 'done', 'shop-api listens on port 8080.', { ageMs: 4000 });
    await agent('--take-over').ready;
    await answered(fresh);
    expect([old, known, fresh].map((one) => answersTo(one).length)).toEqual([0, 1, 1]);
    expect(own().slice(1).map(said)).toEqual([expect.stringMatching(READY), `ack db: ${NOTHING}`, INITIALIZED]);
  });

  test('an empty chat, without its directory, is waited for', async () => {
    const { agent, own, path, intent, answered } = agentStage();
    expect(existsSync(path)).toBe(false);
    const first = agent();
    await first.ready;
    const question = intent('fix');
    await answered(question);
    expect((await first.stop()).status).toBe(0);
    expect(own().map(said)).toEqual([
      expect.stringMatching(READY),
      INITIALIZED,
      `ack db: ${NOTHING}`,
      expect.stringMatching(FAREWELL),
    ]);
  });
});
