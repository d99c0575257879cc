import type { WatchOptions } from './watch-events.ts';

/** What a watcher embeds beside its passes. */
export interface WatchEmbedding {
  /** Something changed: what is missing is embedded once it is quiet. */
  soon(): void;
  /** What is under way has ended, and nothing more begins. */
  settled(): Promise<void>;
}

/** While somebody saves one file after the other, taking them in comes first; memories are found by words meanwhile. */
const QUIET_MS = 1000;
/** Who never rests does not wait for ever. */
const LONGEST_MS = 10_000;

/** One at a time. What changes while vectors are made is embedded after that. */
export function createEmbedding({ embed, signal }: Pick<WatchOptions, 'embed' | 'signal'>): WatchEmbedding {
  let running: Promise<unknown> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let firstMs = 0;
  let isWanted = false;

  function soon(): void {
    if (embed === undefined || signal.aborted) return;
    if (running !== null) {
      isWanted = true;
      return;
    }
    const nowMs = performance.now();
    if (timer === null) firstMs = nowMs;
    else clearTimeout(timer);
    timer = setTimeout(begin, Math.min(QUIET_MS, Math.max(0, firstMs + LONGEST_MS - nowMs)));
  }

  function begin(): void {
    timer = null;
    if (embed === undefined || signal.aborted) return;
    running = embed()
      // Memories are found by words until it succeeds; `embed status` says what is missing.
      .catch(() => {})
      .finally(() => {
        running = null;
        if (!isWanted) return;
        isWanted = false;
        soon();
      });
  }

  return {
    soon,
    settled: async () => {
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
