import { openChatFile, readBetween } from './chat-file.ts';
import { visitHeads } from './parse.ts';
import { createPresenceBook, type Leases, type PresenceBook } from './presence.ts';

/** Who is known to a chat, and up to where that is (CH-36). */
export interface ReadPresence {
  readonly book: PresenceBook;
  /** The last border of the file; 0 without a file. */
  readonly cursor: number;
}

/**
 * Reads the whole file for who wrote when; of the texts nothing is read. Damage costs its own range.
 *
 * @param nowMs - epoch milliseconds
 * @throws EngramError `chat.damaged` for what is no regular file, `file.unreadable`
 */
export function readChatPresence(path: string, nowMs: number, leases?: Leases): ReadPresence {
  const book = createPresenceBook(leases);
  using file = openChatFile(path);
  if (file === null) return { book, cursor: 0 };
  const moment = { nowMs, unchangedMs: Math.max(0, nowMs - file.modifiedMs) };
  const bytes = readBetween(file, 0, file.sizeBytes);
  const { cursor } = visitHeads(bytes, moment, (fields, suspect) => book.note(fields, suspect, nowMs));
  return { book, cursor };
}
