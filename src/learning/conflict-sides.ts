import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findArchived } from '../store/archive.ts';
import type { ConflictRow } from '../store/conflicts.ts';
import { findRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { presentRecord } from '../sync/present-record.ts';

/** One of two memories that contradict, as it is now. */
export interface ConflictSide {
  readonly name: MemoryName;
  readonly state: 'live' | 'archived' | 'gone';
  /** Null for one that is gone. */
  readonly record: MemoryRecord | null;
}

/** A conflict with all that a person needs to decide it. */
export interface ShownConflict extends ConflictRow {
  readonly kind: 'texts' | 'memories';
  /** The two memories, the newer one first; null for texts of one memory. */
  readonly sides: { readonly this: ConflictSide; readonly other: ConflictSide } | null;
}

export function shownConflict(db: SqliteDatabase, conflict: ConflictRow): ShownConflict {
  if (conflict.other === null) return { ...conflict, kind: 'texts', sides: null };
  const sides = {
    this: sideOf(db, conflict.name as MemoryName),
    other: sideOf(db, conflict.other as MemoryName),
  };
  return { ...conflict, kind: 'memories', sides };
}

function sideOf(db: SqliteDatabase, name: MemoryName): ConflictSide {
  if (findRow(db, name) !== null) return { name, state: 'live', record: presentRecord(db, name) };
  const archived = findArchived(db, name);
  return archived === null
    ? { name, state: 'gone', record: null }
    : { name, state: 'archived', record: archived.record };
}
