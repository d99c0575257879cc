import { EngramError } from '../errors.ts';
import type { MemoryName } from '../memory/slug.ts';
import { resolveConflict } from '../store/conflicts.ts';
import { isBeingRemoved } from '../store/ledger.ts';
import { findRow } from '../store/memories.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from '../sync/context.ts';
import { inSection } from '../sync/section.ts';
import { getOpenConflict } from './clashes.ts';
import { removeMemory } from './forget.ts';
import { requireWritableRoot } from './writable-root.ts';

/** Which of two memories that contradict a person keeps: `this` is the newer one. */
export type Keep = 'this' | 'other' | 'both';

/** A contradiction that has ended. */
export interface Settlement {
  readonly id: number;
  readonly kept: Keep;
  /** The newer memory. */
  readonly name: MemoryName;
  readonly other: MemoryName;
  /** The one that went to the archive, with a link to the other; null when both are kept. */
  readonly archived: MemoryName | null;
}

/**
 * Ends the conflict of two memories (AG-46): the one that is not kept is archived as superseded by the other. Of two people
 * who decide at once the second is told so: nobody archives both.
 *
 * @throws EngramError `conflict.not-found`; `usage` for a conflict of texts; `memory.not-found` when the one to keep is
 * gone; and those of archiving
 */
export function settleContradiction(context: SyncContext, id: number, keep: Keep): Settlement {
  requireWritableRoot(context);
  const { name, other } = getContradiction(context, id);
  const [kept, gone] = keep === 'other' ? [other, name] : [name, other];
  if (keep !== 'both') {
    requireLive(context, kept);
    const check = () => {
      getContradiction(context, id);
      if (isBeingRemoved(context.store.db, kept)) throw contended(id);
    };
    removeMemory(context, gone, { origin: 'superseded', goneTo: kept, check });
  }
  immediately(context.store, () => {
    if (keep === 'both') getContradiction(context, id);
    resolveConflict(context.store.db, id, keep, context.clock());
  });
  return { id, kept: keep, name, other, archived: keep === 'both' ? null : gone };
}

function getContradiction(context: SyncContext, id: number): { readonly name: MemoryName; readonly other: MemoryName } {
  const { name, other, field } = getOpenConflict(context, id);
  if (other !== null) return { name: name as MemoryName, other: other as MemoryName };
  throw new EngramError('usage', `conflict ${id} is of two texts of ${name} (${field}), not of two memories`, {
    hint: `Run: engram conflicts resolve ${id} --take file|db|FILE`,
  });
}

/** Else the archive would have both, once it is clear that its file is deleted. */
function requireLive(context: SyncContext, name: MemoryName): void {
  const { outcome } = inSection(context, name, {});
  if (outcome !== 'refused-deletion' && findRow(context.store.db, name) !== null) return;
  throw new EngramError('memory.not-found', `${name}: its file is gone`, {
    hint: 'Run: engram db sync (archives it, which ends the conflict)',
  });
}

function contended(id: number): EngramError {
  return new EngramError('write.contended', `somebody else is resolving conflict ${id} at this moment`, {
    hint: `Look again: engram conflicts show ${id}`,
  });
}
