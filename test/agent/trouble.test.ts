import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../support/watch-process.ts';
import {
  AGENT,
  type AgentProcess,
  type AgentStage,
  agentStage,
  FAREWELL,
  heldDatabase,
  heldLock,
  NOTHING,
  said,
} from './agent-process.ts';

const failures = (agent: AgentProcess) => agent.events().filter(({ kind }) => kind === 'failed');
const degraded = ({ json }: AgentStage) => json('agent', 'status').degraded as readonly string[];

describe('AG-51: in the way of an agent that runs', () => {
  test('the chat is locked by a living process: reading goes on, the answers come once it is free', async () => {
    const stage = agentStage();
    const { agent, path, intent, planned, answersTo, answered, sql } = stage;
    await agent().ready;
    const { free } = heldLock(path);
    const questions = [intent('fix'), intent('mend')];
    await planned(...questions);
    expect(questions.map((question) => answersTo(question).length)).toEqual([0, 0]);
    await until(() => degraded(stage).includes('posting'));
    const later = intent('solve');
    await planned(later);
    free();
    await answered(...questions, later);
    await until(() => degraded(stage).length === 0);
    expect(sql(`SELECT DISTINCT state FROM agent_outbox`)).toEqual([{ state: 'posted' }]);
  });

  test('the database is locked for 3 s by another process: the answer comes afterwards, once', async () => {
    const { agent, open, intent, answersTo, answered } = agentStage();
    const running = agent();
    await running.ready;
    const free = heldDatabase(open());
    const question = intent('fix');
    const startMs = performance.now();
    await until(() => performance.now() - startMs > 3000);
    expect(answersTo(question)).toEqual([]);
    free();
    await answered(question);
    await answered(intent('mend'));
    expect(answersTo(question).length).toBe(1);
    expect(failures(running).length).toBeLessThan(5);
  });

  test('something else lies in place of the chat: it is read again when it is back', async () => {
    const stage = agentStage();
    const { agent, path, intent, answered } = stage;
    const running = agent();
    await running.ready;
    await answered(intent('fix'));
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    await until(() => degraded(stage).includes('chat file'));
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    await answered(intent('mend'));
    await until(() => degraded(stage).length === 0);
    expect((await running.stop()).status).toBe(0);
  });

  test('a damaged database is said to whoever waits: T6, exit 6', async () => {
    const { agent, database, open, path, intent, own, answersTo, planned } = agentStage();
    const running = agent();
    await running.ready;
    const { free } = heldLock(path);
    const known = intent('fix');
    await planned(known);
    const db = open();
    // A commit, behind which whoever reads looks at the pages again.
    db.exec('UPDATE agent_leases SET renewed_at_ms = renewed_at_ms + 1');
    for (const file of [database, `${database}-wal`]) overwrite(file);
    const question = intent('mend');
    free();
    const { status, stderr } = await running.end;
    db.close();
    expect([status, stderr]).toEqual([6, expect.stringContaining('damaged')]);
    expect(answersTo(question).map(({ text }) => text)).toEqual([
      'Memory check failed: the database is damaged. Nothing was checked. Proceed at your own judgement.',
    ]);
    expect(own().filter((message) => FAREWELL.test(said(message)))).toEqual([]);
  });
});

describe('AG-51: in the way of an agent that starts', () => {
  test('the chat cannot be read: it waits, and holds its lease', async () => {
    const { agent, path, intent, answered, once } = agentStage();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    symlinkSync(path, path);
    const running = agent();
    await until(() => failures(running).length > 0);
    expect(once()).toMatchObject({ status: 1, stderr: expect.stringContaining(`process ${running.pid} answers`) });
    unlinkSync(path);
    await running.ready;
    await answered(intent('fix'));
    expect(failures(running)).toEqual([expect.objectContaining({ code: 'file.unreadable' })]);
  });

  test('no file at all can be meant: exit 6', () => {
    const { path, once, run } = agentStage();
    mkdirSync(path, { recursive: true });
    expect([once().status, run('agent', 'run').status]).toEqual([6, 6]);
  });

  test('the database is locked: it waits', async () => {
    const { agent, open, once, intent, answersTo } = agentStage();
    expect(once().status).toBe(0);
    const free = heldDatabase(open());
    const question = intent('fix');
    const running = agent();
    await until(() => failures(running).length > 0);
    free();
    await running.ready;
    expect(answersTo(question).length).toBe(1);
    expect(failures(running)).toEqual([expect.objectContaining({ code: 'database.busy' })]);
  });
});

