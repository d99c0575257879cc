import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { type Change, changesOf } from '../store/changes.ts';
import { findRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';

/** What the change log says became of a memory whose row is gone. */
export interface LoggedFate {
  /** A DELETE was logged, under this name or one that an UPDATE gave it (SY-30). */
  readonly deleted: boolean;
  /** The entries that say so; they go once the memory is dealt with. */
  readonly seqs: readonly number[];
}

/**
 * Follows the row of `name` through the log. A shell that renames a row and deletes it then means this memory, whose file
 * still has the old name; what it did under the new one is not the new name's to deal with.
 */
export function loggedFate(db: SqliteDatabase, name: MemoryName): LoggedFate {
  const changes = changesOf(db, name);
  if (cameFromBasedName(db, changes, name)) return { deleted: false, seqs: [] };
  const seqs = changes.map((change) => change.seq);
  const later = followed(db, name, changes.at(-1));
  return { deleted: later.deleted, seqs: [...seqs, ...later.seqs] };
}

function followed(db: SqliteDatabase, name: MemoryName, last: Change | undefined): LoggedFate {
  if (last === undefined) return { deleted: false, seqs: [] };
  if (last.name === name) return { deleted: last.op === 'delete', seqs: [] };
  const next = last.name as MemoryName;
  // A row that was moved onto a memory of its own is an edit of that one; this one returns from its file (SY-24).
  if (findRow(db, next) !== null || findBase(db, next) !== null) return { deleted: false, seqs: [] };
  const after = changesOf(db, next).filter((change) => change.seq > last.seq);
  const later = followed(db, next, after.at(-1));
  return { deleted: later.deleted, seqs: [...after.map((change) => change.seq), ...later.seqs] };
}

function cameFromBasedName(db: SqliteDatabase, changes: readonly Change[], name: MemoryName): boolean {
  const arrival = changes.findLast((change) => change.name === name && change.old_name !== null);
  if (arrival?.old_name == null || findBase(db, name) !== null) return false;
  const from = arrival.old_name as MemoryName;
  if (findBase(db, from) !== null) return findRow(db, from) === null;
  const before = changesOf(db, from).filter((change) => change.seq < arrival.seq);
  return cameFromBasedName(db, before, from);
}
