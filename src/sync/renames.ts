import { join } from 'node:path';
import { foldName } from '../files/memory-directory.ts';
import { stableRead } from '../files/stable-read.ts';
import { readMemory } from '../memory/read-toml.ts';
import { directoryOf } from '../memory/slug.ts';
import { findBase, findBasesByBytes } from '../store/bases.ts';
import { findRow } from '../store/memories.ts';
import { immediately } from '../store/transaction.ts';
import { contentHash } from '../text/content-hash.ts';
import { findSecrets } from '../text/secrets.ts';
import { UNKNOWN_SIGNATURE } from './commit.ts';
import type { SyncContext } from './context.ts';
import { effectiveFileRecord } from './effective-record.ts';
import { presentInBase } from './file-sight.ts';
import type { Appeared, MissingVerdict } from './missing.ts';
import { planRenames, type VanishedPath } from './plan-renames.ts';
import { commitRename } from './rename-commit.ts';
import type { StepLog } from './report.ts';
import type { Candidate, MissingFile } from './scan.ts';

/** What the search for renames took out of a batch. */
export interface RenamesFound {
  /** Files that moved: neither missing nor new any more. */
  readonly renamed: ReadonlySet<MissingFile>;
  readonly settled: ReadonlySet<Candidate>;
  /** New files left alone until the absence of what they may be is verified. */
  readonly waiting: readonly Candidate[];
}

/** Finds what was renamed on disk and moves row, base and events along (SY-21, SY-22). A dry run only reports it. */
export function followRenames(
  context: SyncContext,
  verdict: MissingVerdict,
  candidates: readonly Candidate[],
  log: StepLog,
  dryRun: boolean,
): RenamesFound {
  const renamed = new Set<MissingFile>();
  const settled = new Set<Candidate>();
  const appeared = candidates.filter((file) => !file.hasBase).flatMap((file) => readAppeared(context, file));
  if (appeared.length === 0) return { renamed, settled, waiting: [] };
  const vanished = [...vanishedOf(context, verdict.gone, true), ...vanishedOf(context, verdict.undetermined, false)];
  const plan = planRenames(vanished, appeared, presentWith(context, appeared, vanished));
  for (const { from, to } of plan.pairs) {
    const name = to.candidate.name;
    if (name === from.name) {
      // The same memory, its file name in another Unicode form: its base follows when the file is read.
      renamed.add(from.file);
      continue;
    }
    if (!dryRun && !moveMemory(context, from.file, to.candidate)) continue;
    log.add(from.name, 'rename', 'file-renamed', name);
    renamed.add(from.file);
    // Other bytes are an edit beside the rename, which is taken in next.
    if (dryRun || from.bytesHash === to.bytesHash) settled.add(to.candidate);
  }
  const nameByPath = new Map(candidates.map((file) => [file.path, file.name]));
  for (const { path, of } of plan.duplicates) {
    const name = nameByPath.get(path);
    if (name !== undefined) log.add(name, 'note', 'duplicate-of', of);
  }
  return { renamed, settled, waiting: plan.waits.map(({ to }) => to.candidate) };
}

interface Vanished extends VanishedPath {
  readonly file: MissingFile;
}

function vanishedOf(context: SyncContext, files: readonly MissingFile[], verified: boolean): Vanished[] {
  return files.flatMap((file) => {
    const base = findBase(context.store.db, file.name);
    if (base === null) return [];
    const { name, path } = file;
    return [{ file, name, path, foldedPath: foldName(path), bytesHash: base.bytesHash, verified }];
  });
}

function readAppeared(context: SyncContext, candidate: Candidate): Appeared[] {
  // Under such a name no memory goes on: the file is quarantined, and the name stays out of row, history and report.
  if (findSecrets(candidate.path).length > 0) return [];
  const read = stableRead(join(context.paths.memory, candidate.path));
  if (read.kind !== 'file') return [];
  const { path, hasBase } = candidate;
  return [{ candidate, path, foldedPath: foldName(path), bytesHash: contentHash(read.bytes), hasBase }];
}

/** Based memories, still in place, that a new file is a copy of. */
function presentWith(context: SyncContext, appeared: readonly Appeared[], vanished: readonly Vanished[]) {
  const away = new Set(vanished.map((file) => file.name));
  return appeared.flatMap((file) =>
    findBasesByBytes(context.store.db, contentHashOf(file))
      .filter((base) => !away.has(base.name))
      .map((base) => ({ name: base.name as string, bytesHash: file.bytesHash })),
  );
}

function contentHashOf(file: Appeared) {
  return file.bytesHash as ReturnType<typeof contentHash>;
}

/** Moves a memory to its new name. False when it is no longer as planned: then it is planned again as two memories. */
function moveMemory(context: SyncContext, from: MissingFile, to: Candidate): boolean {
  const { db } = context.store;
  const readAtMs = context.clock();
  const read = stableRead(join(context.paths.memory, to.path));
  if (read.kind !== 'file') return false;
  const parsed = readMemory(read.bytes, directoryOf(to.name));
  if (parsed.kind !== 'ok') return false;
  return immediately(context.store, () => {
    const base = findBase(db, from.name);
    if (base === null || findBase(db, to.name) !== null || findRow(db, to.name) !== null) return false;
    const hash = contentHash(read.bytes);
    const { signature, bytes, linked } = read;
    const readOnly = linked || parsed.memory.newerVersion;
    const sameBytes = hash === base.bytesHash;
    const known = { record: base.record, present: presentInBase(base) };
    // Changed bytes are an edit on top of the move: the old record stays the base, so the edit is imported next.
    const stat = sameBytes ? signature : UNKNOWN_SIGNATURE;
    const file = { path: to.path, bytes: base.bytes, hash: base.bytesHash, signature: stat, readAtMs, readOnly };
    const agreed = sameBytes ? effectiveFileRecord(parsed.memory, known, bytes.at(-1) === 10) : base.record;
    commitRename(
      db,
      { from: from.name, to: to.name, fromPath: from.path, agreed, seqs: [], atMs: context.clock() },
      file,
    );
    return true;
  });
}
