import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Judge } from '../../src/agent/judge/judge.ts';
import { openJudge } from '../../src/agent/judge/open-judge.ts';
import type { AgentOptions } from '../../src/agent/options.ts';
import { runAgent } from '../../src/agent/run.ts';
import { type AgentStatus, agentStatus } from '../../src/agent/status.ts';
import { appendMessages } from '../../src/chat/append.ts';
import type { MessageDraft } from '../../src/chat/draft.ts';
import type { Message } from '../../src/chat/message.ts';
import { parseChat } from '../../src/chat/parse.ts';
import { type Engram, openEngram } from '../../src/engram.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** An agent in this process, over a real store and a real chat file, whose time passes when a test says so. */
export interface SimulatedAgent {
  readonly root: string;
  readonly engram: Engram;
  readonly chatFile: string;
  nowMs(): number;
  /** Begins to answer; resolves once it waits for news. */
  start(options?: Partial<AgentOptions>): Promise<void>;
  /** Takes its leave. */
  stop(): Promise<void>;
  /** Lets time pass, and the agent do what is due, at each step. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** The wall clock alone moves: the machine slept. */
  jump(ms: number): Promise<void>;
  /** The same while it does not run. */
  jumpAsleep(ms: number): void;
  /** Takes the lock of a memory's file for another process, which lives. Returns what gives it back. */
  holdFile(path: string): () => void;
  /** As the file says. */
  surfacedCount(path: string): number;
  /** Lets it look again, at the same moment, until something has come to pass. */
  until(condition: () => boolean): Promise<void>;
  post(draft: Pick<MessageDraft, 'type' | 'text'> & Partial<MessageDraft>): Message;
  /** An intent that the memory of `remember` objects to. */
  hasty(thread: string): Message;
  remember(slug: string, text: string): Promise<void>;
  /** What the agent wrote, oldest first. */
  own(): readonly Message[];
  answerTo(message: Pick<Message, 'id'>): Message | undefined;
  status(): AgentStatus;
  facts(): readonly string[];
}

export const AGENT = 'engram-agent';
const LONGEST_MS = 30_000;
const PROJECT = { name: null, foundBy: 'none', aliases: [], paths: [] };

/** @param judge - made from the built-in one, which is taken when not given */
export async function simulatedAgent(judge: (builtIn: Judge) => Judge = (builtIn) => builtIn): Promise<SimulatedAgent> {
  const root = join(temporaryDirectory(), 'store');
  const chatFile = join(temporaryDirectory(), 'chat.toml');
  // Whole seconds, as messages have them; of the system's clock, by which the ages of locks and processes are told.
  let [nowMs, steadyMs] = [Math.floor(Date.now() / 1000) * 1000, 0];
  const engram = await openEngram({
    root,
    origin: 'test',
    clock: () => nowMs,
    longRunning: true,
    embedding: { provider: 'none' },
  });
  const builtIn = await openJudge(
    { kind: 'builtin', appliesAt: 0.6, apart: 0.05 },
    { store: engram.context.store, source: null },
  );
  const tools = {
    context: () => engram.context,
    refresh: engram.refresh,
    query: engram.query,
    compare: engram.compare,
    current: Promise.resolve(),
    judge: judge(builtIn),
  };
  let ending: { readonly abort: AbortController; readonly end: Promise<void> } | null = null;
  /** Ends the sleep that the agent is in. */
  let wake: (() => void) | null = null;
  let slept = () => {};
  const asleep = () =>
    new Promise<void>((resolve) => {
      if (wake !== null) resolve();
      else slept = resolve;
    });
  /** Wakes it, and waits until it has done what is due. */
  const turn = async () => {
    await asleep();
    wake?.();
    wake = null;
    await Promise.race([asleep(), ending?.end]);
  };
  const sleep = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      slept();
    });
  const messages = () => parseChat(readFileSync(chatFile), { nowMs, unchangedMs: 0 }).messages;
  const own = () => messages().filter(({ from }) => from === AGENT);
  const post: SimulatedAgent['post'] = (draft) => {
    const [posted] = appendMessages(chatFile, [{ from: 'executor', to: AGENT, thread: 'task', re: null, ...draft }], {
      now: () => nowMs,
    }).messages;
    if (posted === undefined) throw new Error('nothing was posted');
    return posted;
  };
  return {
    ...{ root, engram, chatFile, own, post },
    nowMs: () => nowMs,
    async start(options = {}) {
      const abort = new AbortController();
      const end = runAgent(tools, {
        ...{ chatFile, name: AGENT, project: PROJECT, answerBudgetMs: 60_000, learns: true },
        ...{ takeOver: false, once: false, signal: abort.signal, onEvent: () => {} },
        ...{ sleep, steadyMs: () => steadyMs },
        ...options,
      });
      end.catch(() => {});
      ending = { abort, end };
      await Promise.race([asleep(), end]);
    },
    async stop() {
      ending?.abort.abort();
      await ending?.end;
      [ending, wake] = [null, null];
    },
    async pass(ms, stepMs = 1000) {
      for (let left = ms; left > 0; left -= stepMs) {
        nowMs += Math.min(left, stepMs);
        steadyMs += Math.min(left, stepMs);
        await turn();
      }
    },
    async jump(ms) {
      nowMs += ms;
      await turn();
    },
    jumpAsleep(ms) {
      nowMs += ms;
    },
    holdFile(path) {
      const lock = join(root, 'memory', `${path}.lock`);
      writeFileSync(lock, `${process.ppid}\n`);
      return () => rmSync(lock);
    },
    surfacedCount: (path) =>
      Number(/^surfaced_count = (\d+)$/m.exec(readFileSync(join(root, 'memory', path), 'utf8'))?.[1]),
    async until(condition) {
      const deadlineMs = performance.now() + LONGEST_MS;
      while (!condition()) {
        if (performance.now() > deadlineMs) throw new Error(`it did not come to that: ${condition}`);
        await turn();
        // What is under way goes on in the event loop.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    hasty: (thread) =>
      post({
        thread,
        type: 'intent',
        text: `Situation: About to add a column to a table that holds many rows
Behavior: Adding the column NOT NULL with a default in one migration`,
      }),
    async remember(slug, text) {
      const file = join(root, 'memory/feedback', `${slug}.toml`);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, text);
      await engram.sync();
    },
    answerTo: ({ id }) => own().find(({ re, type }) => re === id && (type === 'ack' || type === 'wait')),
    status: () => agentStatus(engram.context.store.db, chatFile, nowMs),
    facts: () => {
      const directory = join(root, 'memory/facts');
      return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.toml')) : [];
    },
  };
}
