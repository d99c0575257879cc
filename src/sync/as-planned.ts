import { findBase } from '../store/bases.ts';
import { changesOf } from '../store/changes.ts';
import { findRow, type MemoryRow } from '../store/memories.ts';
import type { SyncContext } from './context.ts';
import { loggedFate } from './logged-fate.ts';
import type { MemoryView } from './memory-view.ts';

/**
 * Whether row and base still are what a view was made of. Asked inside the transaction that notes a write: an import by
 * another process takes no file lock and may have come between; what it counted must not be counted again (SY-36 step 2).
 */
export function isAsPlanned(context: SyncContext, view: MemoryView): boolean {
  return sameBase(context, view) && sameRow(context, view);
}

function sameBase({ store }: SyncContext, { name, base }: MemoryView): boolean {
  const now = findBase(store.db, name);
  if (now === null || base === null) return now === base;
  return now.bytesHash === base.bytesHash && now.path === base.path && now.syncedAtMs === base.syncedAtMs;
}

function sameRow({ store }: SyncContext, { name, row }: MemoryView): boolean {
  const seqs = row.row === null ? loggedFate(store.db, name).seqs : changesOf(store.db, name).map(({ seq }) => seq);
  if (seqs.length !== row.seqs.length || seqs.some((seq, index) => seq !== row.seqs[index])) return false;
  const now = findRow(store.db, name);
  if (now === null || row.row === null) return now === row.row;
  return (Object.keys(now) as (keyof MemoryRow)[]).every((column) => now[column] === row.row?.[column]);
}
