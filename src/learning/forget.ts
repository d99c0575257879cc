import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { acquireLock } from '../files/lock.ts';
import { ensureMemoryDirectories } from '../files/memory-directory.ts';
import { prepareReplacement } from '../files/replace-file.ts';
import { readMemory } from '../memory/read-toml.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { renderMemory } from '../memory/render-toml.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { findArchived } from '../store/archive.ts';
import { findBase, hasFoldEqualPath } from '../store/bases.ts';
import { findRow } from '../store/memories.ts';
import { refuseBadRow } from '../sync/bad-row.ts';
import { defaultPath, type SyncContext } from '../sync/context.ts';
import type { WishedRemoval } from '../sync/intention.ts';
import { inSection } from '../sync/section.ts';
import { requireWritableRoot } from './writable-root.ts';

/**
 * Archives a memory because a person wants it gone: record and bytes are stored, then the file goes (SY-33). What was
 * just edited on either side is taken in first, so the tombstone has it (SY-49).
 *
 * @throws EngramError `memory.quarantined` when its file cannot be read, or its row has no file and cannot be used
 */
export function removeMemory(context: SyncContext, name: MemoryName, removal: WishedRemoval): void {
  requireWritableRoot(context);
  inSection(context, name, {});
  refuseBadRow(context.store.db, name);
  const result = inSection(context, name, { removal });
  if (result.outcome === 'deleted') return;
  throw new EngramError('write.contended', `${name}: it was edited while it was being archived; the edit stays`, {
    hint: `Look at it with: engram show ${name}, then try again.`,
  });
}

/** Archives `name`; `engram restore` brings it back byte for byte. */
export function forget(context: SyncContext, name: MemoryName): void {
  removeMemory(context, name, { origin: 'forget', goneTo: null });
}

/**
 * Brings an archived memory back with the bytes it had, exclusively (SY-33).
 *
 * @throws EngramError `memory.not-found` without a tombstone, `memory.exists` when something has the name now,
 * `memory.invalid` when it holds a secret
 */
export function restore(context: SyncContext, name: MemoryName): MemoryRecord {
  requireWritableRoot(context);
  const archived = findArchived(context.store.db, name);
  if (archived === null) {
    throw new EngramError('memory.not-found', `${name} is not in the archive`, {
      hint: 'See what is: engram list --archived',
    });
  }
  if (archived.origin === 'renamed' && archived.goneTo !== null) {
    throw new EngramError('memory.exists', `${name} was renamed and is live as ${archived.goneTo}`, {
      hint: `Look at it with: engram show ${archived.goneTo}`,
    });
  }
  const path = defaultPath(name);
  const absolute = join(context.paths.memory, path);
  ensureMemoryDirectories(context.paths.root, context.fs);
  {
    using _lock = acquireLock(absolute, { now: context.clock }, context.fs);
    const bytes = archived.bytes ?? renderMemory(archived.record);
    refuseSecret(name, bytes);
    const { db } = context.store;
    const isTaken = findBase(db, name) !== null || findRow(db, name) !== null || hasFoldEqualPath(db, path);
    if (isTaken || !prepareReplacement(absolute, bytes, { mode: 0o600 }, context.fs).asNew()) {
      throw new EngramError('memory.exists', `${name} is live: something has this name`, {
        hint: `Look at it with: engram show ${name}`,
      });
    }
  }
  inSection(context, name, { path });
  return archived.record;
}

/** An engram that did not look for secrets may have archived one. */
function refuseSecret(name: MemoryName, bytes: Uint8Array): void {
  const read = readMemory(bytes, directoryOf(name));
  if (read.kind === 'ok' || read.reason !== 'secret') return;
  throw new EngramError('memory.invalid', `${name}: ${read.message}`, {
    hint: 'Learn it anew without the secret: engram learn --help',
  });
}
