import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, systemClock, wholeSecondTimestamp } from '../clock.ts';
import { EngramError } from '../errors.ts';
import { type FileSystem, realFileSystem } from '../files/file-system.ts';
import { acquireLock } from '../files/lock.ts';
import { pause as pauseThread } from '../files/pause.ts';
import { writeFailure } from '../files/replace-file.ts';
import { type Appended, appendBytes } from './append-bytes.ts';
import { checkDraft, type MessageDraft } from './draft.ts';
import { createEndReader, type EndReader, type FileEnd } from './file-end.ts';
import { countLineEnds } from './line-ends.ts';
import type { Message } from './message.ts';
import { renderMessage } from './render.ts';

/** What was posted, as the reader will return it. */
export interface Posted {
  /** In the order of the drafts. */
  readonly messages: readonly Message[];
  /** Just behind the last of them (CH-15). */
  readonly cursor: number;
}

/** How messages are appended. */
export interface AppendOptions {
  /** Secrets are replaced instead of refused (CH-16). */
  readonly redact?: boolean;
  /** False: never wait for others, as a process with an event loop must not (MF-39). True by default. */
  readonly wait?: boolean;
  /** Gives the messages their time, under the lock (CH-10). */
  readonly now?: Clock;
  /** Waits that many milliseconds. */
  readonly pause?: (ms: number) => void;
}

/**
 * Appends messages that belong together to a chat file, under its lock and in one write (CH-9 to CH-16). On return they are
 * on disk, next to each other. Makes the file and its directory where they are missing. A block that somebody left
 * unfinished at the end is closed first, by appending only (CH-13).
 *
 * @param file - absolute path; its lock is `<file>.lock`
 * @throws EngramError `chat.draft`, `chat.secret` (nothing is written); `lock.timeout`, `write.contended`;
 * `disk.full`, `file.write` (nothing is written, unless the message says what is left); `chat.damaged` for what is no
 * regular file; `file.unreadable`
 */
export function appendMessages(
  file: string,
  drafts: readonly MessageDraft[],
  options: AppendOptions = {},
  fs: FileSystem = realFileSystem,
): Posted {
  const posted = appendWhere(file, drafts, () => true, options, fs);
  if (posted === null) throw contended(file);
  return posted;
}

/**
 * `appendMessages` for messages that others may have made needless: under the lock, once nothing of the file is unread,
 * `isWanted` is asked; nothing is written, and null returned, where they are not.
 *
 * @throws EngramError as `appendMessages`
 */
export function appendWhere(
  file: string,
  drafts: readonly MessageDraft[],
  isWanted: () => boolean,
  options: AppendOptions = {},
  fs: FileSystem = realFileSystem,
): Posted | null {
  const { redact = false, wait = true, now = systemClock, pause = pauseThread } = options;
  const checked = drafts.map((draft) => checkDraft(draft, { redact }));
  const end = createEndReader(file);
  // Most of a large file is read before anybody has to wait for it.
  end.read(now());
  makeDirectory(dirname(file), fs);
  using lock = acquireLock(file, { wait, now, pause }, fs);
  for (let attempt = 1; attempt <= ATTEMPTS && lock.isOurs(); attempt += 1) {
    const found = settledEnd(file, end, { wait, now, pause });
    const ts = wholeSecondTimestamp(now());
    const rendered = checked.map(({ from, to, thread, type, re, text }) =>
      renderMessage({ from, to, thread, type, ts, re, text }),
    );
    const repair = repairOf(found);
    const bytes = Buffer.from(repair + rendered.map(({ block }) => block).join(''));
    // Whatever comes in after this look changes the size, and is looked at in the next round.
    if (!isWanted()) return null;
    const appended = lock.isOurs() ? appendBytes(file, bytes, found.sizeBytes, fs) : null;
    if (appended !== null) return posted(rendered, repair, found, appended);
  }
  throw contended(file);
}

/** Each finds that a writer without the lock has just appended. */
const ATTEMPTS = 20;
/** An open block is left alone for so long after its last change, and for so long in all. */
const SETTLED_MS = 1000;
const LONGEST_WAIT_MS = 10_000;
const STEP_MS = 50;

function makeDirectory(directory: string, fs: FileSystem): void {
  if (existsSync(directory)) return;
  try {
    fs.mkdirSync(directory, { mode: 0o700, recursive: true });
  } catch (error) {
    throw writeFailure(directory, error);
  }
}

/** The end of the file once nobody seems to be writing the block that is open there (CH-13). */
function settledEnd(file: string, end: EndReader, options: Required<Omit<AppendOptions, 'redact'>>): FileEnd {
  const { wait, now, pause } = options;
  let sizeBytes = -1;
  let unchangedMs = 0;
  for (let waitedMs = 0; ; waitedMs += STEP_MS) {
    const found = end.read(now());
    // Counted too, since a clock that is set back would never get there.
    unchangedMs = found.sizeBytes === sizeBytes ? unchangedMs + STEP_MS : 0;
    sizeBytes = found.sizeBytes;
    if (found.tail.closing === null || Math.max(unchangedMs, found.unchangedMs) >= SETTLED_MS) return found;
    if (!wait || waitedMs >= LONGEST_WAIT_MS) throw contended(file);
    pause(STEP_MS);
  }
}

/**
 * What has to stand before a new block (CH-13). Where others have written behind an open string, quotes alone would make
 * their messages part of a text. With words behind the quotes it is open damage, readers look for those messages (CH-19),
 * and then find nothing but a comment here.
 */
function repairOf({ endsWithLineEnd, tail }: FileEnd): string {
  const lineEnd = endsWithLineEnd ? '' : '\n';
  if (tail.closing === null) return lineEnd;
  return `${lineEnd}${tail.hidesHeader ? `# ${tail.closing} was not closed` : tail.closing}\n`;
}

function posted(
  rendered: readonly { readonly block: string; readonly message: Message }[],
  repair: string,
  { lineEnds }: FileEnd,
  { start, between }: Appended,
): Posted {
  let lines = lineEnds + countLineEnds(between, 0, between.length) + repair.split('\n').length - 1;
  let offset = start + Buffer.byteLength(repair);
  const messages = rendered.map(({ message }) => {
    const { line, cursor } = message;
    const placed = {
      line: lines + line,
      cursor: lines + cursor,
      start: offset + message.start,
      end: offset + message.end,
    };
    lines += cursor;
    offset += message.end;
    return { ...message, ...placed };
  });
  return { messages, cursor: lines };
}

function contended(file: string): EngramError {
  return new EngramError('write.contended', `${file}: somebody without the lock is writing`, { hint: 'Try again.' });
}
