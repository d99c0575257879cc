import { type ChatBytes, openChatFile, readBetween } from './chat-file.ts';
import { findStart } from './cursor.ts';
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
  let reader: ChatReader<MessageHead> | null = null;
  let identity = '';
  return {
    read(nowMs) {
      using opened = openChatFile(file);
      if (opened === null) return NO_FILE;
      if (reader === null || identity !== opened.identity || opened.sizeBytes < reader.offset) {
        // The last block is all that a repair looks at; before it only lines are counted.
        reader = createHeadReader({ from: findStart(opened, null, nowMs).border });
        identity = opened.identity;
      }
      readOn(opened, reader);
      // As if just written: an open string stays open for whoever appends, however long ago it was opened.
      reader.end({ nowMs: 0, unchangedMs: 0 });
      return {
        sizeBytes: reader.offset,
        lineEnds: reader.lineEnds,
        endsWithLineEnd: reader.offset === 0 || readBetween(opened, reader.offset - 1, reader.offset)[0] === LF,
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

function readOn(file: ChatBytes, reader: ChatReader<MessageHead>): void {
  for (;;) {
    const bytes = readBetween(file, reader.offset, reader.offset + PIECE_BYTES);
    if (bytes.length === 0) return;
    reader.feed(bytes, 0);
  }
}
