import { type ChildProcess, spawn } from 'node:child_process';
import { systemErrorCode } from '../../errors.ts';
import { visible } from '../../text/visible.ts';
import type { Asked, AskLimits, JudgeModel, Question } from './judge-model.ts';

/** A program that judges (AG-23). */
export interface CommandSettings {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** Names of the variables it gets besides PATH, HOME and LANG. */
  readonly env: readonly string[];
  /** Where their values are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const ALWAYS = ['PATH', 'HOME', 'LANG'];
const MOST_BYTES = 64 * 1024;
const MOST_SAID_BYTES = 2_000;
/** How long an answer that was written before the program ended may take to arrive, where another process holds the pipe. */
const ARRIVAL_MS = 200;

/**
 * A program per question: the document and `instructions` on stdin, the answer on stdout. It is the leader of a process group, which is
 * killed when it has ended, at the deadline, and where it says too much.
 */
export function openCommandModel({ command, env, environment }: CommandSettings): JudgeModel {
  const [program = '', ...args] = command;
  const known = Object.fromEntries(
    [...ALWAYS, ...env].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    kind: 'command',
    ask: (question, limits) => {
      if (limits.signal.aborted) return Promise.resolve(BROKEN_OFF);
      try {
        const child = spawn(program, args, { env: known, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
        return new Promise((resolve) => converse(child, input(question), limits, resolve));
      } catch (error) {
        return Promise.resolve(notStarted(error));
      }
    },
  };
}

const BROKEN_OFF: Asked = { kind: 'failed', reason: 'it was broken off' };

function input({ document, instructions }: Question): string {
  return `${JSON.stringify({ ...document, instructions })}\n`;
}

function converse(child: Piped, text: string, { timeoutMs, signal }: AskLimits, resolve: (asked: Asked) => void): void {
  const answer: Buffer[] = [];
  let [answerBytes, said, hasEnded] = [0, '', false];
  let arrival: NodeJS.Timeout | null = null;
  const end = (asked: Asked) => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(deadline);
    if (arrival !== null) clearTimeout(arrival);
    signal.removeEventListener('abort', abort);
    killGroup(child);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    resolve(asked.kind === 'answer' || said === '' ? asked : { ...asked, detail: firstLine(said) });
  };
  const deadline = setTimeout(() => end({ kind: 'late', reason: `no answer within ${timeoutMs} ms` }), timeoutMs);
  const abort = () => end(BROKEN_OFF);
  signal.addEventListener('abort', abort);
  child.on('error', (error) => end(notStarted(error)));
  // Many answer without having read everything, or anything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  child.stdout.on('data', (chunk: Buffer) => {
    answerBytes += chunk.length;
    answer.push(chunk);
    if (answerBytes > MOST_BYTES) end({ kind: 'failed', reason: `its answer has more than ${MOST_BYTES} bytes` });
  });
  // Read to the end, or the program would wait for us.
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < MOST_SAID_BYTES) said += chunk.toString('utf8', 0, MOST_SAID_BYTES);
  });
  child.on('exit', (status, killedBy) => {
    const finish = () => end(outcome(status, killedBy, answer));
    if (child.stdout.readableEnded) finish();
    else {
      child.stdout.on('end', finish);
      arrival = setTimeout(finish, ARRIVAL_MS);
    }
  });
}

type Piped = ChildProcess & {
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: NonNullable<ChildProcess['stdout']>;
  readonly stderr: NonNullable<ChildProcess['stderr']>;
};

function outcome(status: number | null, killedBy: NodeJS.Signals | null, answer: readonly Buffer[]): Asked {
  if (killedBy !== null) return { kind: 'failed', reason: `the command was ended by ${killedBy}` };
  if (status !== 0) return { kind: 'failed', reason: `the command ended with status ${status}` };
  return { kind: 'answer', text: Buffer.concat(answer).toString('utf8') };
}

function notStarted(error: unknown): Asked {
  const code = systemErrorCode(error);
  const reason = code === 'ENOENT' ? 'there is no such program' : `it cannot be started (${code ?? 'unknown error'})`;
  return { kind: 'failed', reason };
}

/** What it started goes with it; nothing is left to kill where it has never begun, or ended with all of its own. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // EPERM: on macOS for a group that is ending.
    if (!['ESRCH', 'EPERM'].includes(systemErrorCode(error) ?? '')) throw error;
  }
}

function firstLine(said: string): string {
  return visible(said.trim().split('\n', 1)[0] ?? '').slice(0, 200);
}
