import { EngramError } from '../errors.ts';
import type { MemoryName } from '../memory/slug.ts';
import { translated } from '../store/sqlite-errors.ts';
import { patientFor } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import { checkFreshness } from './freshness.ts';

export interface Refreshed {
  /** Something could not be taken in, because somebody is writing it, or the database, at this moment. */
  readonly stale: boolean;
  /** Memories whose file is gone: left out of answers until it is clear whether they are deleted. */
  readonly missing: readonly MemoryName[];
}

/** A reader waits so long for who is writing the database; then it answers for what is known, and says so. */
const PATIENCE_MS = 1000;

/** Takes in what changed on either side since the last look, so that a read answers for what is there now (SY-57). */
export async function refresh(context: SyncContext): Promise<Refreshed> {
  const { fresh, missing } = translated(() => checkFreshness(context));
  if (fresh) return { stale: false, missing };
  const { syncAll } = await import('./sync.ts');
  try {
    const report = translated(() =>
      syncAll({ ...context, store: patientFor(context.store, PATIENCE_MS) }, { patient: false }),
    );
    return { stale: report.unfinished.some(({ reason }) => reason !== 'not-verified'), missing };
  } catch (error) {
    // A reader gets what is known, and is told that there may be more.
    if (error instanceof EngramError && error.code === 'database.busy') return { stale: true, missing };
    throw error;
  }
}
