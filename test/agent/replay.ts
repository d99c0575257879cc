import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAddressedTo, type Message } from '../../src/chat/message.ts';
import { COUNTER_KEYS } from '../../src/memory/record.ts';
import { KIND_OF_COUNTER } from '../../src/store/outcomes.ts';
import { type Random, seededRandom } from '../fault/random.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { feedbackText } from '../support/sync-store.ts';
import { until } from '../support/watch-process.ts';
import { AGENT, type AgentProcess, type AgentStage } from './agent-process.ts';

export interface ReplayOptions {
  readonly messages: number;
  readonly writers: number;
  readonly kills: number;
  readonly seed: number;
}

export interface ReplayReport {
  readonly intents: number;
  readonly waits: number;
  readonly closed: number;
  readonly counts: number;
  readonly learned: number;
  /** How many of the killed ones had caught up before. */
  readonly ready: number;
}

const MATTERS = ['orders', 'invoices', 'customers'];
const SETTLED_WITHIN_MS = 600_000;
const LONGEST_LIFE_MS = 3000;

/**
 * Lets writers fill the chat of a stage while its agent is killed at random points and started again at once, and waits until
 * the last one has done everything. What does not hold then is named by `brokenPromises`.
 */
export async function replay(stage: AgentStage, { messages, writers, kills, seed }: ReplayOptions): Promise<number> {
  const random = seededRandom(seed);
  stage.remember();
  for (const matter of MATTERS) {
    const text = feedbackText({
      ...{ surfaced_count: '0', followed_count: '0', not_followed_count: '0' },
      situation: `"When adding a column to the ${matter} table"`,
      behavior: `"Adding the ${matter} column NOT NULL with a default in one migration"`,
      impact: `"The ${matter} table was locked for nine minutes"`,
      action: `"Add the ${matter} column nullable, backfill, then tighten it"`,
    });
    writeFileSync(join(stage.root, 'memory/feedback', `column-of-${matter}.toml`), text);
  }
  const script = bundleForChild(new URL('./children/write-messages.ts', import.meta.url));
  let agent = stage.agent();
  await agent.ready;
  const each = Math.ceil(messages / writers);
  const running = Array.from({ length: writers }, (_, at) =>
    ended(spawn(process.execPath, [script, stage.path, `writer-${at}`, String(each), String(seed + at)])),
  );
  let ready = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await doomed(stage, agent, random);
    if (agent.events().some(({ kind }) => kind === 'ready')) ready += 1;
    agent = stage.agent();
  }
  const failures = (await Promise.all(running)).filter((error) => error !== '');
  if (failures.length > 0) throw new Error(failures.join('\n'));
  await until(() => isSettled(stage), SETTLED_WITHIN_MS);
  await agent.ready;
  const { status, stderr } = await agent.stop();
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
  return ready;
}

function ended(child: ChildProcess): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => child.on('close', () => resolve(errors)));
}

/** Killed after a time, or a moment after the nth change of the chat or of the database; half of them once they have caught up. */
async function doomed({ path, root }: AgentStage, agent: AgentProcess, random: Random): Promise<void> {
  const kill = () => void agent.process.kill('SIGKILL');
  const [isPatient, isTimed, afterMs] = [
    random.fraction() < 0.5,
    random.fraction() < 0.4,
    random.below(LONGEST_LIFE_MS),
  ];
  const [last, laterMs, place] = [
    1 + random.below(200),
    random.pick([0, 0, 1, 3, 8]),
    random.pick([dirname(path), root]),
  ];
  if (isPatient) await agent.ready;
  const longest = setTimeout(kill, isTimed ? afterMs : LONGEST_LIFE_MS);
  let changes = 0;
  const watcher = watch(place, { persistent: false }, () => {
    changes += 1;
    if (!isTimed && changes === last) setTimeout(kill, laterMs);
  });
  const { signal, stderr } = await agent.end;
  watcher.close();
  clearTimeout(longest);
  if (signal !== 'SIGKILL') throw new Error(`it ended by itself: ${stderr}`);
}

const one = ({ sql }: AgentStage, query: string) => Number(Object.values(sql(query)[0] ?? {})[0]);
const addressed = (message: Message) => message.type === 'intent' && isAddressedTo(message, AGENT);

function isSettled(stage: AgentStage): boolean {
  return (
    one(stage, 'SELECT count(*) FROM agent_messages') >= stage.messages().length &&
    one(stage, `SELECT count(*) FROM agent_outbox WHERE state = 'planned'`) === 0 &&
    one(stage, 'SELECT count(*) FROM agent_work') === 0 &&
    one(stage, 'SELECT count(*) FROM agent_counts WHERE counted_at_ms IS NULL') === 0
  );
}

export function reportOf(stage: AgentStage, ready: number): ReplayReport {
  return {
    intents: stage.messages().filter(addressed).length,
    waits: stage.own().filter(({ type }) => type === 'wait').length,
    closed: one(stage, `SELECT count(*) FROM agent_arguments WHERE state = 'closed'`),
    counts: one(stage, 'SELECT count(*) FROM agent_counts'),
    learned: one(stage, `SELECT count(*) FROM memories`) - MATTERS.length - 1,
    ready,
  };
}

