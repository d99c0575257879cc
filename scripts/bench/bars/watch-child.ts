import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A long-running engram as a process of its own; disposing ends it. */
export interface WatchChild extends AsyncDisposable {
  /** Milliseconds of processor time that it has used so far, of all its threads. */
  cpuMs(): number;
  /** What of it lies in memory. */
  residentMb(): number;
  inotifyWatches(): number;
}

/** @param project - directly above `dist`; resolves once the watch is live */
export async function startWatch(project: string, root: string, environment: NodeJS.ProcessEnv): Promise<WatchChild> {
  const isLive = (output: string) => {
    if (output.includes('"mode":"degraded"')) throw new Error(`the watch is degraded: ${output}`);
    return output.includes('"mode":"live"');
  };
  return startLongRunning(project, root, environment, ['watch', '--json'], isLive);
}

/** `engram agent run`; resolves once it has said in the chat that it monitors it. */
export function startAgent(
  project: string,
  root: string,
  environment: NodeJS.ProcessEnv,
  chatFile: string,
): Promise<WatchChild> {
  const isReady = (output: string) => output.includes('"kind":"ready"');
  return startLongRunning(project, root, environment, ['agent', 'run', '--json', '--chat-file', chatFile], isReady);
}

async function startLongRunning(
  project: string,
  root: string,
  environment: NodeJS.ProcessEnv,
  command: readonly string[],
  isReady: (output: string) => boolean,
): Promise<WatchChild> {
  const args = [join(project, 'dist/engram.cjs'), ...command, '--data-dir', root];
  const node = (process.env.ENGRAM_BENCH_NODE_ARGS ?? '').split(' ').filter((word) => word !== '');
  const all = [...node, ...args];
  const child = spawn(process.execPath, all, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid = 0 } = child;
  // A benchmark that is cut off leaves no watch behind.
  process.once('exit', () => child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      try {
        if (isReady(output)) resolve();
      } catch (error) {
        reject(error);
      }
    });
    child.on('close', (status) => reject(new Error(`${command[0]} ended with ${status}: ${output}`)));
  });
  const proc = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
  return {
    // Fields 14 and 15 behind the name of the command, in hundredths of a second.
    cpuMs: () => {
      const fields = proc('stat')
        .slice(proc('stat').lastIndexOf(')') + 2)
        .split(' ');
      return 10 * (Number(fields[11]) + Number(fields[12]));
    },
    residentMb: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(proc('status'))?.[1]) / 1024,
    inotifyWatches: () =>
      readdirSync(`/proc/${pid}/fdinfo`)
        .map((name) => proc(`fdinfo/${name}`).match(/^inotify/gm)?.length ?? 0)
        .reduce((sum, count) => sum + count, 0),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'close');
    },
  };
}
