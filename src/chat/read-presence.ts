import { openChatFile, readBetween } from './chat-file.ts';
import { createHeadReader } from './parse.ts';
import { createPresenceBook, type Leases, type PresenceBook } from './presence.ts';

/** Who is known to a chat, and up to where that is (CH-36). */
export interface ReadPresence {
  readonly book: PresenceBook;
  /** The last border of the file; 0 without a file. */
  readonly cursor: number;
}

const PIECE_BYTES = 1 << 22;

/**
 * Reads the whole file for who wrote when; of the texts nothing is read. Damage costs its own range.
 *
 * @param nowMs - epoch milliseconds
 * @throws EngramError `chat.damaged` for what is no regular file, `file.unreadable`
 */
export function readPresence(path: string, nowMs: number, leases?: Leases): ReadPresence {
  const book = createPresenceBook(leases);
  using file = openChatFile(path);
  if (file === null) return { book, cursor: 0 };
  const reader = createHeadReader();
  for (let at = 0; at < file.sizeBytes; at += PIECE_BYTES) {
    const bytes = readBetween(file, at, Math.min(file.sizeBytes, at + PIECE_BYTES));
    for (const message of reader.feed(bytes, nowMs).messages) book.note(message, nowMs);
  }
  const unchangedMs = Math.max(0, nowMs - file.modifiedMs);
  for (const message of reader.end({ nowMs, unchangedMs }).messages) book.note(message, nowMs);
  return { book, cursor: reader.border.cursor };
}
