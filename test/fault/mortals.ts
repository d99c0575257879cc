import type { ChildProcess } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './random.ts';

/** When a process is killed: never, after a time, or a moment after the nth change in the directory of memories. */
export type Fate =
  | { readonly kind: 'lives' }
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'at-change'; readonly nth: number; readonly laterMs: number };

/** Half of the fates follow the files, since most of a short process is its start. */
export function drawFate(random: Random, usualMs: number, chanceToLive: number): Fate {
  if (random.fraction() < chanceToLive) return { kind: 'lives' };
  if (random.fraction() < 0.5) return { kind: 'after', ms: usualMs * (0.3 + 0.8 * random.fraction()) };
  return { kind: 'at-change', nth: 1 + random.below(16), laterMs: random.pick([0, 0, random.fraction() * 8]) };
}

/** Carries fates out: `kill -9`, and nothing else. */
export interface Reaper extends Disposable {
  doom(child: ChildProcess, fate: Fate): void;
}

export function createReaper(root: string): Reaper {
  const waiting = new Set<(changes: number) => void>();
  let changes = 0;
  const onChange = () => {
    changes += 1;
    for (const look of waiting) look(changes);
  };
  const watchers: FSWatcher[] = ['feedback', 'facts'].map((directory) =>
    watch(join(root, 'memory', directory), { persistent: false }, onChange),
  );
  const killLater = (child: ChildProcess, ms: number) => {
    if (ms === 0) child.kill('SIGKILL');
    else setTimeout(() => child.kill('SIGKILL'), ms);
  };
  return {
    doom: (child, fate) => {
      if (fate.kind === 'after') killLater(child, fate.ms);
      if (fate.kind !== 'at-change') return;
      const last = changes + fate.nth;
      const look = (now: number) => {
        if (now < last) return;
        waiting.delete(look);
        killLater(child, fate.laterMs);
      };
      waiting.add(look);
      child.once('close', () => waiting.delete(look));
    },
    [Symbol.dispose]: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}
