import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { EngramError, systemErrorCode } from '../errors.ts';
import type { MessageHead } from './message.ts';
import { type ChatReader, type ChatTail, createHeadReader } from './parse.ts';

/** The end of a chat file at one moment. */
export interface FileEnd {
  readonly exists: boolean;
  readonly sizeBytes: number;
  /** In the whole file. */
  readonly lineEnds: number;
  readonly endsWithLineEnd: boolean;
  readonly tail: ChatTail;
  /** By its mtime; 0 where that lies in the future. */
  readonly unchangedMs: number;
}

/**
 * Follows the end of a file for whoever appends to it: what was read once is not read again, so that little is left to do
 * under the lock.
 */
export interface EndReader {
  /** @throws EngramError `chat.damaged` for what is no regular file, `file.unreadable` */
  read(nowMs: number): FileEnd;
}

export function createEndReader(file: string): EndReader {
  let reader = createHeadReader();
  let identity = '';
  let lastByte = LF;
  return {
    read(nowMs) {
      const descriptor = openToRead(file);
      if (descriptor === null) return NO_FILE;
      try {
        const { dev, ino, mtimeMs, size } = fstatSync(descriptor);
        if (identity !== `${dev}:${ino}` || size < reader.offset) {
          reader = createHeadReader();
          lastByte = LF;
        }
        identity = `${dev}:${ino}`;
        lastByte = readOn(descriptor, reader) ?? lastByte;
        // As if just written: an open string stays open for whoever appends, however long ago it was opened.
        reader.end({ nowMs: 0, unchangedMs: 0 });
        return {
          exists: true,
          sizeBytes: reader.offset,
          lineEnds: reader.lineEnds,
          endsWithLineEnd: lastByte === LF,
          tail: reader.tail,
          unchangedMs: Math.max(0, nowMs - mtimeMs),
        };
      } catch (error) {
        throw unreadable(file, error);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

const LF = 0x0a;
const PIECE_BYTES = 1_048_576;

const NO_FILE: FileEnd = {
  exists: false,
  sizeBytes: 0,
  lineEnds: 0,
  endsWithLineEnd: true,
  tail: { closing: null, unfinished: false, hidesHeader: false },
  unchangedMs: 0,
};

/** Never waits, not even for the writer of a FIFO. Null where nothing is. */
function openToRead(file: string): number | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw unreadable(file, error);
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new EngramError('chat.damaged', `${file}: is no regular file`, { hint: 'Name another: --chat-file FILE' });
}

/** @returns the last byte read, or null when there was nothing new */
function readOn(descriptor: number, reader: ChatReader<MessageHead>): number | null {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let lastByte: number | null = null;
  for (;;) {
    const count = readSync(descriptor, piece, 0, piece.length, reader.offset);
    if (count === 0) return lastByte;
    lastByte = piece[count - 1] ?? null;
    reader.feed(piece.subarray(0, count), 0);
  }
}

function unreadable(file: string, cause: unknown): EngramError {
  if (cause instanceof EngramError) return cause;
  return new EngramError('file.unreadable', `${file}: cannot be read (${systemErrorCode(cause) ?? cause})`, { cause });
}
