import type { Clock } from '../clock.ts';
import type { SyncContext } from './context.ts';
import { hintedSteps } from './hinted-pass.ts';
import type { Hints } from './hints.ts';
import { createLoopBrake } from './loop-brake.ts';
import { noteLooping } from './looping.ts';
import type { SyncReport, SyncStep } from './report.ts';
import { runInSlices } from './steps.ts';
import { syncSteps } from './sync.ts';
import { createEmbedding } from './watch-embedding.ts';
import type { WatchOptions } from './watch-events.ts';

/** The passes of one watcher over one open store, and what each remembers of the one before. */
export interface WatchPasses {
  /** Rows were changed by somebody else. */
  noticeRows(): void;
  hasRows(): boolean;
  /** Looks at these files and at changed rows alone; false when only a full pass can tell. `until` ends it, else the watch's end. */
  hinted(paths: readonly string[], hints: Hints, until?: AbortSignal): Promise<boolean>;
  /** Looks at everything; says when to do so again. */
  full(
    hints: Hints,
    isDegraded: boolean,
    until?: AbortSignal,
  ): Promise<{ readonly fileCount: number; readonly nextInMs: number }>;
  /** Embedding that is under way has ended. */
  settled(): Promise<void>;
}

/** Full scans rest so many times as long as the last one took, and at least for a while (SY-53). */
const REST_FACTOR = 200;
const SHORTEST_REST_MS = 30_000;
/** Between scans while no events arrive (SY-54). */
const DEGRADED_REST_MS = 2000;
const LARGE_DEGRADED_REST_MS = 5000;
const LARGE_STORE_FILES = 2000;
const HASH_ALL_EVERY_MS = 24 * 3600 * 1000;
/** When something that could not be finished is looked at again. */
const LOOK_AGAIN_MS = 1000;
/** Half a second after it was missed for the first time (SY-28), and a little. */
const MISSED_AGAIN_MS = 550;

/** @param clock - one that never goes back, which the hints go by as well */
export function createWatchPasses(context: SyncContext, options: WatchOptions, clock: Clock): WatchPasses {
  const { onEvent, signal } = options;
  const brake = createLoopBrake();
  let rowsChanged = false;
  let hashedAllMs = clock();
  let missedSinceMs = new Map<string, number>();
  let quarantined = new Map<string, string>();
  const embedding = createEmbedding(options);

  function report(steps: readonly SyncStep[]): void {
    const begun = brake.note(steps, clock());
    if (steps.length > 0) onEvent({ kind: 'synced', steps });
    for (const name of begun) onEvent({ kind: 'looping', name });
    if (begun.length > 0) noteLooping(context, brake.looping(clock()));
    if (steps.length > 0) embedding.soon();
  }

  function noteQuarantine(report: SyncReport): void {
    const now = new Map(report.quarantined.map((entry) => [entry.path, `${entry.reason} ${entry.message}`]));
    for (const { path, reason, message } of report.quarantined) {
      if (quarantined.get(path) !== now.get(path)) onEvent({ kind: 'quarantined', path, reason, message });
    }
    for (const path of quarantined.keys()) if (!now.has(path)) onEvent({ kind: 'released', path });
    quarantined = now;
  }

  return {
    noticeRows: () => {
      rowsChanged = true;
    },
    hasRows: () => rowsChanged,
    hinted: async (paths, hints, until = signal) => {
      rowsChanged = false;
      const pass = await runInSlices(hintedSteps(context, paths, brake.looping(clock())), until);
      const now = clock();
      for (const { name, waitMs } of pass.unfinished) hints.addLater(`${name}.toml`, now + waitMs);
      report(pass.steps);
      return pass.isEnough && quarantined.size === 0;
    },
    full: async (hints, isDegraded, until = signal) => {
      rowsChanged = false;
      const startedMs = clock();
      const lookedMs = context.clock();
      const hashAll = startedMs - hashedAllMs >= HASH_ALL_EVERY_MS;
      const steps = syncSteps(context, {
        patient: false,
        smallSteps: true,
        hashAll,
        missedSinceMs,
        looping: brake.looping(startedMs),
      });
      const done = await runInSlices(steps, until);
      const now = clock();
      if (hashAll) hashedAllMs = now;
      missedSinceMs = stillMissed(done, missedSinceMs, lookedMs);
      for (const { name, reason } of done.unfinished) {
        if (reason === 'looping') continue;
        const isMissed = reason === 'not-verified' || reason === 'rename-not-verified';
        hints.addLater(`${name}.toml`, now + (isMissed ? MISSED_AGAIN_MS : LOOK_AGAIN_MS));
      }
      noteQuarantine(done);
      if (options.configChanged?.() === true) onEvent({ kind: 'config' });
      report(done.steps);
      const rest = done.filesChecked > LARGE_STORE_FILES ? LARGE_DEGRADED_REST_MS : DEGRADED_REST_MS;
      return {
        fileCount: done.filesChecked,
        nextInMs: isDegraded ? rest : Math.max(SHORTEST_REST_MS, REST_FACTOR * (now - startedMs)),
      };
    },
    settled: embedding.settled,
  };
}

/** First times of those that are missing still; none lies ahead, where a clock that was set back would leave it. */
function stillMissed(report: SyncReport, before: ReadonlyMap<string, number>, nowMs: number): Map<string, number> {
  const missed = report.unfinished.filter(({ reason }) => reason === 'not-verified');
  return new Map(missed.map(({ name }) => [name, Math.min(before.get(name) ?? nowMs, nowMs)]));
}
