import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { acquireLock } from '../files/lock.ts';
import { ensureMemoryDirectories } from '../files/memory-directory.ts';
import { prepareReplacement } from '../files/replace-file.ts';
import type { MemoryName } from '../memory/slug.ts';
import { type Base, findBase } from '../store/bases.ts';
import { changesOf, deleteChanges } from '../store/changes.ts';
import { type DeletionHold, listHolds, releaseHold } from '../store/holds.ts';
import { findRow } from '../store/memories.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import { settleLedgerOf } from './ledger-recovery.ts';
import { bringRowBack } from './rows-only.ts';

export interface UndoneHolds {
  /** Memories whose missing side is back. */
  readonly restored: readonly { readonly name: MemoryName; readonly side: 'file' | 'row' }[];
  /** Memories that could not be brought back, with the reason; their holds stay. */
  readonly failed: readonly { readonly name: MemoryName; readonly reason: string }[];
}

/**
 * Brings back the missing side of every held deletion, for `db repair --undo-held` (SY-32): a file with the bytes of the
 * last agreement, never over an existing one; a row with its record. Run a sync afterwards: what changed on the other side
 * since then is merged as usual.
 */
export function undoHolds(context: SyncContext): UndoneHolds {
  const restored: { name: MemoryName; side: 'file' | 'row' }[] = [];
  const failed: { name: MemoryName; reason: string }[] = [];
  const holds = listHolds(context.store.db);
  if (holds.some((hold) => hold.side === 'file')) ensureMemoryDirectories(context.paths.root, context.fs);
  for (const hold of holds) {
    const name = hold.name as MemoryName;
    try {
      undoHold(context, name, hold);
      restored.push({ name, side: hold.side });
    } catch (error) {
      if (!(error instanceof EngramError) || error.code.startsWith('database.')) throw error;
      failed.push({ name, reason: error.message });
    }
  }
  return { restored, failed };
}

function undoHold(context: SyncContext, name: MemoryName, { side }: DeletionHold): void {
  const base = findBase(context.store.db, name);
  if (base !== null && side === 'file') restoreFile(context, name, base);
  else if (base !== null) restoreRow(context, name, base);
  else immediately(context.store, () => releaseHold(context.store.db, name));
}

/** A file that is there already, whoever made it, is not touched: the next sync compares it. */
function restoreFile(context: SyncContext, name: MemoryName, base: Base): void {
  const absolute = join(context.paths.memory, base.path);
  using _lock = acquireLock(absolute, { now: context.clock }, context.fs);
  settleLedgerOf(context, name);
  prepareReplacement(absolute, base.bytes, { mode: 0o600 }, context.fs).asNew();
  immediately(context.store, () => releaseHold(context.store.db, name));
}

function restoreRow(context: SyncContext, name: MemoryName, base: Base): void {
  const { db } = context.store;
  immediately(context.store, () => {
    releaseHold(db, name);
    if (findRow(db, name) !== null) return;
    deleteChanges(
      db,
      changesOf(db, name).map((change) => change.seq),
    );
    bringRowBack(db, name, base.record);
  });
}
