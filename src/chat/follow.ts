import { type Clock, systemClock } from '../clock.ts';
import { EngramError } from '../errors.ts';
import { type ChatBytes, haveSameStart, identityAt, lookAgain, openChatFile, readBetween } from './chat-file.ts';
import { endCursor, findStart } from './cursor.ts';
import type { Message } from './message.ts';
import { type ChatBorder, type ChatReader, createChatReader, isAfter, type Reading } from './parse.ts';
import { createWakeup, type WatchDirectory } from './wakeup.ts';

/** What a look at the file gave. */
export interface ChatNews extends Reading<Message> {
  /** False: there is more to read at once. */
  readonly isAll: boolean;
}

/** Reads a chat file from a cursor on, as it grows (CH-26). */
export interface ChatFollower extends Disposable {
  /**
   * Whole messages that were not returned before, oldest first, each with its own cursor; damage once (CH-20). Takes no
   * lock. Returns a part at a time of what is long.
   *
   * @throws EngramError `chat.cursor` when other bytes stand before the cursor by now, or fewer; `chat.damaged`,
   *   `file.unreadable`
   */
  read(): ChatNews;
  /** Behind what was returned last; 0 without a file. */
  readonly cursor: number;
  /** Resolves when there may be more to read: the file changed, 250 ms passed, or `waitMs`. */
  changed(waitMs: number): Promise<void>;
}

/**
 * Follows the file at `path`, which need not exist (CH-51).
 *
 * @param cursor - null: from what is the end now
 */
export function followChat(
  path: string,
  cursor: number | null,
  clock: Clock = systemClock,
  watchEntries?: WatchDirectory,
): ChatFollower {
  const wakeup = createWakeup(path, watchEntries);
  /** Of a file that does not exist yet. */
  let wanted = cursor;
  let state = begin(path, wanted, clock());
  // Whatever comes into a file that is not there is new.
  if (state === null) wanted ??= 0;
  return {
    get cursor() {
      return state === null ? (wanted ?? 0) : Math.max(state.reader.border.cursor, state.after);
    },
    read() {
      // Before anything is read: what is appended from now on wakes, or is read (CH-26).
      wakeup.arm();
      state = state === null ? begin(path, wanted, clock()) : current(path, state, clock());
      return state === null ? NOTHING : readOn(state, clock());
    },
    changed: (waitMs) => wakeup.next(waitMs),
    [Symbol.dispose]() {
      wakeup.close();
      state?.file[Symbol.dispose]();
      state = null;
    },
  };
}

/** A place in a file that is kept open: after a replacement it still shows what was read. */
interface Following {
  readonly file: ChatBytes;
  readonly reader: ChatReader<Message>;
  /** Messages before this line were not asked for. */
  readonly after: number;
  /** The last bytes that were read, to notice that others were put in their place. */
  guard: Buffer;
  /** How much is read at once; more and more of what is long. */
  pieceBytes: number;
}

const NOTHING: ChatNews = { messages: [], damaged: [], isAll: true };
/** Whoever wants the next message only is not kept waiting for all that follow. */
const FIRST_PIECE_BYTES = 1024;
const PIECE_BYTES = 1 << 20;
const GUARD_BYTES = 4096;

function begin(path: string, cursor: number | null, nowMs: number): Following | null {
  const file = openChatFile(path);
  if (file === null) return null;
  try {
    const start = findStart(file, cursor, nowMs);
    return startingAt(file, start.border, start.cursor);
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

function startingAt(file: ChatBytes, border: ChatBorder, after: number): Following {
  return {
    file,
    reader: createChatReader({ from: border }),
    after,
    guard: guardBefore(file, border.offset),
    pieceBytes: FIRST_PIECE_BYTES,
  };
}

function guardBefore(file: ChatBytes, offset: number): Buffer {
  return Buffer.from(readBetween(file, Math.max(0, offset - GUARD_BYTES), offset));
}

/** The place in the file that has the name by now, as large as it is by now. */
function current(path: string, state: Following, nowMs: number): Following {
  const identity = identityAt(path);
  // Away for a moment, or for good: whoever puts one there again has to begin it with the same bytes.
  if (identity === null) return state;
  if (identity === state.file.identity) return unchangedBefore({ ...state, file: lookAgain(state.file) }, nowMs);
  const file = openChatFile(path);
  if (file === null) return state;
  const { border } = state.reader;
  if (file.sizeBytes < border.offset || !haveSameStart(state.file, file, border.offset))
    throw replaced(file, state, nowMs);
  state.file[Symbol.dispose]();
  return startingAt(file, border, state.after);
}

/** Whether the bytes that were read are still there; where only such behind the border are not, they are read again. */
function unchangedBefore(state: Following, nowMs: number): Following {
  const { file, reader, guard } = state;
  const { offset } = reader;
  if (file.sizeBytes >= offset && guardBefore(file, offset).equals(guard)) return state;
  const { border } = reader;
  if (file.sizeBytes < border.offset) throw replaced(file, state, nowMs);
  const behind = offset - border.offset;
  const known = guard.subarray(0, Math.max(0, guard.length - behind));
  const before = guardBefore(file, border.offset);
  if (known.length > 0 && !before.subarray(before.length - known.length).equals(known)) {
    throw replaced(file, state, nowMs);
  }
  return startingAt(file, border, state.after);
}

function readOn(state: Following, nowMs: number): ChatNews {
  const { file, reader, after } = state;
  const bytes = readBetween(file, reader.offset, Math.min(file.sizeBytes, reader.offset + state.pieceBytes));
  const isAll = reader.offset + bytes.length >= file.sizeBytes;
  state.pieceBytes = isAll ? FIRST_PIECE_BYTES : Math.min(PIECE_BYTES, state.pieceBytes * 4);
  const body = reader.feed(bytes, nowMs);
  const unchangedMs = Math.max(0, nowMs - file.modifiedMs);
  const last = isAll ? reader.end({ nowMs, unchangedMs }) : { messages: [], damaged: [] };
  if (bytes.length > 0) state.guard = guardBefore(file, reader.offset);
  return {
    messages: [...body.messages, ...last.messages].filter((message) => isAfter(message, after)),
    damaged: [...body.damaged, ...last.damaged].filter((range) => range.last > after),
    isAll,
  };
}

function replaced(file: ChatBytes, state: Following, nowMs: number): EngramError {
  const { cursor } = state.reader.border;
  return new EngramError('chat.cursor', `${file.path} was replaced or cut: other lines stand before cursor ${cursor}`, {
    hint: `Go on from cursor ${endCursor(file, nowMs)}, its end now.`,
  });
}
