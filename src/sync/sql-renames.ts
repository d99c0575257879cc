import { join } from 'node:path';
import { acquireLock } from '../files/lock.ts';
import { ensureMemoryDirectories, foldName } from '../files/memory-directory.ts';
import { prepareReplacement, removeFile } from '../files/replace-file.ts';
import { stableRead } from '../files/stable-read.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { removeLedgerEntry } from '../store/ledger.ts';
import { findRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { immediately } from '../store/transaction.ts';
import { type ContentHash, contentHash } from '../text/content-hash.ts';
import { defaultPath, type SyncContext } from './context.ts';
import { problemOfNewName } from './judge-row.ts';
import { enterLedger, leaveLedger, signatureAfterWrite } from './ledger-recovery.ts';
import { concernsOneFile } from './one-file.ts';
import { commitRename, type RenameCommit } from './rename-commit.ts';
import type { StepLog } from './report.ts';

interface Move {
  readonly from: MemoryName;
  readonly to: MemoryName;
}

/** Both names of a rename that could not be carried out now, and why. */
export type UnfinishedMove = Move & { readonly reason: string };

/**
 * Carries out renames wished by SQL: the file follows its row (SY-37). A dry run only reports them.
 *
 * @param options.wait - whether to wait for a foreign lock (MF-39)
 * @returns the renames that wait for the next sync; neither of their names is to be planned meanwhile
 */
export function followSqlRenames(
  context: SyncContext,
  log: StepLog,
  options: { readonly dryRun: boolean; readonly wait: boolean },
): UnfinishedMove[] {
  const unfinished: UnfinishedMove[] = [];
  for (const move of wishedMoves(context)) {
    try {
      if (!options.dryRun && !moveFile(context, move, options.wait)) continue;
      log.add(move.from, 'rename', 'row-renamed', move.to);
    } catch (error) {
      if (!concernsOneFile(error)) throw error;
      unfinished.push({ ...move, reason: error.code });
    }
  }
  return unfinished;
}

/**
 * A name with a base is never the target of a rename: both are planned alone then (SY-24, S40). So are the two where no
 * file could have the new name.
 */
function wishedMoves({ store: { db } }: SyncContext): Move[] {
  const moves = new Map<MemoryName, Move>();
  for (const change of listChanges(db)) {
    if (change.old_name === null) continue;
    const from = change.old_name as MemoryName;
    const earlier = [...moves.values()].find((move) => move.to === from);
    moves.set(earlier?.from ?? from, { from: earlier?.from ?? from, to: change.name as MemoryName });
  }
  return [...moves.values()].filter(
    ({ from, to }) =>
      from !== to &&
      findBase(db, from) !== null &&
      findRow(db, from) === null &&
      findRow(db, to) !== null &&
      findBase(db, to) === null &&
      canHaveFile(db, from, to),
  );
}

/** A rename that changes case only meets its own old name. */
function canHaveFile(db: SqliteDatabase, from: MemoryName, to: MemoryName): boolean {
  const problem = problemOfNewName(db, to);
  return problem === null || (problem.reason === 'name-clash' && foldName(from) === foldName(to));
}

/** Two critical sections: the new name gets the file, then the old one loses it. Never two locks at once (MF-34). */
function moveFile(context: SyncContext, move: Move, wait: boolean): boolean {
  ensureMemoryDirectories(context.paths.root, context.fs);
  const unlinkEntry = createUnderNewName(context, move, wait);
  if (unlinkEntry === null) return false;
  removeOldName(context, unlinkEntry, wait);
  return true;
}

interface OldName {
  readonly entry: number;
  readonly path: string;
  readonly hash: ContentHash;
}

function createUnderNewName(context: SyncContext, { from, to }: Move, wait: boolean): OldName | null {
  const { db } = context.store;
  const path = defaultPath(to);
  const absolute = join(context.paths.memory, path);
  using _lock = acquireLock(absolute, { wait, now: context.clock }, context.fs);
  const base = findBase(db, from);
  if (base === null) return null;
  const read = stableRead(join(context.paths.memory, base.path));
  if (read.kind !== 'file' || read.linked || contentHash(read.bytes) !== base.bytesHash) return null;
  const hash = base.bytesHash;
  const rename: RenameCommit = { from, to, fromPath: base.path, agreed: base.record, seqs: [], atMs: context.clock() };
  const replacement = prepareReplacement(absolute, read.bytes, { mode: read.mode }, context.fs);
  const bytes = Buffer.from(read.bytes).toString('base64');
  let entry = 0;
  try {
    entry = immediately(context.store, () =>
      enterLedger(context, to, { old: hash, new: hash }, { step: 'rename', path, rename, bytes }),
    );
    if (!replacement.asNew()) {
      leaveLedger(context, entry);
      return null;
    }
  } catch (error) {
    replacement.discard();
    throw error;
  }
  const signature = signatureAfterWrite(context, path);
  const unlink = immediately(context.store, () => {
    removeLedgerEntry(db, entry);
    commitRename(db, rename, { path, bytes: read.bytes, hash, signature, readAtMs: context.clock(), readOnly: false });
    return enterLedger(context, from, { old: hash, new: null }, { step: 'unlink', path: base.path });
  });
  return { entry: unlink, path: base.path, hash };
}

/** What was edited under the old name meanwhile stays as a memory of its own (SY-37). */
function removeOldName(context: SyncContext, { entry, path, hash }: OldName, wait: boolean): void {
  const absolute = join(context.paths.memory, path);
  using _lock = acquireLock(absolute, { wait, now: context.clock }, context.fs);
  const read = stableRead(absolute);
  if (read.kind === 'file' && contentHash(read.bytes) === hash) removeFile(absolute, context.fs);
  leaveLedger(context, entry);
}
