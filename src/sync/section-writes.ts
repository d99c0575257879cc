import { join } from 'node:path';
import type { FileLock } from '../files/lock.ts';
import { lookUp } from '../files/memory-directory.ts';
import { prepareReplacement, removeFile } from '../files/replace-file.ts';
import { stableRead } from '../files/stable-read.ts';
import { sameRecord } from '../memory/record.ts';
import { removeLedgerEntry } from '../store/ledger.ts';
import { immediately } from '../store/transaction.ts';
import { type ContentHash, contentHash } from '../text/content-hash.ts';
import { isAsPlanned } from './as-planned.ts';
import { type AgreedFile, type Agreement, commitAgreement, commitRemoval } from './commit.ts';
import type { SyncContext } from './context.ts';
import type { Intention } from './intention.ts';
import { enterLedger, leaveLedger, signatureAfterWrite } from './ledger-recovery.ts';
import type { MemoryView } from './memory-view.ts';

export interface SectionResult {
  readonly view: MemoryView;
  readonly outcome: 'nothing' | 'rows-only' | 'written' | 'created' | 'deleted' | 'refused-deletion';
  /** Changes that the file cannot take wait in the row. */
  readonly pending: boolean;
}

/** Steps 3 to 7 for a file that is there (SY-36). */
export function writeMemory(
  context: SyncContext,
  lock: FileLock,
  view: MemoryView,
  { bytes, agreement, sight, keepOld, stillAllowed }: Extract<Intention, { kind: 'write' }>,
): SectionResult | 'again' {
  const absolute = join(context.paths.memory, view.path);
  const { db } = context.store;
  // What else a quarantined row says waits whatever is written.
  const pending =
    view.row.side.state === 'bad' ? !sameRecord(agreement.agreed, agreement.target) : agreement.rowChangesWait;
  if (bytes === sight.bytes) {
    const { hash, signature, readAtMs } = sight;
    const file: AgreedFile = { path: view.path, bytes, hash, signature, readAtMs, readOnly: sight.readOnly };
    return immediately(context.store, () => {
      if (!isAsPlanned(context, view)) return 'again';
      keepOld();
      commitAgreement(db, agreement, file);
      return { view, outcome: 'rows-only', pending };
    });
  }
  const hash = contentHash(bytes);
  const replacement = prepareReplacement(absolute, bytes, { mode: sight.mode }, context.fs);
  let entry: number | null = null;
  try {
    entry = immediately(context.store, () => {
      if (!isAsPlanned(context, view) || !stillAllowed()) return null;
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
  commitWritten(context, entry, agreement, { bytes, hash });
  return { view, outcome: 'written', pending };
}

/** Steps 4 to 7 for a name that nothing has (MF-8). */
export function createMemory(
  context: SyncContext,
  view: MemoryView,
  { bytes, agreement, keepOld }: Extract<Intention, { kind: 'create' }>,
): SectionResult | 'again' {
  const hash = contentHash(bytes);
  const absolute = join(context.paths.memory, view.path);
  const replacement = prepareReplacement(absolute, bytes, { mode: 0o600 }, context.fs);
  let entry: number | null = null;
  try {
    entry = immediately(context.store, () => {
      if (!isAsPlanned(context, view)) return null;
      keepOld();
      const payload = { step: 'agree', path: view.path, agreement, bytes: base64(bytes) } as const;
      return enterLedger(context, view.name, { old: null, new: hash }, payload);
    });
    if (entry === null || !replacement.asNew()) {
      replacement.discard();
      if (entry !== null) leaveLedger(context, entry);
      return 'again';
    }
  } catch (error) {
    replacement.discard();
    if (entry !== null && lookUp(absolute) === 'absent') leaveLedger(context, entry);
    throw error;
  }
  commitWritten(context, entry, agreement, { bytes, hash });
  return { view, outcome: 'created', pending: false };
}

/** Archives, then unlinks (SY-33). Without a file only rows go. */
export function removeMemory(
  context: SyncContext,
  lock: FileLock,
  view: MemoryView,
  { removal, bytes, hash, check }: Extract<Intention, { kind: 'remove' }>,
): SectionResult | 'again' {
  const { db } = context.store;
  const absolute = join(context.paths.memory, view.path);
  if (bytes === null) {
    return immediately(context.store, () => {
      if (!isAsPlanned(context, view)) return 'again';
      check();
      commitRemoval(db, removal, null);
      return { view, outcome: 'deleted', pending: false };
    });
  }
  const payload = { step: 'remove', path: view.path, removal, bytes: base64(bytes) } as const;
  const entry = immediately(context.store, () => {
    if (!isAsPlanned(context, view)) return null;
    check();
    return enterLedger(context, view.name, { old: hash, new: null }, payload);
  });
  if (entry === null) return 'again';
  if (!lock.isOurs() || !stillHolds(absolute, bytes)) {
    leaveLedger(context, entry);
    return 'again';
  }
  try {
    removeFile(absolute, context.fs);
  } catch (error) {
    if (stillHolds(absolute, bytes)) leaveLedger(context, entry);
    throw error;
  }
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

/** Step 7: what was written is agreed on, once. */
function commitWritten(
  context: SyncContext,
  entry: number,
  agreement: Agreement,
  written: { readonly bytes: Uint8Array; readonly hash: ContentHash },
): void {
  const { path } = agreement;
  const signature = signatureAfterWrite(context, path);
  const file: AgreedFile = { path, ...written, signature, readAtMs: context.clock(), readOnly: false };
  const { db } = context.store;
  immediately(context.store, () => {
    if (removeLedgerEntry(db, entry)) commitAgreement(db, agreement, file);
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
