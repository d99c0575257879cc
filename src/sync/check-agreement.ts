import { join } from 'node:path';
import { stableRead } from '../files/stable-read.ts';
import { sameRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type Base, findBase, listSignatures } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { listHolds } from '../store/holds.ts';
import { findRow, listNamesOnOneSide, rowRecord } from '../store/memories.ts';
import { listQuarantined } from '../store/quarantine.ts';
import { contentHash } from '../text/content-hash.ts';
import type { SyncContext } from './context.ts';
import type { CheckFinding } from './finding.ts';
import { effectiveRowRecord } from './merge.ts';
import { scanFiles } from './scan.ts';

/** Compares each file, row and base by content, whatever stat signatures and the change log say. */
export function checkAgreement(context: SyncContext): CheckFinding[] {
  const { db } = context.store;
  const known = {
    logged: new Set(listChanges(db).flatMap(({ name, old_name }) => (old_name === null ? [name] : [name, old_name]))),
    held: new Set(listHolds(db).map((hold) => hold.name)),
    quarantined: new Set(listQuarantined(db).map((row) => row.name)),
  };
  const based = listSignatures(db).map((tuple) => tuple[6]);
  const isBased = new Set<MemoryName>(based);
  return [
    ...checkQuarantine(context),
    ...based.flatMap((name) => checkMemory(context, name, known)),
    ...checkWithoutBase(context, isBased, known.quarantined),
  ];
}

interface Known {
  /** Names with a logged change: the next sync looks at them anyway. */
  readonly logged: ReadonlySet<string>;
  readonly held: ReadonlySet<string>;
  readonly quarantined: ReadonlySet<string>;
}

function checkQuarantine({ store }: SyncContext): CheckFinding[] {
  return listQuarantined(store.db).map(({ side, path, line, col, reason, message }) => ({
    kind: 'quarantined',
    subject: line === null ? path : `${path}:${line}${col === null ? '' : `:${col}`}`,
    message: `${side} ${reason}: ${message}`,
    remedy: 'person',
  }));
}

function checkMemory(context: SyncContext, name: MemoryName, known: Known): CheckFinding[] {
  const base = findBase(context.store.db, name);
  if (base === null) return [];
  const found = [...checkBase(base), ...checkRow(context, base, known)];
  return known.quarantined.has(name) || known.held.has(name) ? found : [...checkFile(context, base), ...found];
}

function checkBase({ name, bytes, bytesHash }: Base): CheckFinding[] {
  if (contentHash(bytes) === bytesHash) return [];
  const message = 'the bytes of the last agreement are not those that were stored';
  return [{ kind: 'base', subject: name, message, remedy: 'rebuild' }];
}

function checkFile(context: SyncContext, { name, path, bytesHash }: Base): CheckFinding[] {
  const read = stableRead(join(context.paths.memory, path));
  if (read.kind === 'file' && contentHash(read.bytes) === bytesHash) return [];
  return [notSynced(name, read.kind === 'absent' ? `its file ${path} is gone` : `its file ${path} changed`)];
}

function checkRow(context: SyncContext, base: Base, { logged }: Known): CheckFinding[] {
  const { name } = base;
  const row = findRow(context.store.db, name);
  if (logged.has(name)) return [notSynced(name, 'its row changed')];
  if (row === null) {
    const message = 'its row is gone, and no DELETE was logged';
    return [{ kind: 'row-lost', subject: name, message, remedy: 'repair' }];
  }
  const said = effectiveRowRecord(rowRecord(row), base.record, directoryOf(name), null);
  if (sameRecord(said, base.record) && row.extra === base.record.extra) return [];
  const message = `its row differs from the last agreement, and no change was logged`;
  return [{ kind: 'row-unlogged', subject: name, message, remedy: 'repair' }];
}

/** Files and rows that sync has not seen yet. */
function checkWithoutBase(
  context: SyncContext,
  based: ReadonlySet<MemoryName>,
  quarantined: ReadonlySet<string>,
): CheckFinding[] {
  const files = scanFiles(context)
    .candidates.filter(({ name, hasBase }) => !hasBase && !quarantined.has(name))
    .map(({ name, path }) => notSynced(name, `its file ${path} is new`));
  const rows = listNamesOnOneSide(context.store.db)
    .filter((name) => !based.has(name) && !quarantined.has(name))
    .map((name) => notSynced(name, 'its row is new'));
  return [...files, ...rows];
}

function notSynced(name: string, what: string): CheckFinding {
  return { kind: 'not-synced', subject: name, message: `${what} since the last sync`, remedy: 'sync' };
}