/** Everything that does not hold at the end. */
export function brokenPromises(stage: AgentStage): string[] {
  return [...answers(stage), ...outbox(stage), ...counters(stage), ...argumentNumbers(stage), ...memories(stage)];
}

/** AG-14: one ack or wait for each intent. */
function answers(stage: AgentStage): string[] {
  const given = new Map<string, number>();
  for (const { type, re } of stage.own()) {
    if ((type === 'ack' || type === 'wait') && re !== null) given.set(re, (given.get(re) ?? 0) + 1);
  }
  const intents = stage.messages().filter(addressed);
  const wrong = intents.filter(({ id }) => given.get(id) !== 1);
  const ids = new Set<string>(intents.map(({ id }) => id));
  const strays = [...given.keys()].filter((id) => !ids.has(id));
  return [
    ...wrong.map(({ id, line }) => `${given.get(id) ?? 0} answers to intent ${id} in line ${line}`),
    ...strays.map((id) => `an answer to ${id}, which is no intent for the agent`),
  ];
}

/** AG-10: each planned message stands in the file once, and nothing else under its name. */
function outbox(stage: AgentStage): string[] {
  const rows = stage.sql('SELECT cause, state, message_id AS id FROM agent_outbox');
  const posted = new Set(rows.map(({ id }) => id));
  const standing = stage.own();
  return [
    ...rows.filter(({ state }) => state !== 'posted').map(({ cause, state }) => `${cause} is ${state}`),
    ...standing.filter(({ id }) => !posted.has(id)).map(({ text }) => `nobody planned: ${text.slice(0, 80)}`),
    ...(standing.length === rows.length ? [] : [`${standing.length} messages of ${rows.length} planned ones`]),
    ...(standing.filter(({ type }) => type === 'ready').length === 1 ? [] : ['not one ready']),
  ];
}

/** AG-10: files, rows, events and decided counts say the same. */
function counters(stage: AgentStage): string[] {
  const broken: string[] = [];
  for (const row of stage.sql('SELECT * FROM memories')) {
    const file = readFileSync(join(stage.root, 'memory', `${row.name}.toml`), 'utf8');
    for (const key of COUNTER_KEYS) {
      const kind = KIND_OF_COUNTER[key];
      const written = Number(new RegExp(`^${key} = (\\d+)$`, 'm').exec(file)?.[1]);
      const sum = stage.sql('SELECT total(delta) AS n FROM outcome_events WHERE name = ? AND kind = ?', row.name, kind);
      const decided = stage.sql('SELECT count(*) AS n FROM agent_counts WHERE name = ? AND kind = ?', row.name, kind);
      const all = [written, row[key], sum[0]?.n, decided[0]?.n];
      if (new Set(all.map(Number)).size !== 1) broken.push(`${row.name} ${key}: file, row, events, decided = ${all}`);
    }
  }
  return broken;
}

/** AG-27: a number belongs to one argument for ever. */
function argumentNumbers(stage: AgentStage): string[] {
  const owners = new Map<string, string>();
  const closed = new Set<string>();
  const broken: string[] = [];
  for (const { type, to, thread, text } of stage.own()) {
    const number = /\(argument (sub-\d+)\)|^Argument (sub-\d+)/.exec(text)?.slice(1).find(Boolean);
    if (number === undefined || type === 'escalate') continue;
    const owner = `${to} on ${thread}`;
    if ((owners.get(number) ?? owner) !== owner) broken.push(`${number} is of ${owners.get(number)} and of ${owner}`);
    owners.set(number, owner);
    if (closed.has(number)) broken.push(`${number} goes on after its end: ${text.slice(0, 60)}`);
    if (text.includes(`Argument ${number} closed`)) closed.add(number);
  }
  const highest = Math.max(0, ...[...owners.keys()].map((number) => Number(number.slice(4))));
  return highest === owners.size ? broken : [...broken, `${owners.size} arguments up to number ${highest}`];
}

/** AG-47: nothing is known twice, and each row has its file. */
function memories(stage: AgentStage): string[] {
  const same = stage.sql(
    `SELECT count(*) AS n, min(name) AS name FROM memories
     GROUP BY type, lower(situation), lower(coalesce(behavior, '')), lower(coalesce(action, '')), lower(coalesce(subject, '')),
       lower(coalesce(predicate, '')), lower(coalesce(object, '')) HAVING n > 1`,
  );
  const files = ['feedback', 'facts'].flatMap((directory) => {
    const path = join(stage.root, 'memory', directory);
    return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.toml')) : [];
  });
  const rows = one(stage, 'SELECT count(*) FROM memories');
  return [
    ...same.map(({ n, name }) => `${n} times the same as ${name}`),
    ...(files.length === rows ? [] : [`${files.length} files of ${rows} rows`]),
    ...stage.sql('SELECT name FROM pending_writes').map(({ name }) => `${name} is still being written`),
  ];
}
