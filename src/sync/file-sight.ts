import { join } from 'node:path';
import type { StatSignature } from '../files/signature.ts';
import { type OpenFile, stableRead } from '../files/stable-read.ts';
import { readMemory } from '../memory/read-toml.ts';
import { differingKeys, type ParsedMemory, type QuarantineReason, type TrackingKey } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { Base } from '../store/bases.ts';
import { findQuarantined, type QuarantineRow } from '../store/quarantine.ts';
import { type ContentHash, contentHash } from '../text/content-hash.ts';
import { findSecrets, redact } from '../text/secrets.ts';
import { directoryOfPath, type MemoryPath, type SyncContext } from './context.ts';

/** What one stable read of a memory file found (MF-19, MF-27). */
export type FileSight =
  | {
      readonly kind: 'read';
      readonly parsed: ParsedMemory;
      readonly bytes: Uint8Array;
      readonly hash: ContentHash;
      readonly signature: StatSignature;
      readonly mode: number;
      /** Imported, never written: a link, or written by a newer engram (MF-3, MF-17). */
      readonly readOnly: boolean;
      readonly linked: boolean;
      readonly readAtMs: number;
      readonly handle: OpenFile | null;
    }
  | { readonly kind: 'gone' }
  /** Half-written, as far as anybody can tell: nothing is concluded. `waitMs`: when to look again. */
  | { readonly kind: 'in-progress'; readonly waitMs: number; readonly first: Omit<QuarantineRow, 'tries'> | null }
  | { readonly kind: 'bad'; readonly quarantine: Omit<QuarantineRow, 'tries'> };

/** What is said of a file whose name may not be repeated. */
export const NAME_IS_SECRET = 'the name of the file seems to hold a secret; rename it';

/** A suspicious file unchanged for this time is what it is (MF-20). */
const SETTLE_MS = 2000;

/**
 * Reads and judges the file of a memory. `base` is what was last agreed: a file that lost its tail is told by it.
 *
 * @param options.keepOpen - hands the descriptor out as `handle`, for a second look after a rename (MF-41)
 */
export function readFileSight(
  context: SyncContext,
  name: MemoryName,
  path: MemoryPath,
  base: Pick<Base, 'bytes'> | null,
  options: { readonly keepOpen?: boolean } = {},
): FileSight {
  const readAtMs = context.clock();
  const read = stableRead(join(context.paths.memory, path), options);
  if (read.kind === 'absent') return { kind: 'gone' };
  if (read.kind === 'in-progress') return { kind: 'in-progress', waitMs: SETTLE_MS, first: null };
  const hasSecretName = findSecrets(path).length > 0;
  const [shownName, shownPath] = hasSecretName ? ([name, path].map(redact) as [MemoryName, MemoryPath]) : [name, path];
  if (read.kind === 'unusable') {
    const shown = { name: shownName, path: shownPath, signature: read.signature, hash: null, atMs: readAtMs };
    return bad(shown, read.reason, read.message);
  }
  const seen: Seen = { name, path, signature: read.signature, hash: contentHash(read.bytes), atMs: readAtMs };
  if (hasSecretName) {
    read.handle?.close();
    const shown = { ...seen, name: shownName, path: shownPath };
    return bad(shown, 'secret', NAME_IS_SECRET);
  }
  const doubt = doubtOf(read.bytes, base?.bytes ?? null);
  if (doubt !== null) {
    const waitMs = SETTLE_MS - unchangedForMs(context, seen);
    if (waitMs > 0) {
      read.handle?.close();
      return { kind: 'in-progress', waitMs, first: entry(seen, 'in-progress', null, null, 'is still being written') };
    }
  }
  const result = readMemory(read.bytes, directoryOfPath(path));
  const truncated = doubt !== null && doubt !== 'no-line-end' && isTruncated(result, { path, bytes: read.bytes }, base);
  if (result.kind === 'quarantined' || truncated) {
    read.handle?.close();
    if (result.kind === 'ok' || truncated)
      return bad(
        seen,
        'truncated',
        'the file lost its end; the last good record stays until the file is repaired, or changed in any other way',
      );
    return bad(seen, result.reason, result.message, result.line, result.column);
  }
  return {
    kind: 'read',
    parsed: result.memory,
    bytes: read.bytes,
    hash: seen.hash ?? contentHash(read.bytes),
    signature: read.signature,
    mode: read.mode,
    readOnly: read.linked || result.memory.newerVersion,
    linked: read.linked,
    readAtMs,
    handle: read.handle,
  };
}

