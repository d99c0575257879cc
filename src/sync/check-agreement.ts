import { join } from 'node:path';
import { stableRead } from '../files/stable-read.ts';
import { sameRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type Base, findBase, listSignatures } from '../store/bases.ts';
import { listChanges } from '../store/changes.ts';
import { listHolds } from '../store/holds.ts';
import { findRow, listNamesOnOneSide, rowRecord } from '../store/memories.ts';
import { findQuarantined, listQuarantined, listQuarantinedRows } from '../store/quarantine.ts';
import { contentHash } from '../text/content-hash.ts';
import { redact } from '../text/secrets.ts';
import { findBadRow, inSqlite } from './bad-row.ts';
import type { SyncContext } from './context.ts';
import { NAME_IS_SECRET } from './file-sight.ts';
import type { CheckFinding } from './finding.ts';
import { effectiveRowRecord } from './merge.ts';
import { scanFiles } from './scan.ts';
import { listWaitingChanges, type WaitingChange } from './waiting-changes.ts';

/** Compares each file, row and base by content, whatever stat signatures and the change log say. */
export function checkAgreement(context: SyncContext): CheckFinding[] {
  const { db } = context.store;
  const known = {
    logged: new Set(listChanges(db).flatMap(({ name, old_name }) => (old_name === null ? [name] : [name, old_name]))),
    waiting: new Map(listWaitingChanges(context).map((change) => [change.name, change])),
    held: new Set(listHolds(db).map((hold) => hold.name)),
    quarantined: new Set([...listQuarantined(db).map((row) => row.name), ...listQuarantinedRows(db)]),
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
  /** Of these, changes that no sync can write. */
  readonly waiting: ReadonlyMap<string, WaitingChange>;
  readonly held: ReadonlySet<string>;
  readonly quarantined: ReadonlySet<string>;
}

/** Files and rows that cannot be used, each with its way out. */
export function checkQuarantine(context: SyncContext): CheckFinding[] {
  // Name clashes are a kind of their own.
  const listed = listQuarantined(context.store.db).filter(
    ({ side, reason }) => side === 'file' && reason !== 'name-clash',
  );
  const files = listed.map(
    ({ path, line, col, reason, message }): CheckFinding => ({
      kind: 'quarantined',
      subject: line === null ? path : `${path}:${line}${col === null ? '' : `:${col}`}`,
      message: [`file ${reason}: ${message}`, ...wayOutOfFile(reason, message)].join('; '),
      remedy: 'person',
    }),
  );
  return [...files, ...badRows(context)].sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

function badRows({ store }: SyncContext): CheckFinding[] {
  return listQuarantinedRows(store.db).flatMap((name): CheckFinding[] => {
    const bad = findBadRow(store.db, name as MemoryName);
    if (bad === null || bad.reason === 'name-clash') return [];
    const or = bad.remove === null ? '' : ` (or ${bad.remove})`;
    const message = `row ${bad.reason}: ${bad.message}; run: ${inSqlite(bad.update)}${or}`;
    return [{ kind: 'quarantined', subject: redact(name), message, remedy: 'person' }];
  });
}

function wayOutOfFile(reason: string, message: string): string[] {
  if (message === NAME_IS_SECRET) return [];
  if (reason === 'name') return ['rename the file'];
  if (reason === 'conflict-copy') return ['take from it what you need, then remove it'];
  return [reason === 'not-regular' ? 'move it away' : 'repair the file'];
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

function checkRow(context: SyncContext, base: Base, { logged, waiting, quarantined }: Known): CheckFinding[] {
  const { name } = base;
  const row = findRow(context.store.db, name);
  const change = waiting.get(name);
  if (change !== undefined) {
    return [{ kind: 'not-synced', subject: name, message: whyItWaits(context, change), remedy: 'person' }];
  }
  if (quarantined.has(name) && findQuarantined(context.store.db, 'row', name) !== null) return [];
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

function whyItWaits({ paths }: SyncContext, { path, keys, reason }: WaitingChange): string {
  const what = `its row has another ${keys.join(', ')}, which ${path} cannot take`;
  if (reason === 'unusable-value') return `${what}: repair the value there`;
  if (reason === 'layout') return `${what}: it cannot be edited in place; change it in an editor`;
  const read = stableRead(join(paths.memory, path));
  return read.kind === 'file' && read.linked
    ? `${what}: it is a link; edit what it points to`
    : `${what}: it is for a newer engram; update engram`;
}

/** Files and rows that sync has not seen yet. */
function checkWithoutBase(
  context: SyncContext,
  based: ReadonlySet<MemoryName>,
  quarantined: ReadonlySet<string>,
): CheckFinding[] {
  const files = scanFiles(context)
    // In the quarantine a name with a secret stands without it.
    .candidates.filter(({ name, hasBase }) => !hasBase && !quarantined.has(redact(name)))
    .map(({ name, path }) => notSynced(redact(name), `its file ${redact(path)} is new`));
  const rows = listNamesOnOneSide(context.store.db)
    .filter((name) => !based.has(name) && !quarantined.has(name))
    .map((name) => notSynced(name, 'its row is new'));
  return [...files, ...rows];
}

function notSynced(name: string, what: string): CheckFinding {
  return { kind: 'not-synced', subject: name, message: `${what} since the last sync`, remedy: 'sync' };
}
