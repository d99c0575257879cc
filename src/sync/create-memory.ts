import { join } from 'node:path';
import { acquireLock } from '../files/lock.ts';
import { directoryIdentity, ensureMemoryDirectories, lookUp } from '../files/memory-directory.ts';
import { prepareReplacement } from '../files/replace-file.ts';
import { exactKey } from '../memory/exact-key.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { renderMemory } from '../memory/render-toml.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { findBase, hasBaseIn, hasFoldEqualPath } from '../store/bases.ts';
import { removeLedgerEntry } from '../store/ledger.ts';
import { findRow } from '../store/memories.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import { dropRecordKey, findByRecordKey, setRecordKey } from '../store/record-keys.ts';
import { immediately } from '../store/transaction.ts';
import { contentHash } from '../text/content-hash.ts';
import { type Agreement, commitAgreement, type LearnedWith } from './commit.ts';
import { defaultPath, type SyncContext } from './context.ts';
import { enterLedger, settleLedgerOf, signatureAfterWrite } from './ledger-recovery.ts';

export type Creation =
  | { readonly kind: 'created' }
  /** Something has this name: the next suffix is to be tried (MF-8). */
  | { readonly kind: 'taken' }
  /** A live memory has the same exact key (SE-53); nothing was written. */
  | { readonly kind: 'duplicate'; readonly of: MemoryName }
  /** `stillNew` said no; nothing was written. */
  | { readonly kind: 'overtaken' };

export interface CreateOptions {
  readonly learned?: (name: MemoryName) => LearnedWith;
  /** Asked inside the transaction that reserves the key: whether what the memory was compared with is all there is (AG-47). */
  readonly stillNew?: () => boolean;
}

/**
 * Creates the file and the row of a new memory, exclusively (MF-8). The exact key is reserved before the file appears, so
 * that of several processes that learn the same only one creates it.
 *
 * @throws EngramError `lock.timeout`, `disk.full`, `file.write`, `database.busy`
 */
export function createMemory(
  context: SyncContext,
  name: MemoryName,
  record: MemoryRecord,
  { learned, stillNew = () => true }: CreateOptions = {},
): Creation {
  const { db } = context.store;
  const path = defaultPath(name);
  const absolute = join(context.paths.memory, path);
  ensureMemoryDirectories(context.paths.root, context.fs);
  using _lock = acquireLock(absolute, { wait: context.waits ?? true, now: context.clock }, context.fs);
  settleLedgerOf(context, name);
  if (isTaken(context, name, path, absolute)) return { kind: 'taken' };
  const bytes = renderMemory(record);
  const hash = contentHash(bytes);
  const agreement = {
    ...agreementOnNew(context, name, path, record),
    ...(learned === undefined ? {} : { learned: learned(name) }),
  };
  const replacement = prepareReplacement(absolute, bytes, { mode: 0o600 }, context.fs);
  let entry: number | null = null;
  try {
    const reserved = immediately(context.store, () => {
      const of = findByRecordKey(db, exactKey(record));
      if (of !== null && of !== name) return of;
      if (!stillNew()) return null;
      setRecordKey(db, name, exactKey(record));
      const payload = { step: 'agree', path, agreement, bytes: Buffer.from(bytes).toString('base64') } as const;
      return enterLedger(context, name, { old: null, new: hash }, payload);
    });
    if (typeof reserved !== 'number') {
      replacement.discard();
      return reserved === null ? { kind: 'overtaken' } : { kind: 'duplicate', of: reserved };
    }
    entry = reserved;
    if (!replacement.asNew()) {
      takeBack(context, name, entry);
      return { kind: 'taken' };
    }
  } catch (error) {
    replacement.discard();
    if (entry !== null && lookUp(absolute) === 'absent') takeBack(context, name, entry);
    throw error;
  }
  const signature = signatureAfterWrite(context, path);
  const file = { path, bytes, hash, signature, readAtMs: context.clock(), readOnly: false };
  const written = entry;
  immediately(context.store, () => {
    recordFirstDirectory(context, name);
    if (removeLedgerEntry(db, written)) commitAgreement(db, agreement, file);
  });
  return { kind: 'created' };
}

function isTaken(context: SyncContext, name: MemoryName, path: string, absolute: string): boolean {
  const { db } = context.store;
  return (
    findBase(db, name) !== null ||
    findRow(db, name) !== null ||
    lookUp(absolute) !== 'absent' ||
    hasFoldEqualPath(db, path)
  );
}

/** Nothing can be missing in a directory that had nothing: its identity counts from the first memory on (SY-28). */
function recordFirstDirectory({ store, paths }: SyncContext, name: MemoryName): void {
  const directory = directoryOf(name);
  const key = `directory:${directory}` as const;
  if (getMeta(store.db, key) !== null || hasBaseIn(store.db, directory)) return;
  const identity = directoryIdentity(paths[directory]);
  if (identity !== null) setMeta(store.db, key, identity);
}

function takeBack(context: SyncContext, name: MemoryName, entry: number): void {
  immediately(context.store, () => {
    removeLedgerEntry(context.store.db, entry);
    dropRecordKey(context.store.db, name);
  });
}

function agreementOnNew(context: SyncContext, name: MemoryName, path: string, record: MemoryRecord): Agreement {
  return {
    kind: 'agreement',
    name,
    path,
    agreed: record,
    target: record,
    plannedRow: null,
    clashes: [],
    clashReason: '',
    counterChanges: [],
    events: [],
    seqs: [],
    rowChangesWait: false,
    endsArchive: false,
    atMs: context.clock(),
    readOnly: false,
  };
}