interface Seen {
  readonly name: MemoryName;
  readonly path: MemoryPath;
  readonly signature: StatSignature | null;
  readonly hash: ContentHash | null;
  readonly atMs: number;
}

/** Why a file may be half-written, or null (MF-20). */
function doubtOf(bytes: Uint8Array, agreed: Uint8Array | null): 'empty' | 'prefix' | 'no-line-end' | null {
  if (bytes.length === 0) return 'empty';
  if (agreed !== null && bytes.length < agreed.length && startsWith(agreed, bytes)) {
    const rest = agreed.subarray(bytes.length);
    const onlyLineEnd =
      (rest.length === 1 && rest[0] === LF) || (rest.length === 2 && rest[0] === CR && rest[1] === LF);
    if (!onlyLineEnd) return 'prefix';
  }
  return bytes[bytes.length - 1] === LF ? null : 'no-line-end';
}

const LF = 10;
const CR = 13;

function startsWith(whole: Uint8Array, part: Uint8Array): boolean {
  return Buffer.compare(whole.subarray(0, part.length), part) === 0;
}

/** How long these very bytes have stood: since the first sight on record, or by the file's own clock unless it lies ahead. */
function unchangedForMs(context: SyncContext, seen: Seen): number {
  const first = findQuarantined(context.store.db, 'file', seen.name);
  const sinceSeen = first !== null && first.hash === seen.hash ? seen.atMs - first.seen_ms : 0;
  const changedMs = seen.signature?.ctimeMs ?? seen.atMs;
  const sinceChange = changedMs <= seen.atMs ? seen.atMs - changedMs : 0;
  return Math.max(sinceSeen, sinceChange);
}

/**
 * A cut that no longer parses, or that lost a key the last agreement had or the end of its value, cannot pass for an edit
 * (MF-20). What is left of unknown keys says nothing: a person may have removed the last table.
 */
function isTruncated(
  result: ReturnType<typeof readMemory>,
  { path, bytes }: { readonly path: MemoryPath; readonly bytes: Uint8Array },
  base: Pick<Base, 'bytes'> | null,
): boolean {
  if (bytes.length === 0 || result.kind === 'quarantined') return true;
  if (base === null) return false;
  const before = readMemory(base.bytes, directoryOfPath(path));
  if (before.kind !== 'ok') return false;
  const { record, present } = result.memory;
  const lostTracking = before.memory.present.some((key) => !present.includes(key));
  return lostTracking || differingKeys(before.memory.record, record).some((key) => key !== 'extra');
}

function bad(
  seen: Seen,
  reason: QuarantineReason,
  message: string,
  line: number | null = null,
  column: number | null = null,
): FileSight {
  return { kind: 'bad', quarantine: entry(seen, reason, line, column, message) };
}

function entry(
  { name, path, signature, hash, atMs }: Seen,
  reason: string,
  line: number | null,
  column: number | null,
  message: string,
): Omit<QuarantineRow, 'tries'> {
  return {
    side: 'file',
    name,
    path,
    size_bytes: signature?.sizeBytes ?? null,
    mtime_ms: signature?.mtimeMs ?? null,
    ctime_ms: signature?.ctimeMs ?? null,
    ino: signature?.ino ?? null,
    hash,
    reason,
    line,
    col: column,
    message,
    seen_ms: atMs,
  };
}

/** The tracking keys that the file of an agreement has or ever had; one that is absent now is no change (MF-22). */
export function presentInBase(base: Pick<Base, 'bytes' | 'path' | 'lostKeys'>): readonly TrackingKey[] {
  return [...presentIn(base.bytes, base.path), ...base.lostKeys];
}

/** What a new version of the file no longer has of them. */
export function lostKeys(before: Base | null, bytes: Uint8Array, path: MemoryPath): readonly TrackingKey[] {
  if (before === null) return [];
  const present = presentIn(bytes, path);
  return presentInBase(before).filter((key) => !present.includes(key));
}

function presentIn(bytes: Uint8Array, path: MemoryPath): readonly TrackingKey[] {
  const read = readMemory(bytes, directoryOfPath(path));
  return read.kind === 'ok' ? read.memory.present : [];
}
