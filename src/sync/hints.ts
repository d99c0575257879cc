/** Paths about which somebody said that they may have changed; nothing is concluded from what was said (SY-51). */
export interface Hints {
  add(path: string, nowMs: number): void;
  /** The same, but not due before a time. */
  addLater(path: string, dueMs: number): void;
  /** Takes out the paths that have been quiet for long enough, or have waited for too long. */
  takeDue(nowMs: number): string[];
  /** When the next path is due; null without one. */
  nextDueMs(): number | null;
  readonly size: number;
}

/** A path is looked at when nothing has been said of it for so long, */
const QUIET_MS = 150;
/** or when so much time has gone by since the first hint. */
const LONGEST_MS = 2000;

export function createHints(): Hints {
  const paths = new Map<string, { firstMs: number; dueMs: number }>();
  return {
    add: (path, nowMs) => {
      const { firstMs } = paths.get(path) ?? { firstMs: nowMs };
      paths.set(path, { firstMs, dueMs: Math.min(nowMs + QUIET_MS, firstMs + LONGEST_MS) });
    },
    addLater: (path, dueMs) => {
      const known = paths.get(path);
      if (known === undefined || known.dueMs > dueMs) paths.set(path, { firstMs: dueMs - QUIET_MS, dueMs });
    },
    takeDue: (nowMs) => {
      const due = [...paths].filter(([, { dueMs }]) => dueMs <= nowMs).map(([path]) => path);
      for (const path of due) paths.delete(path);
      return due;
    },
    nextDueMs: () => (paths.size === 0 ? null : Math.min(...[...paths.values()].map(({ dueMs }) => dueMs))),
    get size() {
      return paths.size;
    },
  };
}
