import { openChatFile, readInto } from './chat-file.ts';
import { refuseOtherThanText } from './cursor.ts';
import { createSightingReader } from './parse.ts';
import { openSkimmer } from './plain-blocks.ts';
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
  refuseOtherThanText(file);
  const skimmer = file.sizeBytes < FEW_BYTES ? null : openSkimmer();
  const reader = createSightingReader((sighting, suspect) => book.note(sighting, suspect, nowMs), skimmer);
  // One piece, filled again and again: making 20 MB of memory takes longer than reading as much.
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, file.sizeBytes));
  while (reader.offset < file.sizeBytes) {
    const length = readInto(file, piece.subarray(0, file.sizeBytes - reader.offset), reader.offset);
    if (length === 0) break;
    reader.feed(piece.subarray(0, length), nowMs);
  }
  reader.end({ nowMs, unchangedMs: Math.max(0, nowMs - file.modifiedMs) });
  return { book, cursor: reader.border.cursor };
}

const PIECE_BYTES = 262_144;
/** So much is read sooner than a program is started. */
const FEW_BYTES = 65_536;
