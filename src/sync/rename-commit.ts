import { exactKey } from '../memory/exact-key.ts';
import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { addArchived } from '../store/archive.ts';
import { findBase, keepVersion, renameBase, writeBase } from '../store/bases.ts';
import { deleteChanges, deleteChangesAfter, lastChangeSeq, renameChanges } from '../store/changes.ts';
import { releaseHold } from '../store/holds.ts';
import { findRow, renameRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { releaseQuarantined } from '../store/quarantine.ts';
import { dropRecordKey, setRecordKey } from '../store/record-keys.ts';
import { run } from '../store/statement.ts';
import type { AgreedFile } from './commit.ts';
import type { MemoryPath } from './context.ts';

/** A memory that moves to another name with everything it has (SY-21, SY-37). */
export interface RenameCommit {
  readonly from: MemoryName;
  readonly to: MemoryName;
  readonly fromPath: MemoryPath;
  /** The record that the file under the new name says. */
  readonly agreed: MemoryRecord;
  readonly seqs: readonly number[];
  readonly atMs: number;
}

const FOLLOWING_TABLES = ['history', 'outcome_events', 'conflicts'] as const;

/**
 * Moves row, pk, base, history, events and conflicts to the new name; the old one gets a tombstone that says where it
 * went. Runs inside a transaction. `file` is the file under the new name.
 */
export function commitRename(db: SqliteDatabase, rename: RenameCommit, file: AgreedFile): void {
  const { from, to, agreed, atMs } = rename;
  const startSeq = lastChangeSeq(db);
  const base = findBase(db, from);
  if (base !== null) {
    addArchived(db, { name: from, record: base.record, bytes: base.bytes, origin: 'renamed', atMs, goneTo: to });
    keepVersion(db, base, atMs);
    renameBase(db, from, to, file.path);
  }
  writeBase(db, {
    name: to,
    path: file.path,
    signature: file.signature,
    readAtMs: file.readAtMs,
    readOnly: file.readOnly,
    syncedAtMs: atMs,
    bytesHash: file.hash,
    lostKeys: base?.lostKeys ?? [],
    record: agreed,
    bytes: file.bytes,
  });
  if (findRow(db, from) !== null && findRow(db, to) === null) renameRow(db, from, to);
  for (const table of FOLLOWING_TABLES) run(db, `UPDATE ${table} SET name = ? WHERE name = ?`, to, from);
  run(db, 'UPDATE conflicts SET other = ? WHERE other = ?', to, from);
  dropRecordKey(db, from);
  setRecordKey(db, to, exactKey(agreed));
  releaseQuarantined(db, 'file', from);
  releaseQuarantined(db, 'file', to);
  releaseHold(db, from);
  deleteChanges(db, rename.seqs);
  renameChanges(db, from, to);
  deleteChangesAfter(db, startSeq);
}
