import { EngramError } from '../errors.ts';
import { type ChatBytes, readBetween } from './chat-file.ts';
import { findLine } from './line-count.ts';
import { countLineEnds } from './line-ends.ts';
import { type ChatBorder, createHeadReader } from './parse.ts';
import { FILE_START } from './parse-reading.ts';
import { findHeaderWithFrom } from './parse-resync.ts';
import { NO_SUSPICION, suspectNext } from './parse-suspicion.ts';

/** Where reading begins so that everything behind a cursor is read as from the beginning of the file. */
export interface StartingPoint {
  /** At the cursor, or before it where the cursor is no border. */
  readonly border: ChatBorder;
  /** What begins behind so many lines is wanted (CH-23). */
  readonly cursor: number;
}

/**
 * Finds where to go on for a cursor (CH-22 to CH-24), null for the end of the file: its last border.
 *
 * The lines are counted from the beginning; blocks are taken apart only close to the cursor, where the bytes show beyond
 * doubt what is a block and what is quoted in one. Where they do not, from the beginning of the file.
 *
 * @param nowMs - epoch milliseconds
 * @throws EngramError `chat.cursor` for a cursor past the end, `chat.damaged` for bytes that are no text
 */
export function findStart(file: ChatBytes, cursor: number | null, nowMs: number): StartingPoint {
  refuseOtherThanText(file);
  const place = findLine(file, cursor);
  if (cursor !== null && cursor > place.lines + 1) throw pastTheEnd(cursor, place.lines);
  const border = borderBefore(file, place.offset, place.lines, nowMs);
  return { border, cursor: cursor === null ? border.cursor : Math.min(cursor, place.lines) };
}

/** The cursor at the end of the file: behind its last whole block. */
export function endCursor(file: ChatBytes, nowMs: number): number {
  return findStart(file, null, nowMs).cursor;
}

/** No message of ours is longer; see `nearestBorder`. */
const LONGEST_BLOCK_BYTES = (1 << 20) + 65_536;
/** So much is taken apart first, then more: a process that has just started takes little apart in a millisecond. */
const NEAR_BYTES = [2048, 8192, 65_536];

/** The last border at or before `offset`, which has `lines` line ends before it. */
function borderBefore(file: ChatBytes, offset: number, lines: number, nowMs: number): ChatBorder {
  const start = Math.max(0, offset - LONGEST_BLOCK_BYTES);
  const bytes = readBetween(file, start, offset);
  const near = start === 0 ? null : nearestBorder(bytes, nowMs);
  if (near !== null) {
    const at = near.offset;
    return { ...near, offset: start + at, cursor: lines - countLineEnds(bytes, at, bytes.length) };
  }
  const reader = createHeadReader({ from: FILE_START });
  for (let at = 0; at < offset; at += LONGEST_BLOCK_BYTES) {
    reader.feed(readBetween(file, at, Math.min(offset, at + LONGEST_BLOCK_BYTES)), nowMs);
  }
  reader.end({ nowMs, unchangedMs: 0 });
  return reader.border;
}

/**
 * The last border in the bytes before a cursor; null when they leave a doubt. A header may be quoted in a text. Where that
 * text ends before the cursor, what follows it is damage; where it may go on, nothing is told by these bytes. A text between
 * `'''` may quote blocks whole, so that where there is one all of the bytes have to be read without damage.
 */
function nearestBorder(bytes: Buffer, nowMs: number): ChatBorder | null {
  const sizes = bytes.includes("'''") ? [] : NEAR_BYTES;
  for (const size of [...sizes, bytes.length]) {
    const border = borderBehind(bytes, Math.max(0, bytes.length - size), nowMs);
    if (border !== null) return border;
  }
  return null;
}

/** The last border, found from the first header behind `from`; null for damage, and for what may be a quotation. */
function borderBehind(bytes: Buffer, from: number, nowMs: number): ChatBorder | null {
  const line = bytes.indexOf(0x0a, from) + 1;
  const header = line === 0 ? null : findHeaderWithFrom(bytes, line);
  if (header === null || mayBeQuoted(bytes, header)) return null;
  const border = { offset: header, cursor: 0, suspicion: suspectNext(NO_SUSPICION), reported: null };
  const reader = createHeadReader({ from: border });
  const { damaged } = reader.feed(bytes.subarray(header), nowMs);
  const last = reader.end({ nowMs, unchangedMs: 0 });
  const isSure = damaged.length + last.damaged.length === 0 && reader.border.suspicion.since === null;
  return isSure ? reader.border : null;
}

const QUOTES = Buffer.from('"""');
const BACKSLASH = 0x5c;

/** Whether a text that begins before `header` may go on to the end of the bytes: no quotes behind it would end it. */
function mayBeQuoted(bytes: Buffer, header: number): boolean {
  for (let at = bytes.lastIndexOf(QUOTES); at > header; at = bytes.lastIndexOf(QUOTES, at - 1)) {
    if (bytes[at - 1] !== BACKSLASH) return false;
  }
  return bytes.includes(QUOTES);
}

const LOOKED_AT_BYTES = 8192;

/**
 * A chat file that is damaged still has a header or a text somewhere; a picture or a database has neither (CH-51).
 *
 * @throws EngramError `chat.damaged`
 */
export function refuseOtherThanText(file: ChatBytes): void {
  const bytes = readBetween(file, 0, LOOKED_AT_BYTES);
  if (isText(bytes) || /^[ \t]*\[\[(message|entry)\]\]/m.test(bytes.toString('latin1'))) return;
  throw new EngramError('chat.damaged', `${file.path} is no text`, {
    hint: 'Look at what it is, and name the chat file with --chat-file FILE.',
  });
}

function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function pastTheEnd(cursor: number, lines: number): EngramError {
  const reason = 'the file was replaced or cut; take a new one: engram chat cursor';
  return new EngramError('chat.cursor', `cursor ${cursor} is past the end (${lines} lines): ${reason}`, {
    hint: '',
  });
}
