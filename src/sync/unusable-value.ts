import { EngramError } from '../errors.ts';
import { decodeFile, placeOfKey, withLineFeeds } from '../memory/file-text.ts';
import type { MemoryRecord, ParsedMemory, RecordKey } from '../memory/record.ts';
import { fileKeyOf } from '../memory/variants.ts';
import type { MemoryView } from './memory-view.ts';

interface Text {
  readonly bytes: Uint8Array;
  readonly parsed: ParsedMemory;
}

/**
 * Refuses what a person decides about a key whose value in the file cannot be used: it is never overwritten (MF-24), and
 * a decision that only the row knows is lost with the database.
 *
 * @throws EngramError `memory.layout`
 */
export function refuseUnusable(
  { name, path }: Pick<MemoryView, 'name' | 'path'>,
  { bytes, parsed }: Text,
  change: { readonly decides: readonly RecordKey[]; readonly from: MemoryRecord; readonly to: MemoryRecord },
): void {
  const { decides, from, to } = change;
  const key = parsed.unusable.find((candidate) => decides.includes(candidate) || from[candidate] !== to[candidate]);
  if (key === undefined) return;
  const fileKey = fileKeyOf(key, parsed.variant);
  const decoded = decodeFile(bytes);
  const place = decoded.kind === 'text' ? placeOfKey(withLineFeeds(decoded.text), fileKey) : null;
  const where = place === null ? path : `${path}:${place.line}`;
  throw new EngramError(
    'memory.layout',
    `${name}: the value of ${fileKey} at ${where} cannot be used and is not overwritten`,
    { hint: `Repair the value of ${fileKey} in ${path}, then try again.` },
  );
}
