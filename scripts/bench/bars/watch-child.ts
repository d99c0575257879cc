import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `engram watch` as a process of its own; disposing ends it. */
export interface WatchChild extends AsyncDisposable {
  /** Milliseconds of processor time that it has used so far, of all its threads. */
  cpuMs(): number;
  /** What of it lies in memory. */
  residentMb(): number;
  inotifyWatches(): number;
}

/** @param project - directly above `dist`; resolves once the watch is live */
export async function startWatch(project: string, root: string, environment: NodeJS.ProcessEnv): Promise<WatchChild> {
  const args = [join(project, 'dist/engram.cjs'), 'watch', '--json', '--data-dir', root];
  const child = spawn(process.execPath, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid = 0 } = child;
  // A benchmark that is cut off leaves no watch behind.
  process.once('exit', () => child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('"mode":"live"')) resolve();
      else if (output.includes('"mode":"degraded"')) reject(new Error(`the watch is degraded: ${output}`));
    });
    child.on('close', (status) => reject(new Error(`the watch ended with ${status}: ${output}`)));
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
