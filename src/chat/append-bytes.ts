import { fstatSync, readSync } from 'node:fs';
import { EngramError } from '../errors.ts';
import type { FileSystem } from '../files/file-system.ts';
import { syncDirectory, writeFailure } from '../files/replace-file.ts';

/** Where bytes went that were appended. */
export interface Appended {
  /** Offset of the first of them. */
  readonly start: number;
  /** What a writer without the lock appended between `expectedSize` and `start`; mostly nothing. */
  readonly between: Uint8Array;
}

/**
 * Appends `bytes` in one write and syncs the file (CH-14). Makes the file, 0600, where it is missing.
 *
 * @param expectedSize - of the file; null is answered, and nothing written, where it has another one
 * @throws EngramError `disk.full`, `file.write`. The file is as it was then, except where the message says that the disk did
 * not confirm what is in it, or that a part of the block could not be taken back.
 */
export function appendBytes(file: string, bytes: Uint8Array, expectedSize: number, fs: FileSystem): Appended | null {
  const descriptor = attempt(file, () => fs.openSync(file, 'a+', 0o600));
  try {
    const before = fstatSync(descriptor);
    if (!before.isFile()) throw new EngramError('chat.damaged', `${file}: is no regular file`);
    if (before.size !== expectedSize) return null;
    write(descriptor, file, bytes, before.size, fs);
    const appended = locate(descriptor, bytes, before.size);
    try {
      fs.fsyncSync(descriptor);
      if (before.size === 0) syncDirectory(file, fs);
    } catch (error) {
      throw unconfirmed(file, error);
    }
    return appended;
  } finally {
    closeAnyway(descriptor, fs);
  }
}

function attempt<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw writeFailure(file, error);
  }
}

function write(descriptor: number, file: string, bytes: Uint8Array, sizeBefore: number, fs: FileSystem): void {
  let failure: EngramError;
  try {
    const written = fs.writeSync(descriptor, bytes, 0, bytes.length);
    if (written === bytes.length) return;
    failure = new EngramError('disk.full', `${file}: no room on the disk, ${written} of ${bytes.length} bytes written`);
  } catch (error) {
    failure = writeFailure(file, error);
  }
  if (takeBack(descriptor, bytes, sizeBefore, fs)) throw failure;
  const message = `${failure.message}; a part of the message is in the file, and readers skip it`;
  throw new EngramError(failure.code, message, { cause: failure });
}

/** Cuts off what a failed write left, if that is all that came: what others wrote is never touched. */
function takeBack(descriptor: number, bytes: Uint8Array, sizeBefore: number, fs: FileSystem): boolean {
  try {
    const left = bytesFrom(descriptor, sizeBefore);
    if (left.length === 0) return true;
    if (left.length >= bytes.length || !left.equals(bytes.subarray(0, left.length))) return false;
    fs.ftruncateSync(descriptor, sizeBefore);
    return true;
  } catch {
    return false;
  }
}

/** A writer without the lock may have come in between. */
function locate(descriptor: number, bytes: Uint8Array, sizeBefore: number): Appended {
  const start = sizeBefore;
  if (fstatSync(descriptor).size === sizeBefore + bytes.length) return { start, between: new Uint8Array() };
  const added = bytesFrom(descriptor, sizeBefore);
  const at = Math.max(0, added.indexOf(bytes));
  return { start: start + at, between: added.subarray(0, at) };
}

function bytesFrom(descriptor: number, offset: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - offset));
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(descriptor, buffer, filled, buffer.length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Not taken back: others may have read it already, and would see a file that was cut. */
function unconfirmed(file: string, cause: unknown): EngramError {
  const { code, message } = writeFailure(file, cause);
  return new EngramError(code, `${message}: the message is in it, but the disk did not confirm that`, {
    hint: 'Look before posting it again: engram chat tail',
    cause,
  });
}

/** The descriptor is gone even where `close` fails, and the bytes are on disk. */
function closeAnyway(descriptor: number, fs: FileSystem): void {
  try {
    fs.closeSync(descriptor);
  } catch {}
}
