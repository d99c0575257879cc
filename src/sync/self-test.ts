import type { MemoryPaths } from '../files/memory-directory.ts';
import { makeProbe } from '../files/probe.ts';

/** How long a probe may take to be noticed. */
const LONGEST_MS = 2000;

/** Waits for probe files to be hinted at (SY-54). */
export interface SelfTest {
  /** Every hint goes through here; true for a probe, which is nobody else's business. */
  saw(path: string): boolean;
  /** Whether events arrive from each of the three directories, those that are not there aside. */
  run(signal: AbortSignal): Promise<boolean>;
}

export function createSelfTest(paths: MemoryPaths): SelfTest {
  const waiting = new Map<string, () => void>();
  return {
    saw: (path) => {
      const seen = waiting.get(path);
      seen?.();
      return seen !== undefined;
    },
    run: async (signal) => {
      const probes = [paths.memory, paths.feedback, paths.facts].flatMap((directory) => makeProbe(directory) ?? []);
      const noticed = probes.map(({ path }) => new Promise<true>((resolve) => waiting.set(path, () => resolve(true))));
      const { promise: late, cancel } = timer(LONGEST_MS, signal);
      try {
        return await Promise.race([Promise.all(noticed).then(() => true), late.then(() => false)]);
      } finally {
        cancel();
        for (const { path, remove } of probes) {
          waiting.delete(path);
          remove();
        }
      }
    },
  };
}

/** Resolves after a time, or when `signal` is aborted. */
export function timer(durationMs: number, signal: AbortSignal) {
  let cancel = () => {};
  const promise = new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timeout);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timeout = setTimeout(end, durationMs);
    signal.addEventListener('abort', end);
    cancel = end;
    if (signal.aborted) end();
  });
  return { promise, cancel };
}
