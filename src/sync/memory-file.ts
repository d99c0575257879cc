import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { stableRead } from '../files/stable-read.ts';
import { readMemory } from '../memory/read-toml.ts';
import type { ParsedMemory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { refuseBadRow } from './bad-row.ts';
import { defaultPath, directoryOfPath, type SyncContext } from './context.ts';
import { unwritable } from './own-change.ts';

/**
 * The file of a memory as it is now, for somebody who is about to edit it: what could not be written afterwards is refused
 * at once.
 *
 * @throws EngramError `memory.quarantined`, `memory.read-only`, `memory.not-found`, `write.contended`
 */
export function memoryFile(
  context: SyncContext,
  name: MemoryName,
): { readonly bytes: Uint8Array; readonly parsed: ParsedMemory } {
  const path = findBase(context.store.db, name)?.path ?? defaultPath(name);
  const read = stableRead(join(context.paths.memory, path));
  if (read.kind === 'absent') {
    refuseBadRow(context.store.db, name);
    throw unwritable(name, 'gone', path);
  }
  if (read.kind === 'in-progress') throw unwritable(name, 'in-progress', path);
  if (read.kind === 'unusable') throw unwritable(name, 'bad', path);
  if (read.linked) throw unwritable(name, 'read-only', path);
  const result = readMemory(read.bytes, directoryOfPath(path));
  if (result.kind !== 'ok') throw quarantined(name, path, result);
  if (result.memory.newerVersion) throw unwritable(name, 'newer', path, result.memory.record.schema_version);
  return { bytes: read.bytes, parsed: result.memory };
}

function quarantined(
  name: MemoryName,
  path: string,
  { line, column, reason, message }: Exclude<ReturnType<typeof readMemory>, { kind: 'ok' }>,
): EngramError {
  const place = line === null ? path : `${path}:${line}${column === null ? '' : `:${column}`}`;
  return new EngramError('memory.quarantined', `${name}: ${place} ${reason}: ${message}`, {
    hint: 'Repair the file, then try again.',
  });
}
