import type { Clock } from '../clock.ts';
import { hasChanges } from '../store/changes.ts';
import type { SyncContext } from './context.ts';
import type { Hints } from './hints.ts';
import { timer } from './self-test.ts';
import type { WatchPasses } from './watch-passes.ts';

/** Who asks a watch to end waits no longer than this for what was changed just before. */
const LONGEST_MS = 3000;

/**
 * The last passes of a watch that was asked to end: what was hinted at is taken in at once, however young, and what needs
 * a second look gets it while there is time. What is left then is found by the next sync, as any change made while nobody
 * watches.
 *
 * @param needsScan - no event may tell what changed: a look at everything was cut off, or none arrive
 */
export async function drain(
  context: SyncContext,
  clock: Clock,
  passes: WatchPasses,
  hints: Hints,
  needsScan: boolean,
): Promise<void> {
  // What was saved before the signal came may still be in the system's queue of events.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  if (hasChanges(context.store.db)) passes.noticeRows();
  const limit = AbortSignal.timeout(LONGEST_MS);
  try {
    await takeIn(hints.takeDue(Number.POSITIVE_INFINITY), needsScan);
    for (let dueMs = hints.nextDueMs(); dueMs !== null && !limit.aborted; dueMs = hints.nextDueMs()) {
      await timer(Math.max(0, dueMs - clock()), limit).promise;
      await takeIn(hints.takeDue(clock()), false);
    }
  } catch (error) {
    if (!limit.aborted || error !== limit.reason) throw error;
  }

  async function takeIn(paths: readonly string[], everything: boolean): Promise<void> {
    if (!everything && paths.length === 0 && !passes.hasRows()) return;
    if (everything || !(await passes.hinted(paths, hints, limit))) await passes.full(hints, false, limit);
  }
}
