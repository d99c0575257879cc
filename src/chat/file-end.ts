import { type ChatBytes, openChatFile, readInto } from './chat-file.ts';
import { refuseOtherThanText } from './cursor.ts';
import type { MessageHead } from './message.ts';
import { type ChatReader, type ChatTail, createHeadReader } from './parse.ts';

/** The end of a chat file at one moment. */
export interface FileEnd {
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
      using opened = openChatFile(file);
      if (opened === null) return NO_FILE;
      if (identity !== opened.identity || opened.sizeBytes < reader.offset) {
        reader = createHeadReader();
        lastByte = LF;
      }
      if (identity !== opened.identity) refuseOtherThanText(opened);
      identity = opened.identity;
      lastByte = readOn(opened, reader) ?? lastByte;
      // As if just written: an open string stays open for whoever appends, however long ago it was opened.
      reader.end({ nowMs: 0, unchangedMs: 0 });
      return {
        sizeBytes: reader.offset,
        lineEnds: reader.lineEnds,
        endsWithLineEnd: lastByte === LF,
        tail: reader.tail,
        unchangedMs: Math.max(0, nowMs - opened.modifiedMs),
      };
    },
  };
}

const LF = 0x0a;
const PIECE_BYTES = 1_048_576;

const NO_FILE: FileEnd = {
  sizeBytes: 0,
  lineEnds: 0,
  endsWithLineEnd: true,
  tail: { closing: null, unfinished: false, hidesHeader: false },
  unchangedMs: 0,
};

/** @returns the last byte read, or null when there was nothing new */
function readOn(file: ChatBytes, reader: ChatReader<MessageHead>): number | null {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let lastByte: number | null = null;
  for (;;) {
    const count = readInto(file, piece, reader.offset);
    if (count === 0) return lastByte;
    lastByte = piece[count - 1] ?? null;
    reader.feed(piece.subarray(0, count), 0);
  }
}
