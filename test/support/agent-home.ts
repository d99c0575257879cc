import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appendMessages } from '../../src/chat/append.ts';
import { type ChatFollower, followChat } from '../../src/chat/follow.ts';
import type { Message } from '../../src/chat/message.ts';
import { readAll } from '../../src/chat/read-end.ts';
import { type Ran, type RunningEngram, runEngram, startEngram } from './engram.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A project with a chat and a real agent in it. */
export interface AgentHome extends Disposable {
  readonly home: string;
  readonly cwd: string;
  readonly chatFile: string;
  run(...args: readonly string[]): Ran;
  /** What a command prints with `--json`. */
  json(...args: readonly string[]): Record<string, unknown>;
  /** Starts the agent; resolves once it says that it is there. */
  start(...args: readonly string[]): Promise<RunningEngram>;
  /** Ends it by SIGTERM, and everything it started. */
  stop(): Promise<Ran | null>;
  post(from: string, to: string, thread: string, type: string, text: string, re?: string): Message;
  /** The next message of the agent that is `wanted`, each once and in the order of the file. */
  next(wanted?: (message: Message) => boolean): Promise<Message>;
  /** Writes a memory's file, as an editor does. */
  write(name: string, text: string): void;
  /** The counters of a memory, by its file. */
  counts(name: string): Record<string, number>;
}

const LONGEST_MS = 30_000;

/** @param env - beside HOME and PATH */
export function agentHome(env: Readonly<Record<string, string>> = {}): AgentHome {
  const home = temporaryDirectory();
  const cwd = join(home, 'shop-api');
  mkdirSync(cwd);
  const chatFile = join(home, '.local/share/engram/chat', `${cwd.replaceAll('/', '-')}.toml`);
  let running: RunningEngram | null = null;
  let follower: ChatFollower | null = null;
  let heard: Message[] = [];
  const run = (...args: readonly string[]) => runEngram(home, args, { cwd, env });
  const json = (...args: readonly string[]) => {
    const { stdout, stderr } = run(...args, '--json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const next = async (wanted: (message: Message) => boolean = () => true): Promise<Message> => {
    const startedMs = performance.now();
    follower ??= followChat(chatFile, 0);
    for (;;) {
      heard.push(...readAll(follower).messages.filter(({ from }) => from === 'engram-agent'));
      const at = heard.findIndex(wanted);
      const found = heard[at];
      if (found !== undefined) {
        heard = heard.slice(at + 1);
        return found;
      }
      const leftMs = LONGEST_MS - (performance.now() - startedMs);
      if (leftMs <= 0) throw new Error(`not heard; there were ${JSON.stringify(heard.map(({ text }) => text))}`);
      await follower.changed(leftMs);
    }
  };
  const stop = async () => {
    const ending = running;
    running = null;
    ending?.process.kill('SIGTERM');
    return (await ending?.end) ?? null;
  };
  return {
    ...{ home, cwd, chatFile, run, json, next, stop },
    async start(...args) {
      running = startEngram(home, ['agent', 'run', ...args], { cwd, env });
      const ended = running.end.then(({ stderr }) => Promise.reject(new Error(stderr)));
      ended.catch(() => {});
      await Promise.race([next(({ text }) => text.endsWith('Monitor active.')), ended]);
      return running;
    },
    post(from, to, thread, type, text, re) {
      const [posted] = appendMessages(chatFile, [{ from, to, thread, type, text, re: re ?? null }]).messages;
      if (posted === undefined) throw new Error('nothing was posted');
      return posted;
    },
    write(name, text) {
      const path = join(home, '.local/share/engram/memory', `${name}.toml`);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, text);
    },
    counts(name) {
      const { record } = json('show', name) as { record: Record<string, number> };
      return Object.fromEntries(
        ['surfaced_count', 'followed_count', 'not_followed_count', 'irrelevant_count', 'missed_count'].map((key) => [
          key.replace('_count', ''),
          record[key] ?? 0,
        ]),
      );
    },
    [Symbol.dispose]() {
      follower?.[Symbol.dispose]();
      running?.process.kill('SIGKILL');
    },
  };
}
