import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const BIN = fileURLToPath(new URL('../../dist/engram.cjs', import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Added to an environment that has PATH and HOME only. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

/** Runs the built command line to its end. `home` becomes `$HOME`, so that nobody's own store or settings are touched. */
export function runEngram(
  home: string,
  args: readonly string[],
  { env = {}, cwd = home, input }: RunOptions = {},
): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...(input === undefined ? {} : { input }),
  });
  return { status, stdout, stderr };
}

export interface RunningEngram {
  readonly process: ChildProcess;
  readonly end: Promise<Ran>;
}

/** The same without waiting, for a test that answers the command line meanwhile, or ends it. */
export function startEngram(
  home: string,
  args: readonly string[],
  { env = {}, cwd = home }: Omit<RunOptions, 'input'> = {},
): RunningEngram {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const end = new Promise<Ran>((resolve) => {
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
  return { process: child, end };
}
