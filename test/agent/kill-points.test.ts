import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { renderBlock } from '../../src/chat/render.ts';
import { wholeSecondTimestamp } from '../../src/clock.ts';
import { until } from '../support/watch-process.ts';
import { AGENT, type AgentProcess, type AgentStage, agentStage, heldLock } from './agent-process.ts';

const MEMORY = 'feedback/when-adding-a-column';
const FACT = `schema_version = 1
type = "fact"
source = "learned message, 2026-04-02"
core = false
situation = "When adding a column to a table that holds many rows"
created_at = "2026-04-02T10:00:00Z"
updated_at = "2026-04-02T10:00:00Z"

[content]
subject = "shop-api"
predicate = "stores-orders-in"
object = "PostgreSQL"
`;

/** Killed where an objection is planned and not posted; the lock is free again. */
async function killedBeforePosting(stage: AgentStage) {
  const { remember, agent, hasty, planned, path } = stage;
  remember();
  const first = agent();
  await first.ready;
  const { free } = heldLock(path);
  const challenged = hasty();
  await planned(challenged);
  await first.kill();
  free();
  return challenged;
}

async function restarted(stage: AgentStage): Promise<AgentProcess> {
  const next = stage.agent();
  await next.ready;
  return next;
}

/** What the agent would have appended for a planned message. */
function blockOf({ sql }: AgentStage, type: string): string {
  const [row] = sql('SELECT recipients, thread, re, text FROM agent_outbox WHERE type = ? ORDER BY id DESC', type);
  return renderBlock({
    ...{ from: AGENT, to: String(row?.recipients), thread: String(row?.thread), type },
    ...{ ts: wholeSecondTimestamp(Date.now()), re: String(row?.re), text: String(row?.text) },
  });
}

const counter = ({ root }: AgentStage, key: string) =>
  Number(new RegExp(`^${key} = (\\d+)`, 'm').exec(readFileSync(join(root, 'memory', `${MEMORY}.toml`), 'utf8'))?.[1]);
const counted = ({ sql }: AgentStage) => sql('SELECT 1 FROM agent_counts WHERE counted_at_ms IS NULL').length === 0;

describe('AG-10: killed', () => {
  test('between the plan and the append of an objection: it is posted once, surfaced once, and can be argued', async () => {
    const stage = agentStage();
    const { answersTo, write, own } = stage;
    const challenged = await killedBeforePosting(stage);
    expect(answersTo(challenged)).toEqual([]);
    await restarted(stage);
    const [objection] = answersTo(challenged);
    expect([objection?.type, answersTo(challenged).length]).toEqual(['wait', 1]);
    write('executor', AGENT, 'ack', 'Agreed.', { re: objection?.id ?? '' });
    await until(() => own().some(({ text }) => text.startsWith('Argument sub-1 closed: followed.')));
    await until(() => counted(stage));
    expect([counter(stage, 'surfaced_count'), counter(stage, 'followed_count')]).toEqual([1, 1]);
  });

  test('between the append and its note: the message is found, and replies to it are known', async () => {
    const stage = agentStage();
    const { answersTo, write, own, path, sql } = stage;
    const challenged = await killedBeforePosting(stage);
    appendFileSync(path, blockOf(stage, 'wait'));
    const [objection] = answersTo(challenged);
    write('executor', AGENT, 'info', 'override, the table has 40 rows', { re: objection?.id ?? '' });
    await restarted(stage);
    await until(() => own().some(({ text }) => text.startsWith('Argument sub-1 closed: not followed.')));
    expect(answersTo(challenged).length).toBe(1);
    expect(sql(`SELECT state, message_id AS id FROM agent_outbox WHERE type = 'wait'`)).toEqual([
      { state: 'posted', id: objection?.id },
    ]);
    await until(() => counted(stage));
    expect([counter(stage, 'surfaced_count'), counter(stage, 'not_followed_count')]).toEqual([1, 1]);
  });

  test('between the note and the link of an argument with its message: replies to it are known', async () => {
    const stage = agentStage();
    const { agent, answersTo, write, own, sql, remember, hasty, answered } = stage;
    remember();
    const first = agent();
    await first.ready;
    const challenged = hasty();
    await answered(challenged);
    await first.kill();
    sql(`UPDATE agent_arguments SET value = json_set(value, '$.messages', json('[]'))`);
    await restarted(stage);
    write('executor', AGENT, 'ack', 'Agreed.', { re: answersTo(challenged)[0]?.id ?? '' });
    await until(() => own().some(({ text }) => text.startsWith('Argument sub-1 closed: followed.')));
  });

  // A part of the second may pass for a short message; better said twice than said by half.
  test('in the middle of the append of two: the first is found, the second posted whole', async () => {
    const stage = agentStage();
    const { own, path, root } = stage;
    mkdirSync(join(root, 'memory/facts'), { recursive: true });
    writeFileSync(join(root, 'memory/facts/shop-api.toml'), FACT);
    const challenged = await killedBeforePosting(stage);
    const objection = blockOf(stage, 'wait');
    appendFileSync(path, blockOf(stage, 'info') + objection.slice(0, objection.length / 2));
    await restarted(stage);
    const isWhole = ({ text }: Message) => text.endsWith('or say why it does not apply.');
    const answers = () => own().filter(({ re }) => re === challenged.id);
    await until(() => answers().some(isWhole));
    expect(answers().map(({ type }) => type)).toEqual(['info', 'wait', 'wait']);
    expect(answers().map(isWhole)).toEqual([false, false, true]);
  });

  test('between a decided count and its file, and between the file and its note: it counts once', async () => {
    const stage = agentStage();
    const { agent, sql, remember, hasty, answered } = stage;
    remember();
    const first = agent();
    await first.ready;
    await answered(hasty());
    await until(() => counted(stage));
    await first.kill();
    sql('UPDATE agent_counts SET counted_at_ms = NULL');
    sql(
      `INSERT INTO agent_counts(key, name, kind, thread, at_ms) SELECT 'agent:other', name, 'followed', thread, at_ms FROM agent_counts`,
    );
    await restarted(stage);
    await until(() => counted(stage));
    expect([counter(stage, 'surfaced_count'), counter(stage, 'followed_count')]).toEqual([1, 1]);
    expect(sql(`SELECT kind, delta FROM outcome_events WHERE origin <> 'import' ORDER BY kind`)).toEqual([
      { kind: 'followed', delta: 1 },
      { kind: 'surfaced', delta: 1 },
    ]);
  });

  test('after an answer under its name came in while its own was planned: there is no second one', async () => {
    const stage = agentStage();
    const { answersTo, write, sql } = stage;
    const challenged = await killedBeforePosting(stage);
    write(AGENT, 'executor', 'ack', 'Go.', { re: challenged.id });
    stage.once('--take-over');
    expect(answersTo(challenged).map(({ text }) => text)).toEqual(['Go.']);
    expect(sql('SELECT state FROM agent_outbox WHERE re = ?', challenged.id)).toEqual([{ state: 'cancelled' }]);
  });

  test('while the chat was cut afterwards: what was planned goes out, and the agent starts', async () => {
    const stage = agentStage();
    const { answersTo, path, intent, answered } = stage;
    const challenged = await killedBeforePosting(stage);
    truncateSync(path, 0);
    await restarted(stage);
    expect(answersTo(challenged).length).toBe(1);
    await answered(intent('fix'));
  });
});
