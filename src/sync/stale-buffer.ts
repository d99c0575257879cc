import { COUNTER_KEYS, type MemoryRecord } from '../memory/record.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Recognises a file that an editor saved from an old buffer (SY-19): it carries the counters and `updated_at` of an
 * earlier agreement and not those of the base. Callers skip this when git moved since the base was stored.
 *
 * @param versions - earlier agreements in any order; `atMs` is when each was replaced, epoch milliseconds
 * @returns the record of the newest such agreement of the last 24 h, to merge from; null when the file is no old buffer
 */
export function staleBufferBase(
  file: MemoryRecord,
  base: MemoryRecord,
  versions: readonly { readonly record: MemoryRecord; readonly atMs: number }[],
  nowMs: number,
): MemoryRecord | null {
  if (sameTracking(file, base)) return null;
  let newest: { readonly record: MemoryRecord; readonly atMs: number } | null = null;
  for (const version of versions) {
    if (nowMs - version.atMs > DAY_MS || !sameTracking(file, version.record)) continue;
    if (newest === null || version.atMs > newest.atMs) newest = version;
  }
  return newest?.record ?? null;
}

function sameTracking(a: MemoryRecord, b: MemoryRecord): boolean {
  return a.updated_at === b.updated_at && COUNTER_KEYS.every((key) => a[key] === b[key]);
}
