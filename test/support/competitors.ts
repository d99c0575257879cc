import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach } from 'vitest';
import { findShlock } from './shlock.ts';

/** A process that wrote beside others. */
export interface Competitor {
  readonly name: string;
  /** What it said was written, line by line. */
  readonly said: readonly string[];
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
}

export const shlock = findShlock();

const running = new Set<ChildProcess>();

/**
 * Starts a process that writes beside others, and waits for its end. Whoever still runs when a test ends is killed.
 *
 * @param killAfterLines - killed once it has said so many
 */
export function compete(
  name: string,
  command: string,
  args: readonly string[],
  killAfterLines = Infinity,
): Promise<Competitor> {
  const libraries = shlock.kind === 'found' ? { SHLOCK: shlock.command, SHLOCK_LIBRARIES: shlock.libraries } : {};
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...libraries } });
  running.add(child);
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
    if (said.split('\n').length > killAfterLines) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ name, said: said.split('\n').slice(0, -1), signal, code });
    });
  });
}

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});
