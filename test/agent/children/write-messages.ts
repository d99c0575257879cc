import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { appendMessages } from '../../../src/chat/append.ts';
import type { Message } from '../../../src/chat/message.ts';
import { parseChat } from '../../../src/chat/parse.ts';
import { type Random, seededRandom } from '../../fault/random.ts';

// Takes part in a chat as an agent does, in COUNT messages of all kinds, a few of them damaged.
// `node write-messages.cjs FILE NAME COUNT SEED`
const [file = '', name = '', count = '0', seed = '0'] = process.argv.slice(2);
const AGENT = 'engram-agent';
const LONGEST_PAUSE_MS = 200;
const CORRECTED_AT = 20;
const REVERTED_AT = 40;

/** What the memories of the replay are about; see `test/agent/replay.ts`. */
const MATTERS = ['orders', 'invoices', 'customers'];

run(seededRandom(Number(seed))).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function run(random: Random): Promise<void> {
  for (let number = 1; number <= Number(count); number += 1) {
    act(random, number);
    await pause(random.below(LONGEST_PAUSE_MS));
  }
}

function act(random: Random, number: number): void {
  const thread = `thread-${random.below(6)}`;
  const post = (to: string, type: string, text: string, re: string | null = null, on = thread) => {
    appendMessages(file, [{ from: name, to, thread: on, type, re, text }]);
  };
  const unique = `${name} ${number}`;
  const matter = random.pick(MATTERS as [string, ...string[]]);
  const applies = `Situation: About to add a column to the ${matter} table, for ${unique}.\nBehavior: Adding the ${matter} column NOT NULL with a default in one migration.`;
  const unrelated = `Situation: About to fix the typo of ${unique} in the README.\nBehavior: Edit one line and commit.`;
  const one = random.below(6);
  // More than 30 new memories in ten minutes would make the agent pause, so that a few of these have to do.
  const draw = number === CORRECTED_AT || number === REVERTED_AT ? 100 : random.below(100);
  if (draw < 25) post(`${AGENT}, reviewer`, 'intent', applies);
  else if (draw < 45) post(random.pick([AGENT, 'all', 'Engram-Agent']), 'intent', unrelated);
  else if (draw < 50) post('reviewer', 'intent', applies);
  else if (draw < 70) reply(random, post, unique);
  else if (draw < 78) post('all', 'done', `service-${one} listens on port 800${one}.`);
  else if (draw < 86) post('all', 'learned', `tool-${one} -> written-in -> language-${one}`);
  else if (number === CORRECTED_AT) {
    post('all', 'done', `Finished ${unique}.`);
    const words = `[User]: always run make test-fast because the full suite takes 40 minutes`;
    post('all', 'info', words, null, 'user-input');
  } else if (number === REVERTED_AT) post('all', 'info', `Reverting ${unique}, orders was locked.`);
  else if (draw < 96) {
    post('all', random.pick(['conversation', 'hold-acquire', 'hold-release', 'ready', 'made-up']), unique);
  } else appendFileSync(file, damage(random, unique));
}

/** Answers the last objection to it that it has not answered; without one it says something. */
function reply(random: Random, post: (to: string, type: string, text: string, re?: string) => void, unique: string) {
  const messages = read();
  const answered = new Set(messages.filter(({ from }) => from === name).map(({ re }) => re));
  const objection = messages.findLast(
    ({ from, to, type, id }) => from === AGENT && to === name && type === 'wait' && !answered.has(id),
  );
  if (objection === undefined) {
    post('all', 'info', `Working on ${unique}.`);
    return;
  }
  const [type, text] = random.pick<readonly [string, string]>([
    ['ack', 'Agreed.'],
    ['info', `I think one statement is nicer for ${unique}.`],
    ['info', 'override, the table has 40 rows'],
    ['info', 'The user asked for it.'],
    ['info', 'Not relevant: this table is empty and nobody reads it yet.'],
  ]);
  post(AGENT, type, text, objection.id);
}

function read(): readonly Message[] {
  if (!existsSync(file)) return [];
  return parseChat(readFileSync(file), { nowMs: Date.now(), unchangedMs: 0 }).messages;
}

/** What shells leave: a block that does not decode, and one with words outside of its strings. */
function damage(random: Random, unique: string): string {
  return random.pick([
    `\n[[message]]\nfrom = "${name}"\nto = engram-agent\ntype = "intent"\ntext = "${unique}"\n`,
    `\n[[message]]\nfrom = "${name}"\nto = "engram-agent"\ntype = "intent"\ntext = "${unique}\n`,
    `\n[[message]]\nfrom = "${name}"\nwhat is this\n`,
  ]);
}
