import { type ChildProcess, spawn } from 'node:child_process';
import { BIN } from './engram.ts';

/** `engram watch` as a process of its own. */
export interface WatchProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its JSON lines so far. */
  events(): Record<string, unknown>[];
  /** Resolves once an event of this kind has come; rejects after 30 s, or when it ends before. */
  saw(kind: string): Promise<void>;
  /** Resolves with the exit status, or the signal that ended it. */
  readonly end: Promise<number | NodeJS.Signals | null>;
}

/** @param root - null: as the configuration says. @param options - `prefix`: a command that starts it, such as `bash -c 'ulimit ...; exec "$@"' bash` */
export function watchProcess(
  home: string,
  root: string | null,
  {
    prefix = [],
    env = {},
  }: { readonly prefix?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): WatchProcess {
  const place = root === null ? [] : ['--data-dir', root];
  const [command = '', ...args] = [...prefix, process.execPath, BIN, 'watch', ...place, '--json'];
  const child = spawn(command, args, { cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  let isOver = false;
  const end = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (status, signal) => {
      isOver = true;
      resolve(signal ?? status);
    }),
  );
  const events = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const saw = async (kind: string) => {
    for (const startMs = Date.now(); !events().some((event) => event.kind === kind); ) {
      if (isOver || Date.now() - startMs > 30_000) throw new Error(`no ${kind}: ${output}${errors}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { process: child, pid: child.pid ?? 0, events, saw, end };
}

/** Resolves once the condition holds; rejects after 30 s, or as long as given. */
export async function until(condition: () => boolean, withinMs = 30_000): Promise<void> {
  for (const startMs = Date.now(); !condition(); ) {
    if (Date.now() - startMs > withinMs) throw new Error(`it did not come to that: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
