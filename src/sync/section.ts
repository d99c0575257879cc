import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { acquireLock, type FileLock } from '../files/lock.ts';
import { ensureMemoryDirectories } from '../files/memory-directory.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { addHistory } from '../store/history.ts';
import { immediately } from '../store/transaction.ts';
import { defaultPath, type MemoryPath, type SyncContext } from './context.ts';
import { type FileSight, readFileSight } from './file-sight.ts';
import type { Intention, WishedRemoval } from './intention.ts';
import { settleLedgerOf } from './ledger-recovery.ts';
import { type MemoryView, type ViewOptions, viewMemory } from './memory-view.ts';
import { mergeSavedMeanwhile, type WantedChange } from './own-change.ts';
import { applyToRows } from './rows-only.ts';
import { intentionOf } from './section-plan.ts';
import { createMemory, removeMemory, type SectionResult, writeMemory } from './section-writes.ts';
import { hasUnverifiedBases } from './verification.ts';

export type { SectionResult } from './section-writes.ts';

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
    { wait: options.wait ?? context.waits ?? true, now: context.clock },
    context.fs,
  );
  settleLedgerOf(context, name);
  const distrustBase = hasUnverifiedBases(context.store);
  let wishes = options;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const base = findBase(context.store.db, name);
    const sight = readFileSight(context, name, path, base, { keepOpen: true });
    try {
      const seen = { distrustBase, forget: wishes.removal !== undefined };
      const view = viewMemory(context, name, path, sight, seen);
      // Somebody imported a newer version of the file since it was read.
      if (view.base?.bytesHash !== base?.bytesHash) continue;
      const result = attemptOnce(context, lock, view, seen, wishes);
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

function attemptOnce(
  context: SyncContext,
  lock: FileLock,
  view: MemoryView,
  seen: ViewOptions,
  wishes: SectionOptions,
): SectionResult | 'again' {
  const intention = intentionOf(context, view, wishes);
  switch (intention.kind) {
    case 'refused':
      return { view, outcome: 'refused-deletion', pending: true };
    case 'rows':
      return applyInTransaction(context, view, seen, intention);
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
  seen: ViewOptions,
  intention: Extract<Intention, { kind: 'rows' }>,
): SectionResult | 'again' {
  return immediately(context.store, () => {
    const again = viewMemory(context, view.name, view.path, view.sight, { ...seen, ...intention.viewOptions });
    if (again.base?.bytesHash !== view.base?.bytesHash) return 'again';
    if (!applyToRows(context, again)) return 'again';
    intention.finish?.();
    const { action } = again;
    // A count of engram's own went to the row alone (SY-40).
    const counted = intention.finish !== undefined;
    const pending = counted || action.kind === 'wait' || ('rowChangesWait' in action && action.rowChangesWait);
    return { view: again, outcome: action.kind === 'none' ? 'nothing' : 'rows-only', pending };
  });
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
