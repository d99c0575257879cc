import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { systemErrorCode } from '../errors.ts';
import { MAX_FILE_BYTES } from '../memory/file-text.ts';
import { pause } from './pause.ts';
import { type StatSignature, signatureOf } from './signature.ts';

/** A descriptor kept open over a rename, to see what was written in place meanwhile (MF-41). */
export interface OpenFile {
  /** The present bytes of the file that was opened, whatever its name holds now; at most `MAX_FILE_BYTES` + 1. */
  readAgain(): Uint8Array;
  close(): void;
}

export type StableRead =
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      /** Of the target when `linked`. */
      readonly signature: StatSignature;
      /** Permission bits, e.g. 0o600. */
      readonly mode: number;
      /** The name is a symlink, so the memory is read-only (MF-3). */
      readonly linked: boolean;
      /** Null unless `keepOpen` was given. */
      readonly handle: OpenFile | null;
    }
  | { readonly kind: 'absent' }
  /** Three tries saw the file change while it was read. Nothing may be written from it (MF-19). */
  | { readonly kind: 'in-progress' }
  | {
      readonly kind: 'unusable';
      readonly reason: 'not-regular' | 'too-large' | 'unreadable';
      readonly message: string;
      readonly signature: StatSignature | null;
    };

const TRIES = 3;
const BETWEEN_TRIES_MS = 20;

/**
 * Reads a file as one version of it (MF-19): inode, size and mtime agree before and after the read, for the descriptor
 * and for the name. Opens without blocking, so a FIFO or device is an answer and not a hang (MF-2).
 *
 * @param path - absolute path of a memory file, possibly a symlink
 * @param options - `keepOpen` hands the descriptor out as `handle`; the caller closes it
 */
export function stableRead(path: string, options: { readonly keepOpen?: boolean } = {}): StableRead {
  for (let attempt = 1; ; attempt += 1) {
    const read = readOnce(path, options.keepOpen === true);
    if (read.kind !== 'in-progress' || attempt === TRIES) return read;
    pause(BETWEEN_TRIES_MS);
  }
}

// Windows knows neither flag.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

function readOnce(path: string, keepOpen: boolean): StableRead {
  let descriptor: number;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
  } catch (error) {
    return explainOpenFailure(path, error);
  }
  let handedOut = false;
  try {
    const read = readDescriptor(path, descriptor);
    if (read.kind !== 'file' || !keepOpen) return read;
    handedOut = true;
    return { ...read, handle: openFile(descriptor) };
  } catch (error) {
    return unusable('unreadable', `cannot be read (${systemErrorCode(error) ?? 'failed'})`, null);
  } finally {
    if (!handedOut) closeSync(descriptor);
  }
}

function readDescriptor(path: string, descriptor: number): StableRead {
  const before = fstatSync(descriptor);
  if (!before.isFile()) return unusable('not-regular', `is ${fileKind(before)}, not a regular file`, before);
  if (before.size > MAX_FILE_BYTES) return tooLarge(before);
  const bytes = readWhole(descriptor, before.size);
  const after = fstatSync(descriptor);
  if (after.size > MAX_FILE_BYTES) return tooLarge(after);
  const named = lstatSync(path, { throwIfNoEntry: false });
  const linked = named?.isSymbolicLink() === true;
  const present = linked ? statSync(path, { throwIfNoEntry: false }) : named;
  const agreed = present !== undefined && sameVersion(before, after) && sameVersion(after, present);
  if (!agreed || bytes.length !== after.size) return { kind: 'in-progress' };
  return { kind: 'file', bytes, signature: signatureOf(after), mode: after.mode & 0o7777, linked, handle: null };
}

function openFile(descriptor: number): OpenFile {
  let open = true;
  return {
    readAgain: () => readWhole(descriptor, Math.min(fstatSync(descriptor).size, MAX_FILE_BYTES)),
    close: () => {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}

/** One byte more than `sizeBytes` is asked for, so that a file that grew meanwhile shows it. */
function readWhole(descriptor: number, sizeBytes: number): Uint8Array {
  const buffer = Buffer.allocUnsafeSlow(sizeBytes + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(descriptor, buffer, filled, buffer.length - filled, filled);
    filled += count;
    // All that was expected and not the one byte more: that is the end, and asking once more would only say so again.
    if (count === 0 || filled === sizeBytes) break;
  }
  return buffer.subarray(0, filled);
}

function sameVersion(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function explainOpenFailure(path: string, error: unknown): StableRead {
  const code = systemErrorCode(error) ?? 'failed';
  let named: Stats | undefined;
  try {
    named = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return unusable('unreadable', `cannot be read (${code})`, null);
  }
  if (named === undefined) {
    if (code === 'ENOENT') return { kind: 'absent' };
    return code === 'ENOTDIR' ? unusable('unreadable', `cannot be read (${code})`, null) : { kind: 'in-progress' };
  }
  if (named.isSymbolicLink()) {
    return unusable('unreadable', code === 'ENOENT' ? 'is a link to nothing' : `cannot be read (${code})`, named);
  }
  if (!named.isFile()) return unusable('not-regular', `is ${fileKind(named)}, not a regular file`, named);
  // Another process put the name there between the two calls.
  if (code === 'ENOENT') return { kind: 'in-progress' };
  return unusable('unreadable', `cannot be read (${code})`, named);
}

function tooLarge(stats: Stats): StableRead {
  return unusable('too-large', `has ${stats.size} bytes, at most ${MAX_FILE_BYTES} are read`, stats);
}

function unusable(
  reason: 'not-regular' | 'too-large' | 'unreadable',
  message: string,
  stats: Stats | null,
): StableRead {
  return { kind: 'unusable', reason, message, signature: stats === null ? null : signatureOf(stats) };
}

function fileKind(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
