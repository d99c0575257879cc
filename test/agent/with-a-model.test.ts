import { expect, test } from 'vitest';
import type { Judge } from '../../src/agent/judge/judge.ts';
import type { Message } from '../../src/chat/message.ts';
import type { Draft } from '../../src/learning/draft.ts';
import { type AgentHere, agentHere, judgeSaying } from '../support/agent-here.ts';

/** What a model changes: replies in arguments, and what rules do not find in a message. A double stands for the model. */

const COLUMN: Draft = {
  type: 'feedback',
  situation: 'When adding a database column to the orders table',
  behavior: 'Adding the column NOT NULL with a default in one migration',
  impact: 'The orders table was locked for nine minutes',
  action: 'Add the column nullable, then backfill in batches',
};
const INTENT =
  'Situation: Adding a database column to the orders table\nBehavior: Adding the column NOT NULL in one migration';

const model = (changes: Partial<Judge> = {}): Judge => ({ ...judgeSaying(() => 'applies'), ...changes });
const answering = (message: Message) => (heard: Message) => heard.re === message.id;

async function objection(agent: AgentHere): Promise<Message> {
  await agent.learn(COLUMN);
  const intent = agent.post({ text: INTENT });
  return agent.next(({ re, type }) => re === intent.id && type === 'wait');
}

test.each([
  ['exception', /closed: not followed/],
  ['concedes', /closed: followed/],
  ['irrelevant', /closed: irrelevant/],
  ['persists', /input 3 of 3/],
] as const)('AG-29: a reply that a model takes for %s', async (verdict, expected) => {
  const asked: unknown[] = [];
  await using agent = await agentHere(
    model({
      reply: async (intent, memory, inputs) => {
        asked.push({ intent, name: memory.name, inputs });
        return { verdict, reason: 'the test says so' };
      },
    }),
  );
  const wait = await objection(agent);
  const reply = agent.post({ type: 'info', text: 'The table has been empty since this morning.', re: wait.id });
  expect((await agent.next(answering(reply))).text).toMatch(expected);
  expect(asked).toMatchObject([
    {
      intent: { situation: 'Adding a database column to the orders table' },
      name: 'feedback/when-adding-a-database-column-to-the-orders-table',
      inputs: [{ from: 'engram-agent' }, { from: 'executor', text: 'The table has been empty since this morning.' }],
    },
  ]);
});

test('AG-29: a decision is a word, which no model is asked about', async () => {
  await using agent = await agentHere(model({ reply: async () => ({ verdict: 'persists', reason: '' }) }));
  const wait = await objection(agent);
  const decision = agent.post({ type: 'info', text: 'override, it is empty', re: wait.id });
  expect((await agent.next(answering(decision))).text).toMatch(/closed: not followed/);
});

test('AG-27: replies are judged three at a time, further ones wait stored', async () => {
  let [running, most] = [0, 0];
  const releases: (() => void)[] = [];
  await using agent = await agentHere(
    model({
      reply: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => releases.push(resolve));
        running -= 1;
        return { verdict: 'concedes', reason: '' };
      },
    }),
  );
  await agent.learn(COLUMN);
  const replies: Message[] = [];
  for (const from of ['a', 'b', 'c', 'd', 'e']) {
    const intent = agent.post({ from, thread: from, text: INTENT });
    const wait = await agent.next(({ re, type }) => re === intent.id && type === 'wait');
    replies.push(agent.post({ from, thread: from, type: 'info', text: 'Hm, let me think about it.', re: wait.id }));
  }
  const probe = agent.post({ from: 'f', thread: 'f', text: 'Water the plants in the office' });
  await agent.next(answering(probe));
  const stored = () =>
    agent.engram.context.store.db.prepare("SELECT count(*) AS n FROM agent_work WHERE key LIKE 'reply:%'").get();
  expect(stored()).toEqual({ n: 5 });
  for (const reply of replies) {
    while (releases.length > 0) releases.shift()?.();
    await agent.next((message) => {
      while (releases.length > 0) releases.shift()?.();
      return message.re === reply.id;
    });
  }
  expect(most).toBe(3);
  expect(stored()).toEqual({ n: 0 });
});

test('AG-20: a model that says nothing is named in the answer', async () => {
  await using agent = await agentHere({ ...judgeSaying(() => 'follows', 'builtin'), kind: 'openai' });
  await agent.learn(COLUMN);
  const intent = agent.post({ text: INTENT });
  expect((await agent.next(answering(intent))).text).toBe(
    'No objection (0 facts sent, 1 memory considered). Proceed.\n(judge unavailable: built-in rules used)',
  );
});

test('AG-40: facts that only a model finds are kept as inferred, and do not interrupt', async () => {
  await using agent = await agentHere(
    model({
      extract: async (message, _, want) =>
        want === 'facts' && message.type === 'done'
          ? [
              {
                draft: {
                  type: 'fact',
                  situation: 'When deploying',
                  subject: 'deploys',
                  predicate: 'need',
                  object: 'a VPN',
                },
                evidence: 'VPN',
              },
            ]
          : [],
    }),
  );
  const done = agent.post({ type: 'done', to: 'all', text: 'Could deploy once the VPN was up.' });
  expect((await agent.next(answering(done))).text).toBe(
    'Learned facts/deploys-need-a-vpn (confidence 0.4): deploys need a VPN',
  );
});

test('AG-34: user words that only a model understands are asked about, never stored unasked', async () => {
  await using agent = await agentHere(
    model({
      extract: async (_, __, want) =>
        want === 'feedback'
          ? [
              {
                draft: {
                  type: 'feedback',
                  situation: 'When naming branches',
                  behavior: 'Naming them after the weather',
                  impact: 'Nobody finds them',
                  action: 'Name them after the ticket',
                },
                evidence: 'ticket',
              },
            ]
          : [],
    }),
  );
  const said = agent.post({
    type: 'info',
    to: 'all',
    thread: 'user-input',
    text: '[User]: Nobody finds a branch without its ticket, you know.',
  });
  expect((await agent.next(answering(said))).text).toMatch(
    /^Is this a rule to keep\? draft-1: When naming branches -> Name them after the ticket\./,
  );
  const memories = () => agent.engram.context.store.db.prepare('SELECT initial_confidence AS c FROM memories').all();
  expect(memories()).toEqual([]);
  const yes = agent.post({ type: 'info', to: 'all', thread: 'user-input', text: '[User]: yes draft-1' });
  expect((await agent.next(answering(yes))).text).toMatch(
    /^Learned feedback\/when-naming-branches \(confidence 0\.7\)/,
  );
  expect(memories()).toEqual([{ c: 0.7 }]);
});

test('AG-45: a model may only take a conflict back', async () => {
  const teach = async (relation: Judge['relation']) => {
    await using agent = await agentHere(model({ relation }));
    await agent.learn({
      ...{ type: 'fact', situation: 'When calling it', confidence: 0.7 },
      ...{ subject: 'shop-api', predicate: 'listens-on', object: 'port 8080' },
    });
    const done = agent.post({ type: 'done', to: 'all', text: 'shop-api listens on port 9000.' });
    return (await agent.next(answering(done))).text;
  };
  expect(await teach(async () => 'different')).toMatch(/^Learned facts\/shop-api-listens-on-port-9000/);
  expect(await teach(async () => null)).toMatch(/^Replaced the object of facts\/shop-api-listens-on-port-8080/);
});
