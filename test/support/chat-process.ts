import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Ran, type RunningEngram, runEngram, startEngram } from './engram.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A project with a chat, seen through the command line as its agents see it. */
export interface ChatHome {
  readonly home: string;
  /** The chat file, which does not exist at first. */
  readonly path: string;
  run(...args: readonly string[]): Ran;
  /** What a command prints with `--json`. */
  json(...args: readonly string[]): Record<string, unknown>;
  /** The same without waiting for its end. */
  start(...args: readonly string[]): RunningEngram;
  post(from: string, to: string, type: string, text: string, more?: readonly string[]): Posted;
}

export interface Posted {
  readonly cursor: number;
  readonly id: string;
  readonly ts: string;
}

export function chatHome(): ChatHome {
  const home = temporaryDirectory();
  const cwd = join(home, 'shop');
  mkdirSync(cwd);
  const run = (...args: readonly string[]) => runEngram(home, ['chat', ...args], { cwd });
  const json = (...args: readonly string[]) => {
    const { stdout, stderr } = run(...args, '--json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return {
    home,
    path: join(home, '.local/share/engram/chat', `${cwd.replaceAll('/', '-')}.toml`),
    run,
    json,
    start: (...args) => startEngram(home, ['chat', ...args], { cwd }),
    post: (from, to, type, text, more = []) =>
      json(
        'post',
        '--from',
        from,
        '--to',
        to,
        '--thread',
        'schema',
        '--type',
        type,
        '--text',
        text,
        ...more,
      ) as unknown as Posted,
  };
}
