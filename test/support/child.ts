import { type ChildProcess, spawn } from 'node:child_process';

export interface ChildEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningChild {
  readonly process: ChildProcess;
  readonly end: Promise<ChildEnd>;
  /** Resolves once the child has printed `text`; rejects when it ends without. */
  printed(text: string): Promise<void>;
}

/** Starts a process of its own and collects what it prints. */
export function startChild(command: string, args: readonly string[], input?: string): RunningChild {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  if (input !== undefined) child.stdin.write(input);
  const end = new Promise<ChildEnd>((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => stdout.includes(text) && resolve();
      child.stdout.on('data', look);
      look();
      end.then(() => (stdout.includes(text) ? resolve() : reject(new Error(`not printed: ${text}\n${stderr}`))));
    });
  return { process: child, end, printed };
}
