import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { acquireLock } from '../files/lock.ts';
import { lookUp } from '../files/memory-directory.ts';
import { removeFile } from '../files/replace-file.ts';
import { stableRead } from '../files/stable-read.ts';
import { readMemory } from '../memory/read-toml.ts';
import { COUNTER_KEYS, type MemoryRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type Base, findBase } from '../store/bases.ts';
import { addLedgerEntry, type LedgerEntry, ledgerOf, listLedger, removeLedgerEntry } from '../store/ledger.ts';
import { immediately } from '../store/transaction.ts';
import { type ContentHash, contentHash } from '../text/content-hash.ts';
import {
  type AgreedFile,
  type Agreement,
  commitAgreement,
  commitRemoval,
  type Removal,
  UNKNOWN_SIGNATURE,
} from './commit.ts';
import { defaultPath, type MemoryPath, type SyncContext } from './context.ts';
import { commitRename, type RenameCommit } from './rename-commit.ts';

/** What a file write under way will mean once it is done; kept in the ledger over a crash (SY-36 step 5). */
export type LedgerPayload =
  | { readonly step: 'agree'; readonly path: MemoryPath; readonly agreement: Agreement; readonly bytes: string }
  | { readonly step: 'remove'; readonly path: MemoryPath; readonly removal: Removal; readonly bytes: string }
  | { readonly step: 'rename'; readonly path: MemoryPath; readonly rename: RenameCommit; readonly bytes: string }
  /** The old name of a memory that was renamed: only the file is left to go (SY-37). */
  | { readonly step: 'unlink'; readonly path: MemoryPath };

const OPS = { agree: 'write', remove: 'delete', rename: 'rename', unlink: 'delete' } as const;

/** Notes a write before its rename. Runs inside the transaction of step 5; returns the entry's id. */
export function enterLedger(
  context: SyncContext,
  name: MemoryName,
  hashes: { readonly old: ContentHash | null; readonly new: ContentHash | null },
  payload: LedgerPayload,
): number {
  return addLedgerEntry(context.store.db, {
    name,
    other_name: payload.step === 'rename' ? payload.rename.from : null,
    op: payload.step === 'agree' && hashes.old === null ? 'create' : OPS[payload.step],
    old_hash: hashes.old,
    new_hash: hashes.new,
    payload: JSON.stringify(payload),
    owner: context.owner,
    at_ms: context.clock(),
  });
}

/** Takes a noted write back: it did not happen. */
export function leaveLedger(context: SyncContext, id: number): void {
  immediately(context.store, () => removeLedgerEntry(context.store.db, id));
}

/** Settles what dead processes left behind. Entries whose file is locked have a living owner and are left alone. */
export function settleLedger(context: SyncContext): void {
  for (const name of new Set(listLedger(context.store.db).map((entry) => entry.name as MemoryName))) {
    const [entry] = ledgerOf(context.store.db, name);
    if (entry === undefined) continue;
    try {
      using _lock = acquireLock(
        absolute(context, payloadOf(entry).path),
        { wait: false, now: context.clock },
        context.fs,
      );
      settleLedgerOf(context, name);
    } catch (error) {
      if (!(error instanceof EngramError) || error.code !== 'lock.timeout') throw error;
    }
  }
}

/**
 * Settles the entries of a memory whose lock the caller holds: whoever wrote them is dead (SY-38). The new bytes on disk:
 * the write happened, its payload is stored once. The old ones: it did not, the entry is dropped.
 */
export function settleLedgerOf(context: SyncContext, name: MemoryName): void {
  for (const entry of ledgerOf(context.store.db, name)) {
    if (entry.name === name) settleEntry(context, entry);
  }
}

function settleEntry(context: SyncContext, entry: LedgerEntry): void {
  const { db } = context.store;
  const payload = payloadOf(entry);
  const found = fileNow(context, payload.path);
  if (payload.step === 'unlink') {
    if (found.hash === entry.old_hash) removeFile(absolute(context, payload.path), context.fs);
    leaveLedger(context, entry.id);
    return;
  }
  immediately(context.store, () => {
    if (!removeLedgerEntry(db, entry.id)) return;
    if (payload.step === 'remove') {
      if (found.hash === null) commitRemoval(db, payload.removal, Buffer.from(payload.bytes, 'base64'));
      return;
    }
    const written = writtenFile(entry, payload, found, findBase(db, entry.name as MemoryName), context.clock());
    if (written === null) return;
    if (payload.step === 'agree') commitAgreement(db, payload.agreement, written);
    else {
      commitRename(db, payload.rename, written);
      enterLedger(
        context,
        payload.rename.from,
        { old: entry.old_hash as ContentHash | null, new: null },
        {
          step: 'unlink',
          path: payload.rename.fromPath,
        },
      );
    }
  });
}

interface FileNow {
  readonly hash: ContentHash | null;
  readonly bytes: Uint8Array | null;
  readonly signature: AgreedFile['signature'] | null;
}

function fileNow(context: SyncContext, path: MemoryPath): FileNow {
  const read = stableRead(absolute(context, path));
  if (read.kind !== 'file') return { hash: null, bytes: null, signature: null };
  return { hash: contentHash(read.bytes), bytes: read.bytes, signature: read.signature };
}

/** The file as this write left it, or null when it did not happen. */
function writtenFile(
  entry: LedgerEntry,
  payload: Extract<LedgerPayload, { step: 'agree' | 'rename' }>,
  found: FileNow,
  before: Base | null,
  readAtMs: number,
): AgreedFile | null {
  const bytes = Buffer.from(payload.bytes, 'base64');
  const hash = entry.new_hash as ContentHash;
  const readOnly = false;
  if (found.hash === entry.new_hash && found.signature !== null) {
    return { path: payload.path, bytes, hash, signature: found.signature, readAtMs, readOnly };
  }
  // Edited after the rename: the counters tell whether our write is in it (SY-38). A write that counted nothing can be
  // dropped in any case: what of it is in the file is found there.
  if (found.bytes === null || found.hash === entry.old_hash || payload.step !== 'agree') return null;
  const { name, agreed } = payload.agreement;
  const read = readMemory(found.bytes, directoryOf(name));
  if (read.kind !== 'ok' || (before !== null && sameCounters(before.record, agreed))) return null;
  return sameCounters(read.memory.record, agreed)
    ? { path: payload.path, bytes, hash, signature: UNKNOWN_SIGNATURE, readAtMs, readOnly }
    : null;
}

function sameCounters(a: MemoryRecord, b: MemoryRecord): boolean {
  return COUNTER_KEYS.every((key) => a[key] === b[key]);
}

function payloadOf(entry: LedgerEntry): LedgerPayload {
  // Written by enterLedger in this same table; a damaged one fails at its first use.
  const payload = JSON.parse(entry.payload) as LedgerPayload;
  return payload.path === undefined ? { step: 'unlink', path: defaultPath(entry.name as MemoryName) } : payload;
}

function absolute(context: SyncContext, path: MemoryPath): string {
  return join(context.paths.memory, path);
}

/** The signature of a file that engram has just written. */
export function signatureAfterWrite(context: SyncContext, path: MemoryPath): AgreedFile['signature'] {
  const found = lookUp(absolute(context, path));
  return typeof found === 'string' ? UNKNOWN_SIGNATURE : found;
}
