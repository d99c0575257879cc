import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { EngramError, systemErrorCode } from '../errors.ts';

/** An open chat file as it was at one moment. */
export interface ChatBytes extends Disposable {
  readonly path: string;
  readonly descriptor: number;
  /** Device and inode: another one is another file. */
  readonly identity: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Whether a regular file lies at `path`, also behind a link; false where nobody can tell. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Opens a chat file for reading; null when there is none, or no directory. A FIFO or a device does not hold it up.
 *
 * @throws EngramError `chat.damaged` for what is no regular file, `file.unreadable`
 */
export function openChatFile(path: string): ChatBytes | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'ENXIO') throw notRegular(path);
    throw unreadable(path, error);
  }
  const close = () => closeSync(descriptor);
  try {
    if (!fstatSync(descriptor).isFile()) throw notRegular(path);
    return { path, descriptor, ...signatureOf(descriptor), [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The same open file as it is by now. */
export function lookAgain(file: ChatBytes): ChatBytes {
  return { ...file, ...signatureOf(file.descriptor) };
}

/** Device and inode of the file that has the name by now; null when there is none. */
export function identityAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** Fills `target` from `offset` of the file; returns how much there was. @throws EngramError `file.unreadable` */
export function readInto(file: ChatBytes, target: Uint8Array, offset: number): number {
  let length = 0;
  try {
    while (length < target.length) {
      const more = readSync(file.descriptor, target, length, target.length - length, offset + length);
      if (more === 0) break;
      length += more;
    }
    return length;
  } catch (error) {
    throw unreadable(file.path, error);
  }
}

/** The bytes between two offsets; fewer where the file ends before. @throws EngramError `file.unreadable` */
export function readBetween(file: ChatBytes, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  return bytes.subarray(0, readInto(file, bytes, from));
}

const COMPARED_BYTES = 1 << 20;

/** Whether two files begin with the same bytes. */
export function haveSameStart(one: ChatBytes, other: ChatBytes, length: number): boolean {
  for (let at = 0; at < length; at += COMPARED_BYTES) {
    const end = Math.min(length, at + COMPARED_BYTES);
    const bytes = readBetween(one, at, end);
    if (bytes.length < end - at || !bytes.equals(readBetween(other, at, end))) return false;
  }
  return true;
}

function signatureOf(descriptor: number) {
  const { dev, ino, size, mtimeMs } = fstatSync(descriptor);
  return { identity: `${dev}:${ino}`, sizeBytes: size, modifiedMs: mtimeMs };
}

function notRegular(path: string): EngramError {
  return new EngramError('chat.damaged', `${path} is no regular file`, {
    hint: 'Name the chat file with --chat-file FILE.',
  });
}

function unreadable(path: string, error: unknown): EngramError {
  return new EngramError('file.unreadable', `${path} cannot be read (${systemErrorCode(error) ?? String(error)})`, {
    hint: 'Check its permissions, or name another one with --chat-file FILE.',
    cause: error,
  });
}