describe('AG-51: a message that makes the agent fail', () => {
  test('is tried once more at the next start, then skipped; an intent gets T6; the others are answered', async () => {
    const stage = agentStage();
    const { agent, sql, write, intent, hasty, remember, answered, answersTo, path } = stage;
    remember();
    const first = agent();
    await first.ready;
    await answered(intent('fix'));
    await first.kill();
    // What a shell can spoil: an argument without its messages and memories.
    sql(
      `INSERT INTO agent_arguments(chat_file, key, initiator, thread, state, value, at_ms)
       VALUES (?, '99', 'executor', 'db', 'open', ?, ?)`,
      path,
      JSON.stringify({
        number: 99,
        initiator: 'executor',
        thread: 'db',
        state: 'open',
        deadlineMs: 1e15,
        openedAtMs: 0,
      }),
      Date.now(),
    );
    const reply = write('executor', AGENT, 'info', 'Really?', { re: '0123456789abcdef' });
    const challenged = hasty();
    const other = intent('mend', { from: 'builder' });
    const resultOf = ({ id }: { readonly id: string }) =>
      sql('SELECT result FROM agent_messages WHERE id = ?', id)[0]?.result;

    const second = agent();
    await answered(challenged, other);
    expect(answersTo(challenged)[0]?.text).toBe(
      'Memory check failed: internal error. Nothing was checked. Proceed at your own judgement.',
    );
    expect(answersTo(other)[0]?.text).toBe(NOTHING);
    expect(resultOf(reply)).toBe('failed');
    await second.kill();

    const third = agent();
    await answered(intent('solve', { from: 'builder' }));
    expect(resultOf(reply)).toBe('given-up');
    expect([challenged, other].map((question) => answersTo(question).length)).toEqual([1, 1]);
    expect((await third.stop()).status).toBe(0);

    sql(`DELETE FROM agent_arguments WHERE key = '99'`);
    const fourth = agent();
    await fourth.ready;
    expect(resultOf(reply)).toBe('given-up');
    expect(failures(fourth)).toEqual([]);
  });

  test('cannot be stored: the others are answered all the same', async () => {
    const { agent, sql, write, intent, answered, answersTo, path } = agentStage();
    const first = agent();
    await first.ready;
    await answered(intent('fix'));
    await first.kill();
    // Its deadline has passed, and what closes it is refused by the database.
    sql(
      `INSERT INTO agent_arguments(chat_file, key, initiator, thread, state, value, at_ms)
       VALUES (?, '99', 'builder', 'etl', 'open', ?, ?)`,
      path,
      JSON.stringify({ number: 99, initiator: 'builder', thread: 'etl', state: 'open', memories: [], messages: [] }),
      Date.now(),
    );
    write('executor', AGENT, 'info', 'Here I am.');
    const question = intent('mend');
    const second = agent();
    await answered(question);
    expect(answersTo(question).map(({ text }) => text.split('.')[0])).toEqual(['Memory check failed: internal error']);
    expect(sql(`SELECT result FROM agent_messages WHERE sender = 'executor' AND type = 'info'`)).toEqual([
      { result: 'failed' },
    ]);
    await second.kill();
  });
});

/** Leaves nothing of a file that SQLite could read, its size excepted. */
function overwrite(file: string): void {
  const size = statSync(file).size;
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0x5a), 0, size, 0);
  fsyncSync(descriptor);
  closeSync(descriptor);
}
