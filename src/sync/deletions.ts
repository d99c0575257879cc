import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { countSyncDeletionsSince } from '../store/archive.ts';
import { countBases } from '../store/bases.ts';
import { type DeletionHold, holdDeletion, listHolds, releaseHold } from '../store/holds.ts';
import { findRow } from '../store/memories.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import type { MemoryView } from './memory-view.ts';
import type { MissingVerdict } from './missing.ts';
import { planDeletionHolds } from './plan-deletions.ts';
import type { Scan } from './scan.ts';

const BRAKE_WINDOW_MS = 10 * 60 * 1000;

/** What the brake decided about the deletions of a batch (SY-31, SY-32). */
export interface DeletionVerdict {
  readonly proceed: readonly MemoryView[];
  readonly held: readonly { readonly name: MemoryName; readonly side: 'file' | 'row'; readonly reason: string }[];
}

/** Reasons of holds that stay until a person accepts them (SY-32). Others end when what was in the way is gone. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(['brake', 'directory-missing', 'directory-replaced']);

/** Applies the brake to a batch and keeps the list of held deletions in step. A dry run changes no hold. */
export function brakeDeletions(
  context: SyncContext,
  wishes: readonly MemoryView[],
  seen: Seen,
  options: { readonly allowMassDelete: boolean; readonly dryRun: boolean },
): DeletionVerdict {
  const { db } = context.store;
  const counted = wishes.filter((view) => view.action.deletion);
  const now = context.clock();
  const holds = listHolds(db);
  const decision = planDeletionHolds({
    wishes: counted.map((view) => ({ name: view.name, missing: missingSide(view), reason: view.action.reason })),
    held: holds.filter((hold) => FOR_A_PERSON.has(hold.reason)).map((hold) => hold.name),
    present: [],
    recentlyApplied: countSyncDeletionsSince(db, now - BRAKE_WINDOW_MS),
    liveCount: countBases(db),
    allowMassDelete: options.allowMassDelete,
  });
  const proceeding = new Set(decision.proceed.map((wish) => wish.name));
  const held = [
    ...decision.hold.map(({ name, missing }) => ({ name: name as MemoryName, side: missing, reason: 'brake' })),
    ...seen.verdict.lost.map(({ name, reason }) => ({ name, side: 'file' as const, reason })),
  ];
  if (!options.dryRun && (held.length > 0 || holds.length > 0)) {
    const returned = namesThatReturned(context, holds, seen);
    immediately(context.store, () => {
      for (const name of [...decision.release, ...returned]) releaseHold(db, name as MemoryName);
      for (const hold of held) holdDeletion(db, { ...hold, seen_ms: now });
    });
  }
  return { proceed: wishes.filter((view) => !view.action.deletion || proceeding.has(view.name)), held };
}

interface Seen {
  readonly scan: Scan;
  readonly verdict: MissingVerdict;
}

/** A side that is there again ends its hold (SY-32). What could not be looked at proves nothing. */
function namesThatReturned(context: SyncContext, holds: readonly DeletionHold[], { scan, verdict }: Seen): string[] {
  const missing = [...verdict.gone, ...verdict.lost, ...verdict.undetermined].map((file) => file.name);
  const away = new Set([...missing, ...scan.unknown]);
  const hasReturned = ({ name, side, reason }: DeletionHold): boolean => {
    if (side === 'row') return reason !== 'file-quarantined' && findRow(context.store.db, name as MemoryName) !== null;
    return !away.has(name as MemoryName) && scan.directories[directoryOf(name as MemoryName)].state === 'listed';
  };
  return holds.filter(hasReturned).map((hold) => hold.name);
}

function missingSide({ action }: MemoryView): 'file' | 'row' {
  return 'missing' in action ? action.missing : 'file';
}
