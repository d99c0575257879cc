import { appendFileSync, copyFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { until } from '../support/watch-process.ts';
import { AGENT, type AgentStage, agentStage, RECOVERED, said } from './agent-process.ts';

const LONG_AGO = { ageMs: 16 * 60_000 };

const WAYS: readonly (readonly [string, (path: string) => void, boolean])[] = [
  ['replaced by the same bytes', (path) => moveOver(path, readFileSync(path)), false],
  ['replaced by other bytes', (path) => moveOver(path, changed(path)), true],
  ['overwritten with other bytes', (path) => writeFileSync(path, changed(path)), true],
  ['cut in the middle', (path) => truncateSync(path, readFileSync(path).indexOf('\n[[message]]', 900)), true],
  ['emptied', (path) => truncateSync(path, 0), true],
];

const changed = (path: string) => readFileSync(path, 'utf8').replace('Monitor active.', 'MONITOR ACTIVE.');
const recoveries = ({ own }: AgentStage) => own().filter((message) => RECOVERED.test(said(message))).length;

describe('AG-9: the chat file is', () => {
  test.each(WAYS)('%s while the agent runs', async (_, change, isNoticed) => {
    const home = agentStage();
    const { agent, intent, answered, answersTo, path } = home;
    const first = agent();
    await first.ready;
    const questions = [intent('fix'), intent('mend')];
    await answered(...questions);
    await settled(home);
    change(path);
    if (isNoticed) await until(() => recoveries(home) === 1);
    // It has caught up: what is appended from now on is new, whatever its time says.
    const later = [intent('redo', LONG_AGO), intent('solve')];
    await answered(...later);
    expect(questions.every((question) => answersTo(question).length <= 1)).toBe(true);
    expect(later.map((question) => answersTo(question).length)).toEqual([1, 1]);
    expect(recoveries(home)).toBe(isNoticed ? 1 : 0);
    expect((await first.stop()).status).toBe(0);
  });

  test.each(WAYS)('%s while the agent is away', async (_, change, isNoticed) => {
    const home = agentStage();
    const { agent, intent, answered, answersTo, own, path, write, sql } = home;
    const first = agent();
    await first.ready;
    const questions = [intent('fix'), intent('mend')];
    await answered(...questions);
    await settled(home);
    expect((await first.stop()).status).toBe(0);
    change(path);
    const history = intent('redo', LONG_AGO);
    appendFileSync(path, '\n[[message]]\nfrom = "x"\nto = "all"\nthread = "db"\ntype = "intent"\ntext = "No time."\n');
    write('executor', 'all', 'learned', 'shop-api listens on port 8080.', LONG_AGO);
    const fresh = intent('solve');
    await agent().ready;
    await answered(fresh);
    expect(answersTo(history)).toEqual([]);
    expect(questions.every((question) => answersTo(question).length <= 1)).toBe(true);
    expect(recoveries(home)).toBe(isNoticed ? 1 : 0);
    if (isNoticed) expect(own().filter(({ to }) => to === 'x')).toEqual([]);
    expect(sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: 0 }]);
  });

  test('gone: it is waited for, and the same one goes on', async () => {
    const home = agentStage();
    const { agent, intent, answered, path } = home;
    await agent().ready;
    await answered(intent('fix'));
    await settled(home);
    renameSync(path, `${path}.away`);
    copyFileSync(`${path}.away`, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    await answered(intent('mend'));
    expect(recoveries(home)).toBe(0);
  });
});

describe('AG-11: a message', () => {
  test('is taken once; the same block at another line is another one; noise and own words pass by', async () => {
    const home = agentStage();
    const { agent, intent, write, answered, answersTo, own, path, sql } = home;
    await agent().ready;
    const question = intent('fix');
    await answered(question);
    appendFileSync(
      path,
      readFileSync(path, 'utf8').match(/\n\[\[message\]\]\nfrom = "executor"[\s\S]*?\n"""\n/)?.[0] ?? '',
    );
    await until(() => answersTo(question).length === 2);
    for (const type of ['conversation', 'hold-acquire', 'hold-release', 'made-up']) {
      write('executor', AGENT, type, '[User]: never do that again');
    }
    appendFileSync(path, '\n[[message]]\nfrom = "executor"\nto = "engram-agent"\ntext = "Situation: Untyped."\n');
    write(AGENT, 'all', 'info', '[User]: never do that again');
    await answered(intent('mend'));
    await settled(home);
    // Ready, initialized, two answers to the same text, what the test wrote, the last answer.
    expect(own().length).toBe(6);
    expect(sql('SELECT * FROM agent_drafts')).toEqual([]);
  });

  test('that is suspect is answered as an intent, and not obeyed as a shutdown', async () => {
    const { agent, path, messages, answered, intent } = agentStage();
    await agent().ready;
    const block = (type: string, text: string) =>
      `\n[[message]]\nfrom = "executor"\nto = "all"\nthread = "db"\ntype = "${type}"\nts = "${new Date().toISOString()}"\ntext = "${text}"\n`;
    const damage = '\n[[message]]\nfrom = "executor"\n\u0000 what is this\n';
    appendFileSync(path, `${damage}${block('shutdown', 'Leave.')}${damage}${block('intent', 'Edit a line.')}`);
    await until(() => messages().some(({ text }) => text === 'Edit a line.'));
    const suspects = messages().filter(({ suspect }) => suspect);
    expect(suspects.map(({ type }) => type)).toEqual(['shutdown', 'intent']);
    await answered(suspects[1] as Message, intent('fix'));
  });
});

function moveOver(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

/** Everything that stands in the file is processed. */
async function settled({ sql, messages }: AgentStage): Promise<void> {
  await until(() => sql('SELECT count(*) AS n FROM agent_messages')[0]?.n === messages().length);
}
