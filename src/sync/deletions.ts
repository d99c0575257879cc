import type { MemoryName } from '../memory/slug.ts';
import { countSyncDeletionsSince } from '../store/archive.ts';
import { countBases } from '../store/bases.ts';
import { holdDeletion, listHolds, releaseHold } from '../store/holds.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import type { MemoryView } from './memory-view.ts';
import type { MissingVerdict } from './missing.ts';
import { planDeletionHolds } from './plan-deletions.ts';

const BRAKE_WINDOW_MS = 10 * 60 * 1000;

/** What the brake decided about the deletions of a batch (SY-31, SY-32). */
export interface DeletionVerdict {
  readonly proceed: readonly MemoryView[];
  readonly held: readonly { readonly name: MemoryName; readonly side: 'file' | 'row'; readonly reason: string }[];
}

/** Applies the brake to a batch and keeps the list of held deletions in step. A dry run changes no hold. */
export function brakeDeletions(
  context: SyncContext,
  wishes: readonly MemoryView[],
  verdict: MissingVerdict,
  options: { readonly allowMassDelete: boolean; readonly dryRun: boolean },
): DeletionVerdict {
  const { db } = context.store;
  const counted = wishes.filter((view) => view.action.deletion);
  const now = context.clock();
  const holds = listHolds(db);
  const decision = planDeletionHolds({
    wishes: counted.map((view) => ({ name: view.name, missing: missingSide(view), reason: view.action.reason })),
    held: holds.filter((hold) => hold.reason === 'brake').map((hold) => hold.name),
    present: [],
    recentlyApplied: countSyncDeletionsSince(db, now - BRAKE_WINDOW_MS),
    liveCount: countBases(db),
    allowMassDelete: options.allowMassDelete,
  });
  const proceeding = new Set(decision.proceed.map((wish) => wish.name));
  const held = [
    ...decision.hold.map(({ name, missing }) => ({ name: name as MemoryName, side: missing, reason: 'brake' })),
    ...verdict.lost.map(({ name, reason }) => ({ name, side: 'file' as const, reason })),
  ];
  if (!options.dryRun && (held.length > 0 || holds.length > 0)) {
    immediately(context.store, () => {
      for (const hold of held) holdDeletion(db, { ...hold, seen_ms: now });
      for (const name of decision.release) releaseHold(db, name as MemoryName);
    });
  }
  return { proceed: wishes.filter((view) => !view.action.deletion || proceeding.has(view.name)), held };
}

function missingSide({ action }: MemoryView): 'file' | 'row' {
  return 'missing' in action ? action.missing : 'file';
}
