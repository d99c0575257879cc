import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { acquireLock, type FileLock } from '../files/lock.ts';
import { ensureMemoryDirectories } from '../files/memory-directory.ts';
import { prepareReplacement, removeFile } from '../files/replace-file.ts';
import { stableRead } from '../files/stable-read.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { addHistory } from '../store/history.ts';
import { removeLedgerEntry } from '../store/ledger.ts';
import { immediately } from '../store/transaction.ts';
import { contentHash } from '../text/content-hash.ts';
import { type AgreedFile, commitAgreement, commitRemoval } from './commit.ts';
import { defaultPath, type MemoryPath, type SyncContext } from './context.ts';
import { type FileSight, readFileSight } from './file-sight.ts';
import { enterLedger, leaveLedger, settleLedgerOf, signatureAfterWrite } from './ledger-recovery.ts';
import { type MemoryView, viewMemory } from './memory-view.ts';
import { mergeSavedMeanwhile, type WantedChange } from './own-change.ts';
import { applyToRows } from './rows-only.ts';
import { type Intention, intentionOf, type WishedRemoval } from './section-plan.ts';

export interface SectionOptions {
  readonly path?: MemoryPath;
  /** A change of engram's own, on top of what file and row say. */
  readonly wanted?: WantedChange;
  /** A person wants the memory gone. */
  readonly removal?: WishedRemoval;
  /** The absence or the SQL DELETE was verified and passed the brake (SY-28, SY-31). */
  readonly deletionAllowed?: boolean;
  /** Whether to wait for a foreign lock; default true (MF-39). */
  readonly wait?: boolean;
}

export interface SectionResult {
  readonly view: MemoryView;
  readonly outcome: 'nothing' | 'rows-only' | 'written' | 'created' | 'deleted' | 'refused-deletion';
  /** Changes that the file cannot take wait in the row. */
  readonly pending: boolean;
}

const TRIES = 5;

/**
 * The critical section of one memory (SY-36): lock, fresh look, plan, write the file, store what was agreed, unlock. What
 * it was planned on is checked again before the file is replaced; else it is planned anew, 5 times.
 *
 * @throws EngramError `lock.timeout`, `write.contended`, and for `wanted` and `removal` whatever keeps the file from
 * being written: `memory.quarantined`, `memory.read-only`, `memory.layout`, `memory.not-found`, `disk.full`, `file.write`
 */
export function inSection(context: SyncContext, name: MemoryName, options: SectionOptions): SectionResult {
  ensureMemoryDirectories(context.paths.root, context.fs);
  const path = options.path ?? findBase(context.store.db, name)?.path ?? defaultPath(name);
  using lock = acquireLock(
    join(context.paths.memory, path),
    { wait: options.wait ?? true, now: context.clock },
    context.fs,
  );
  settleLedgerOf(context, name);
  let wishes = options;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const sight = readFileSight(context, name, path, findBase(context.store.db, name), { keepOpen: true });
    try {
      const result = attemptOnce(context, lock, viewOf(context, name, path, sight, wishes), wishes);
      const saved = result === 'again' ? null : savedMeanwhile(context, name, sight, result);
      if (result !== 'again' && saved === null) return result;
      if (saved !== null) wishes = { path, wanted: saved };
    } finally {
      if (sight.kind === 'read') sight.handle?.close();
    }
  }
  throw new EngramError('write.contended', `${name}: its file changed ${TRIES} times while it was being written`, {
    hint: 'Try again.',
  });
}

function viewOf(context: SyncContext, name: MemoryName, path: MemoryPath, sight: FileSight, wishes: SectionOptions) {
  return viewMemory(context, name, path, sight, { forget: wishes.removal !== undefined });
}

function attemptOnce(
  context: SyncContext,
  lock: FileLock,
  view: MemoryView,
  wishes: SectionOptions,
): SectionResult | 'again' {
  const intention = intentionOf(context, view, wishes);
  switch (intention.kind) {
    case 'refused':
      return { view, outcome: 'refused-deletion', pending: true };
    case 'rows':
      return applyInTransaction(context, view, intention);
    case 'remove':
      return removeMemory(context, lock, view, intention);
    case 'create':
      return createMemory(context, view, intention);
    case 'write':
      return writeMemory(context, lock, view, intention);
  }
}

/** Nothing is written to the file; what was looked at outside is looked at again inside the transaction. */
function applyInTransaction(
  context: SyncContext,
  view: MemoryView,
  intention: Extract<Intention, { kind: 'rows' }>,
): SectionResult | 'again' {
  return immediately(context.store, () => {
    const again = viewMemory(context, view.name, view.path, view.sight, intention.viewOptions);
    if (again.action.kind !== intention.view.action.kind) return 'again';
    if (!applyToRows(context, again)) return 'again';
    intention.finish?.();
    const { action } = again;
    const pending = action.kind === 'wait' || ('rowChangesWait' in action && action.rowChangesWait);
    return { view: again, outcome: action.kind === 'none' ? 'nothing' : 'rows-only', pending };
  });
}

