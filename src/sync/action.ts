import type { MemoryRecord, RecordKey } from '../memory/record.ts';
import type { MergeResult } from './merge.ts';

/**
 * What the file of a memory says. `record` is what `effectiveFileRecord` made of it; `gone` is a verified absence (SY-28);
 * `unknown` is in progress or not determined; `bad` is quarantined.
 */
export type FileSide =
  | {
      readonly state: 'record';
      readonly record: MemoryRecord;
      /** A link or a newer layout (MF-3, MF-17): imported, never written. */
      readonly readOnly: boolean;
      /** Keys whose token is never overwritten (MF-24): a change of the row to them waits. */
      readonly unwritable?: readonly RecordKey[];
    }
  | { readonly state: 'gone' }
  | { readonly state: 'unknown' }
  | { readonly state: 'bad' };

/**
 * What the row says. `record` is what `effectiveRowRecord` made of it; `bad` is a quarantined row, taken as its base;
 * `gone` is a logged DELETE or `forget`; `none` is a row that never was, or vanished without a log (SY-26).
 */
export type RowSide =
  | { readonly state: 'record'; readonly record: MemoryRecord }
  | { readonly state: 'bad' }
  | { readonly state: 'none' }
  | { readonly state: 'gone'; readonly wish: 'sql' | 'forget' };

/** The newest tombstone of this name that was not restored. `origin` as in the table `archive`. */
export interface ArchiveEntry {
  readonly record: MemoryRecord;
  readonly origin: string;
}

export interface SyncState {
  readonly file: FileSide;
  readonly row: RowSide;
  readonly base: MemoryRecord | null;
  readonly archived: ArchiveEntry | null;
  /** The older agreement an editor's buffer came from (`staleBufferBase`), null or absent when it is none. */
  readonly staleBase?: MemoryRecord | null;
}

/** On every action: which sides it writes, and whether the brake counts it (SY-31). */
interface Effects {
  readonly touchesFile: boolean;
  readonly touchesRow: boolean;
  readonly deletion: boolean;
}

/** There is nothing to do: nothing changed, or nothing is there. */
export interface Nothing extends Effects {
  readonly kind: 'none';
  readonly reason: 'unchanged' | 'absent';
}

/**
 * File and row come to hold the same record. Whatever the kind, the executor does what the fields say: history for the
 * sides in `merge.overwritten`, the clashes and events of `merge`, the file becomes `agreed` if `touchesFile`, the row
 * becomes `target` if `touchesRow`, and the base becomes `agreed`. The kind is for reports: `import` file to row, `export`
 * row to file, `agree` only the base moves, `merge` both, `restore` revives the archive entry, which is marked restored,
 * `read-only-import` leaves changes of the row waiting.
 *
 * A quarantined row is taken as its base, so it receives only the keys in which `target` differs from the base.
 * `returned-edited` links the archive entry in history. `returned` and `returned-edited` are reported (SY-14).
 */
export interface Reconcile extends Effects {
  readonly kind: 'import' | 'export' | 'agree' | 'merge' | 'restore' | 'read-only-import';
  readonly reason:
    | 'file-changed'
    | 'row-changed'
    | 'same-change'
    | 'both-changed'
    | 'stale-buffer'
    | 'first-meeting'
    | 'edit-beats-delete'
    | 'row-lost'
    | 'new'
    | 'restored'
    | 'returned'
    | 'returned-edited';
  /** What the row is to hold. */
  readonly target: MemoryRecord;
  /** What the file is to hold, and the record of the new base; differs from `target` only when changes wait. */
  readonly agreed: MemoryRecord;
  readonly merge: MergeResult;
  /** The row holds changes that this file cannot take; reported. */
  readonly rowChangesWait: boolean;
  readonly deletion: false;
}

/** The file is made from the row, exclusively: an existing name is planned again, never replaced (MF-8). */
export interface CreateFile extends Effects {
  readonly kind: 'create-file';
  readonly reason: 'edit-beats-delete' | 'new-row';
  readonly target: MemoryRecord;
  readonly merge: MergeResult;
  readonly touchesFile: true;
  readonly deletion: false;
}

/**
 * The memory goes to the archive: `record` with the bytes last known, before the file (`delete-file`, a link itself and
 * never its target) or the row (`archive` with `touchesRow`) goes. `missing` is the side a hold would name.
 */
export interface Deletion extends Effects {
  readonly kind: 'archive' | 'delete-file';
  readonly reason: 'file-removed' | 'sql-delete' | 'forget';
  readonly record: MemoryRecord;
  readonly missing: 'file' | 'row';
}

/** The row comes back from the base. `wish` is a deletion that stays held until the file can be read (SY-14). */
export interface RestoreRow extends Effects {
  readonly kind: 'restore-row';
  readonly reason: 'row-lost' | 'file-quarantined';
  readonly target: MemoryRecord;
  readonly wish: 'sql' | 'forget' | null;
}

/** Both sides stay as they are. `held` names the deletion that waits for a person, null when none was asked for. */
export interface Hold extends Effects {
  readonly kind: 'hold';
  readonly reason: 'file-unknown' | 'read-only' | 'row-quarantined';
  readonly held: { readonly missing: 'file' | 'row'; readonly reason: 'file-removed' | 'sql-delete' } | null;
}

/** An unusable file or row: row and base stay, the path is not written (SY-42). */
export interface Quarantine extends Effects {
  readonly kind: 'quarantine';
  readonly side: 'file' | 'row';
  readonly reason: 'file-quarantined' | 'row-quarantined';
}

/** The row's changes cannot go to this file; nothing else is to be done. Reported, not a failure. */
export interface Wait extends Effects {
  readonly kind: 'wait';
  readonly reason: 'read-only' | 'unusable-value';
}

export type SyncAction = Nothing | Reconcile | CreateFile | Deletion | RestoreRow | Hold | Quarantine | Wait;
