import { EngramError } from '../errors.ts';
import { exactKey } from '../memory/exact-key.ts';
import { COUNTER_KEYS, differingKeys, type MemoryRecord, sameRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { markRestored } from '../store/archive.ts';
import { backUp } from '../store/backup.ts';
import { findBase, listSignatures } from '../store/bases.ts';
import { clearChanges, deleteChangesAfter, lastChangeSeq, listChanges, logRowChange } from '../store/changes.ts';
import { clearMemories } from '../store/clear.ts';
import { integrityProblems } from '../store/health.ts';
import { addHistory } from '../store/history.ts';
import { listHolds, releaseHold } from '../store/holds.ts';
import { updateIndexes } from '../store/indexes.ts';
import { listMemoryRows, listNames, type MemoryRow, rowRecord, writeRow } from '../store/memories.ts';
import { recreateMissingObjects } from '../store/missing-objects.ts';
import { openStore, type Store } from '../store/open.ts';
import { eventSums, settleEvents } from '../store/outcomes.ts';
import { releaseAllRows } from '../store/quarantine.ts';
import { refuseReadOnly } from '../store/read-only.ts';
import { setRecordKey } from '../store/record-keys.ts';
import { copyOnlyHere, countOnlyHere, type OnlyHere, setAside } from '../store/set-aside.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import { effectiveRowRecord } from './merge.ts';
import type { SyncReport } from './report.ts';
import { syncAll } from './sync.ts';

/** What a rebuild made and what was lost. */
export interface RebuildReport {
  /** `refilled`: the derived tables of a readable database; `made-anew`: a new database in place of a damaged one. */
  readonly kind: 'refilled' | 'made-anew';
  /** Where the database as it was is now: a copy, or the damaged file itself. */
  readonly backup: string;
  /** Triggers, views, indexes and full-text tables that a shell had dropped, made anew in place. */
  readonly remade: readonly string[];
  readonly memories: number;
  /** Memories whose row said more than their file could take: that is in history now. */
  readonly keptInHistory: readonly MemoryName[];
  /** What was moved over from a database that is whole but lacks a table. */
  readonly salvaged: readonly OnlyHere[];
  /** What only the damaged database held, and the new one does not; empty for a readable one. */
  readonly lost: readonly OnlyHere[];
  readonly sync: SyncReport;
}

/**
 * Builds what the database derives from the files anew (SY-63). A damaged database is moved to `backups/` with its `-wal`
 * and `-shm`, and a new one is made from the files (D1). From a readable one, what rows hold beyond their base is exported
 * first; then rows and indexes are refilled in one transaction, the only one that ever clears them (SY-34).
 *
 * @param contextOf - wires a store that this function opens and closes
 * @throws EngramError `data-root.read-only`, `database.newer`, `database.busy`
 */
export async function rebuildStore(root: string, contextOf: (store: Store) => SyncContext): Promise<RebuildReport> {
  const readable = await openReadable(root);
  if (readable !== null) {
    using store = readable.store;
    // While a trigger was missing nobody logged what a shell changed: every row may be an edit.
    if (readable.remade.length > 0) logEveryRow(contextOf(store));
    return { ...refill(contextOf(store)), remade: readable.remade };
  }
  const backup = setAside(root);
  const lost = countOnlyHere(backup);
  using store = await openStore(root);
  const context = contextOf(store);
  const sync = syncAll(context);
  const salvaged = salvage(context, backup);
  return {
    kind: 'made-anew',
    backup,
    memories: listSignatures(store.db).length,
    keptInHistory: [],
    lost: lost.filter(({ table }) => !salvaged.some((moved) => moved.table === table)),
    sync,
    remade: [],
    salvaged,
  };
}

interface Readable {
  readonly store: Store;
  /** Triggers, views and indexes that were missing. */
  readonly remade: readonly string[];
}

/** Null when the database is damaged. */
async function openReadable(root: string): Promise<Readable | null> {
  let store = await openUndamaged(root);
  const remade = store === null ? await remakeObjects(root) : [];
  if (remade.length > 0) store = await openUndamaged(root);
  if (store === null) return null;
  refuseReadOnly(store);
  if (integrityProblems(store.db).length === 0) return { store, remade };
  store.close();
  return null;
}

async function openUndamaged(root: string): Promise<Store | null> {
  try {
    return await openStore(root);
  } catch (error) {
    if (error instanceof EngramError && error.code === 'database.damaged') return null;
    throw error;
  }
}

/** A file that is no database at all cannot even be opened. */
async function remakeObjects(root: string): Promise<readonly string[]> {
  try {
    return await recreateMissingObjects(root);
  } catch {
    return [];
  }
}

/** The counters are those of the files, whatever the events from before add up to. */
function salvage({ store, clock }: SyncContext, backup: string): readonly OnlyHere[] {
  const { db } = store;
  return immediately(store, () => {
    const salvaged = copyOnlyHere(backup, db);
    for (const [, , , , , , name] of listSignatures(db)) {
      settleEvents(db, name, findBase(db, name)?.record ?? null, 'adjust', clock());
      markRestored(db, name, clock());
    }
    return salvaged;
  });
}

function logEveryRow({ store, clock }: SyncContext): void {
  const at = new Date(clock()).toISOString();
  immediately(store, () => {
    const logged = new Set(listChanges(store.db).map((change) => change.name));
    for (const name of listNames(store.db)) if (!logged.has(name)) logRowChange(store.db, name, at);
  });
}

function refill(context: SyncContext): Omit<RebuildReport, 'remade'> {
  const { store, paths } = context;
  const backup = backUp(store.db, paths.root, 'before-rebuild');
  const sync = syncAll(context);
  const keptInHistory = immediately(store, () => {
    const rows = new Map(listMemoryRows(store.db).map((row) => [row.name as MemoryName, row]));
    const kept = keepInHistory(context, [...rows.values()]);
    clearMemories(store.db);
    clearChanges(store.db);
    releaseAllRows(store.db);
    for (const [, , , , , , name] of listSignatures(store.db)) refillRow(context, name, rows.get(name) ?? null);
    // A memory whose row is back is not gone; who wants it gone says so again.
    for (const hold of listHolds(store.db)) if (hold.side === 'row') releaseHold(store.db, hold.name as MemoryName);
    updateIndexes(store);
    return kept;
  });
  return {
    kind: 'refilled',
    backup,
    memories: listSignatures(store.db).length,
    keptInHistory,
    lost: [],
    sync,
    salvaged: [],
  };
}

/** Sync has exported what a file could take; the rest has no other place. */
function keepInHistory(context: SyncContext, rows: readonly MemoryRow[]): MemoryName[] {
  const { db } = context.store;
  const { origin } = context;
  return rows.flatMap((row) => {
    const name = row.name as MemoryName;
    const base = findBase(db, name)?.record ?? null;
    const record = effectiveRowRecord(rowRecord(row), base, directoryOf(name), null);
    if (base !== null && !saysMore(record, counted(context, name, base))) return [];
    addHistory(db, { name, atMs: context.clock(), origin, reason: 'rebuild', record, bytes: null });
    return [name];
  });
}

function saysMore(record: MemoryRecord, known: MemoryRecord): boolean {
  return differingKeys(record, known).some((key) => key !== 'updated_at' && key !== 'created_at');
}

/** Counts that went to the row alone are in its events, and wait for the file again (SY-40). */
function counted({ store }: SyncContext, name: MemoryName, base: MemoryRecord): MemoryRecord {
  const sums = eventSums(store.db, name);
  return COUNTER_KEYS.every((key) => sums[key] >= 0) ? { ...base, ...sums } : base;
}

function refillRow(context: SyncContext, name: MemoryName, before: MemoryRow | null): void {
  const { db } = context.store;
  const base = findBase(db, name);
  if (base === null) return;
  const record = counted(context, name, base.record);
  const seq = lastChangeSeq(db);
  writeRow(db, name, record, {
    textUpdatedAt: before?.text_updated_at ?? base.record.created_at,
    lastSurfacedAt: before?.last_surfaced_at ?? null,
  });
  setRecordKey(db, name, exactKey(base.record));
  if (sameRecord(record, base.record)) deleteChangesAfter(db, seq);
}