function writeMemory(
  context: SyncContext,
  lock: FileLock,
  view: MemoryView,
  { bytes, agreement, sight, keepOld, stillAllowed }: Extract<Intention, { kind: 'write' }>,
): SectionResult | 'again' {
  const absolute = join(context.paths.memory, view.path);
  const { db } = context.store;
  const pending = agreement.rowChangesWait;
  if (bytes === sight.bytes) {
    const { hash, signature, readAtMs } = sight;
    const file: AgreedFile = { path: view.path, bytes, hash, signature, readAtMs, readOnly: sight.readOnly };
    immediately(context.store, () => {
      keepOld();
      commitAgreement(db, agreement, file);
    });
    return { view, outcome: 'rows-only', pending };
  }
  const hash = contentHash(bytes);
  const replacement = prepareReplacement(absolute, bytes, { mode: sight.mode }, context.fs);
  let entry: number | null = null;
  try {
    entry = immediately(context.store, () => {
      if (!stillAllowed()) return null;
      keepOld();
      const payload = { step: 'agree', path: view.path, agreement, bytes: base64(bytes) } as const;
      return enterLedger(context, view.name, { old: sight.hash, new: hash }, payload);
    });
    if (entry === null || !lock.isOurs() || !stillHolds(absolute, sight.bytes)) {
      replacement.discard();
      if (entry !== null) leaveLedger(context, entry);
      return 'again';
    }
    replacement.over();
  } catch (error) {
    replacement.discard();
    if (entry !== null && stillHolds(absolute, sight.bytes)) leaveLedger(context, entry);
    throw error;
  }
  const file = {
    path: view.path,
    bytes,
    hash,
    signature: signatureAfterWrite(context, view.path),
    readAtMs: context.clock(),
    readOnly: false,
  };
  const noted = entry;
  immediately(context.store, () => {
    if (removeLedgerEntry(db, noted)) commitAgreement(db, agreement, file);
  });
  return { view, outcome: 'written', pending };
}

function createMemory(
  context: SyncContext,
  view: MemoryView,
  { bytes, agreement, keepOld }: Extract<Intention, { kind: 'create' }>,
): SectionResult | 'again' {
  const { db } = context.store;
  const hash = contentHash(bytes);
  const replacement = prepareReplacement(join(context.paths.memory, view.path), bytes, { mode: 0o600 }, context.fs);
  let entry = 0;
  try {
    entry = immediately(context.store, () => {
      keepOld();
      const payload = { step: 'agree', path: view.path, agreement, bytes: base64(bytes) } as const;
      return enterLedger(context, view.name, { old: null, new: hash }, payload);
    });
    if (!replacement.asNew()) {
      leaveLedger(context, entry);
      return 'again';
    }
  } catch (error) {
    replacement.discard();
    throw error;
  }
  const file = {
    path: view.path,
    bytes,
    hash,
    signature: signatureAfterWrite(context, view.path),
    readAtMs: context.clock(),
    readOnly: false,
  };
  immediately(context.store, () => {
    if (removeLedgerEntry(db, entry)) commitAgreement(db, agreement, file);
  });
  return { view, outcome: 'created', pending: false };
}

function removeMemory(
  context: SyncContext,
  lock: FileLock,
  view: MemoryView,
  { removal, bytes, hash }: Extract<Intention, { kind: 'remove' }>,
): SectionResult | 'again' {
  const { db } = context.store;
  const absolute = join(context.paths.memory, view.path);
  if (bytes === null) {
    immediately(context.store, () => commitRemoval(db, removal, null));
    return { view, outcome: 'deleted', pending: false };
  }
  const payload = { step: 'remove', path: view.path, removal, bytes: base64(bytes) } as const;
  const entry = immediately(context.store, () => enterLedger(context, view.name, { old: hash, new: null }, payload));
  if (!lock.isOurs() || !stillHolds(absolute, bytes)) {
    leaveLedger(context, entry);
    return 'again';
  }
  removeFile(absolute, context.fs);
  immediately(context.store, () => {
    if (removeLedgerEntry(db, entry)) commitRemoval(db, removal, bytes);
  });
  return { view, outcome: 'deleted', pending: false };
}

/** An editor takes no lock: what it saved since the stable read is caught here (MF-41). */
function stillHolds(absolute: string, bytes: Uint8Array): boolean {
  const read = stableRead(absolute);
  return read.kind === 'file' && Buffer.compare(read.bytes, bytes) === 0;
}

/**
 * Looks once more into the file that the rename replaced. Other bytes are an edit made in place in between: its text goes
 * to history, and what it changed is wanted on top of what was just written (MF-41).
 */
function savedMeanwhile(
  context: SyncContext,
  name: MemoryName,
  sight: FileSight,
  result: SectionResult,
): WantedChange | null {
  if (result.outcome !== 'written' || sight.kind !== 'read' || sight.handle === null) return null;
  const bytes = sight.handle.readAgain();
  if (Buffer.compare(bytes, sight.bytes) === 0) return null;
  const merged = mergeSavedMeanwhile(name, sight.parsed.record, bytes, context.clock());
  immediately(context.store, () =>
    addHistory(context.store.db, {
      name,
      atMs: context.clock(),
      origin: context.origin,
      reason: 'edited-while-written',
      record: merged?.record ?? null,
      bytes,
    }),
  );
  return merged?.wanted ?? null;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
