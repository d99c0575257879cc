import { EngramError } from '../errors.ts';
import { type EditableFile, editsOf, impliedKeys, layoutError } from './edit-plan.ts';
import { decodeFile, withLineFeeds } from './file-text.ts';
import { readMemory } from './read-toml.ts';
import type { RecordChanges } from './record.ts';
import { applySplices, removedLines } from './splices.ts';
import { type TokenPlaces, tokenPlaces } from './token-places.ts';
import { isQuarantined, parseTable } from './toml-table.ts';
import { findEditFault } from './verify-edit.ts';

/**
 * The bytes of a memory file after the keys named in `changes` were set, in place (MF-28 to MF-30).
 *
 * Only value tokens are replaced: order, spacing, comments, unknown keys, line ends and the byte order mark stay byte
 * for byte, and each key stays at its level. A token that already has the value is left alone, an absent key gets a
 * line. `pending_evaluations` goes with the first real change. The result is read again before it is returned.
 *
 * @param bytes - the whole file, of any variant
 * @returns the same array when nothing has to change (MF-33)
 * @throws EngramError `memory.layout` when the file cannot be edited in place, also for a key whose token cannot be
 *   used (MF-24) and for removing anything but `core_origin`; `memory.read-only` when its version is newer (MF-17)
 */
export function editMemory(bytes: Uint8Array, changes: RecordChanges): Uint8Array {
  const file = openFile(bytes);
  const edits = editsOf(file, changes);
  const splices = edits.flatMap((edit) => edit.splices);
  if (splices.length === 0) return bytes;
  if (file.places.pendingInline) throw layoutError('pending_evaluations stands inside an inline table');
  for (const span of file.places.pending) splices.push(removedLines(file.text, span));
  const after = new TextEncoder().encode((file.hasBom ? '\ufeff' : '') + applySplices(file.text, splices));
  const fault = findEditFault(after, {
    before: bytes,
    record: { ...file.memory.record, ...Object.fromEntries(edits.map(({ key, value }) => [key, value])) },
    implied: impliedKeys(file).filter((key) => edits.every((edit) => edit.key !== key)),
    written: new Set(edits.map((edit) => edit.fileKey)),
  });
  if (fault !== null) throw layoutError(fault);
  return after;
}

function openFile(bytes: Uint8Array): EditableFile {
  const result = readMemory(bytes, 'feedback');
  if (result.kind !== 'ok') throw layoutError(`it cannot be read (${result.message})`);
  const { memory } = result;
  if (memory.newerVersion) {
    throw new EngramError(
      'memory.read-only',
      `schema_version ${memory.record.schema_version} is newer than this engram`,
      {
        hint: 'Update engram, or edit the file by hand.',
      },
    );
  }
  const decoded = decodeFile(bytes);
  const table = decoded.kind === 'text' ? parseTable(withLineFeeds(decoded.text)) : null;
  if (decoded.kind !== 'text' || table === null || isQuarantined(table)) throw layoutError('it cannot be read');
  return { memory, text: decoded.text, hasBom: decoded.hasBom, table, places: placesOf(decoded.text) };
}

function placesOf(text: string): TokenPlaces {
  try {
    return tokenPlaces(text);
  } catch (error) {
    // The two parsers differ in a few corners, an impossible date for one.
    throw layoutError(error instanceof Error ? error.message : 'it cannot be taken apart', error);
  }
}
