import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Message } from '../../src/chat/message.ts';
import { parseChat } from '../../src/chat/parse.ts';
import { renderMessage } from '../../src/chat/render.ts';
import { wholeSecondTimestamp } from '../../src/clock.ts';
import { acquireLock } from '../../src/files/lock.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/native.ts';
import { chatHome } from '../support/chat-process.ts';
import { BIN, type Ran, runEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';
import { until } from '../support/watch-process.ts';

/** `engram agent run` as a process of its own. */
export interface AgentProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its JSON lines so far. */
  events(): Record<string, unknown>[];
  stderr(): string;
  /** Resolves once it has caught up; rejects when it ends before. */
  readonly ready: Promise<void>;
  readonly end: Promise<Ran & { readonly signal: NodeJS.Signals | null }>;
  /** `kill -9`; resolves once it is dead. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with how it ended. */
  stop(signal?: NodeJS.Signals): Promise<Ran>;
}

export interface Written {
  readonly re?: string;
  readonly thread?: string;
  /** How old its time says it is. */
  readonly ageMs?: number;
}

/** A project with a chat and an agent that answers in it. */
export interface AgentStage {
  readonly home: string;
  readonly cwd: string;
  readonly root: string;
  /** The chat file. */
  readonly path: string;
  readonly database: string;
  agent(...flags: readonly string[]): AgentProcess;
  /** `engram agent run --once`. */
  once(...flags: readonly string[]): Ran;
  run(...args: readonly string[]): Ran;
  json(...args: readonly string[]): Record<string, unknown>;
  /** A block as an agent of any kind appends it. */
  write(from: string, to: string, type: string, text: string, more?: Written): Message;
  /** An intent to the agent that no memory fits. */
  intent(word: string, more?: Written & { readonly from?: string }): Message;
  /** An intent that the memory of `remember` objects to. */
  hasty(more?: Written & { readonly from?: string }): Message;
  /** Puts a memory file where the agent finds it. */
  remember(slug?: string): void;
  messages(): readonly Message[];
  /** What stands in the file under the agent's name. */
  own(): readonly Message[];
  /** Acks and waits of the agent to a message. */
  answersTo(message: Pick<Message, 'id'>): readonly Message[];
  /** Resolves once the answers are stored, of which none needs to be in the file. */
  planned(...messages: readonly Pick<Message, 'id'>[]): Promise<void>;
  answered(...messages: readonly Pick<Message, 'id'>[]): Promise<void>;
  sql(statement: string, ...parameters: readonly unknown[]): Record<string, unknown>[];
  open(): SqliteDatabase;
}

export const AGENT = 'engram-agent';
/** Not about vectors. */
const ENV = { ENGRAM_EMBED_PROVIDER: 'none' };
/** Behind a long absence it answers a lot first. */
const READY_WITHIN_MS = 600_000;
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** `type thread: first line`, as a person sees what was said. */
export function said({ type, thread, text }: Message): string {
  return `${type} ${thread}: ${text.split('\n')[0]}`;
}

export const READY = /^ready lifecycle: Ready\./;
export const INITIALIZED = 'info lifecycle: Initialization complete. Monitor active.';
export const RECOVERED = /^info lifecycle: Recovered at cursor/;
export const FAREWELL = /^done lifecycle: Shutting down\./;
export const NOTHING = 'No relevant memories. Proceed.';

