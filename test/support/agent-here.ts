import { join } from 'node:path';
import type { Applies, Judge } from '../../src/agent/judge/judge.ts';
import type { AgentEvent, AgentOptions } from '../../src/agent/options.ts';
import { runAgent } from '../../src/agent/run.ts';
import { appendMessages } from '../../src/chat/append.ts';
import { followChat } from '../../src/chat/follow.ts';
import type { Message } from '../../src/chat/message.ts';
import { readAll } from '../../src/chat/read-end.ts';
import { type Engram, openEngram } from '../../src/engram.ts';
import type { Draft } from '../../src/learning/draft.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { project } from './ask.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An agent in this process, with a real store and a real chat file, and whatever judge the test wants. */
export interface AgentHere extends AsyncDisposable {
  readonly engram: Engram;
  readonly chatFile: string;
  readonly events: AgentEvent[];
  learn(draft: Draft): Promise<MemoryName>;
  post(message: { from?: string; to?: string; thread?: string; type?: string; text: string; re?: string }): Message;
  next(wanted?: (message: Message) => boolean): Promise<Message>;
  /** Everything the agent has posted by now. */
  said(): Message[];
  stop(): Promise<void>;
}

const LONGEST_MS = 20_000;

/** A judge that says the same of every memory, or what `verdict` says of its name; a test double of a model. */
export function judgeSaying(verdict: (name: string) => Applies['verdict'], by: Applies['by'] = 'model'): Judge {
  return {
    kind: by === 'model' ? 'command' : 'builtin',
    applies: async (_, memories) =>
      memories.map(({ name }) => ({ verdict: verdict(name), score: 0.9, reason: 'a test says so', by })),
    reply: async () => null,
    extract: async () => null,
    relation: async () => null,
    probe: async () => null,
    statistics: { calls: 0, failures: 0, fallbacks: 0, late: 0 },
    degraded: false,
    close: () => {},
  };
}

export async function agentHere(judge: Judge, options: Partial<AgentOptions> = {}): Promise<AgentHere> {
  const root = temporaryDirectory();
  const chatFile = join(root, 'chat', 'shop-api.toml');
  const engram = await openEngram({ root, origin: 'agent', longRunning: true, embedding: { provider: 'none' } });
  const events: AgentEvent[] = [];
  const ended = new AbortController();
  const here = project('shop-api');
  const { query, compare, refresh } = engram;
  const tools = { query, compare, refresh, judge, context: () => engram.context, current: Promise.resolve() };
  const running = runAgent(tools, {
    ...{ chatFile, name: 'engram-agent', project: here, answerBudgetMs: 4000 },
    ...{ learns: true, takeOver: false, once: false, signal: ended.signal },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const follower = followChat(chatFile, 0);
  const all: Message[] = [];
  let heard: Message[] = [];
  const read = () => {
    const own = readAll(follower).messages.filter(({ from }) => from === 'engram-agent');
    all.push(...own);
    heard.push(...own);
  };
  const next = async (wanted: (message: Message) => boolean = () => true): Promise<Message> => {
    const startedMs = performance.now();
    for (;;) {
      read();
      const at = heard.findIndex(wanted);
      const found = heard[at];
      if (found !== undefined) {
        heard = heard.filter((_, place) => place !== at);
        return found;
      }
      const leftMs = LONGEST_MS - (performance.now() - startedMs);
      if (leftMs <= 0) throw new Error(`not heard; there were ${JSON.stringify(heard.map(({ text }) => text))}`);
      await Promise.race([follower.changed(leftMs), running]);
    }
  };
  const stop = async () => {
    ended.abort();
    await running;
  };
  const agent: AgentHere = {
    ...{ engram, chatFile, events, next, stop },
    said: () => {
      read();
      return all;
    },
    learn: async (draft) => {
      const outcome = await engram.learn(draft, { project: here, keepBoth: true });
      return outcome.name;
    },
    post: ({ from = 'executor', to = 'engram-agent', thread = 'db', type = 'intent', text, re = null }) => {
      const [posted] = appendMessages(chatFile, [{ from, to, thread, type, text, re }]).messages;
      if (posted === undefined) throw new Error('nothing was posted');
      return posted;
    },
    [Symbol.asyncDispose]: async () => {
      await stop().catch(() => {});
      follower[Symbol.dispose]();
      engram.close();
    },
  };
  await next(({ text }) => text.endsWith('Monitor active.'));
  return agent;
}