export function agentStage(): AgentStage {
  const { home, path } = chatHome();
  const cwd = join(home, 'shop');
  const root = join(home, '.local/share/engram');
  const database = join(root, 'engram.db');
  const run = (...args: readonly string[]) => runEngram(home, args, { cwd, env: ENV });
  const open = () => openSqlite(database, { busyTimeoutMs: 5000 });
  const messages = () => {
    if (!existsSync(path)) return [];
    const nowMs = Date.now();
    return parseChat(readFileSync(path), { nowMs, unchangedMs: 0 }).messages;
  };
  const own = () => messages().filter(({ from }) => from === AGENT);
  const answersTo = ({ id }: Pick<Message, 'id'>) =>
    own().filter(({ type, re }) => (type === 'ack' || type === 'wait') && re === id);
  const write: AgentStage['write'] = (from, to, type, text, { re = null, thread = 'db', ageMs = 0 } = {}) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const ts = wholeSecondTimestamp(Date.now() - ageMs);
    const { block, message } = renderMessage({ from, to, thread, type, ts, re, text });
    appendFileSync(path, block);
    return message;
  };
  const sql: AgentStage['sql'] = (statement, ...parameters) => {
    const db = open();
    try {
      const prepared = db.prepare(statement);
      if (prepared.reader) return prepared.all(...parameters) as Record<string, unknown>[];
      prepared.run(...parameters);
      return [];
    } finally {
      db.close();
    }
  };
  return {
    ...{ home, cwd, root, path, database, run, open, messages, own, answersTo, write },
    agent: (...flags) => startAgent(home, cwd, flags),
    once: (...flags) => run('agent', 'run', '--once', ...flags),
    json: (...args) => {
      const { stdout, stderr } = run(...args, '--json');
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    intent: (word, { from = 'executor', ...more } = {}) =>
      write(from, AGENT, 'intent', `Situation: About to ${word} a typo.\nBehavior: Edit ${word} and commit.`, more),
    hasty: ({ from = 'executor', ...more } = {}) => write(from, AGENT, 'intent', HASTY, more),
    remember: (slug = 'when-adding-a-column') => {
      mkdirSync(join(root, 'memory/feedback'), { recursive: true, mode: 0o700 });
      writeFileSync(join(root, 'memory/feedback', `${slug}.toml`), feedbackText(UNCOUNTED));
    },
    planned: (...wanted) =>
      until(() => wanted.every(({ id }) => sql('SELECT 1 FROM agent_outbox WHERE re = ?', id).length > 0)),
    answered: (...wanted) => until(() => wanted.every((message) => answersTo(message).length > 0)),
    sql,
  };
}

const HASTY = `Situation: About to add a column to a table that holds many rows
Behavior: Adding the column NOT NULL with a default in one migration`;
const UNCOUNTED = { surfaced_count: '0', followed_count: '0', not_followed_count: '0' };

function startAgent(home: string, cwd: string, flags: readonly string[]): AgentProcess {
  const child = spawn(process.execPath, [BIN, 'agent', 'run', '--json', ...flags], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...ENV },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let [stdout, stderr, isOver] = ['', '', false];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const end = new Promise<Ran & { readonly signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (status, signal) => {
      isOver = true;
      running.delete(child);
      resolve({ status, signal, stdout, stderr });
    });
  });
  const events = () =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const isReady = () => events().some(({ kind }) => kind === 'ready');
  const ready = until(() => isReady() || isOver, READY_WITHIN_MS).then(() => {
    if (!isReady()) throw new Error(`the agent ended: ${stdout}${stderr}`);
  });
  ready.catch(() => {});
  return {
    process: child,
    pid: child.pid ?? 0,
    events,
    stderr: () => stderr,
    ready,
    end,
    kill: async () => {
      child.kill('SIGKILL');
      await end;
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return end;
    },
  };
}

/** The chat's lock in the hands of another process that lives. */
export function heldLock(path: string): { readonly lock: string; free(): void } {
  const held = acquireLock(path);
  return { lock: `${path}.lock`, free: () => held[Symbol.dispose]() };
}

/** Stops a process where it holds neither the database nor the chat. */
export async function suspended({ open, path }: AgentStage, { process: child }: AgentProcess): Promise<void> {
  await until(() => {
    child.kill('SIGSTOP');
    if (isFree(open()) && !existsSync(`${path}.lock`)) return true;
    child.kill('SIGCONT');
    return false;
  });
}

function isFree(db: SqliteDatabase): boolean {
  try {
    db.pragma('busy_timeout = 0');
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** The database in the hands of another process that writes. */
export function heldDatabase(db: SqliteDatabase): () => void {
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}
