import { openChatFile, readBetween } from '../chat/chat-file.ts';
import type { Message } from '../chat/message.ts';
import type { PresenceBook } from '../chat/presence.ts';
import { readAll, readChatEnd } from '../chat/read-end.ts';
import { EngramError } from '../errors.ts';
import { mayStillHold } from '../files/process-life.ts';
import { timestampMs } from '../memory/timestamps.ts';
import { hasPosted, listPlanned } from '../store/agent-outbox.ts';
import { takeLease } from '../store/leases.ts';
import type { Transactable } from '../store/transaction.ts';
import { contentHash } from '../text/content-hash.ts';
import type { ChatPosition } from './journal.ts';
import type { AgentState } from './state.ts';
import { type Mode, senderKey } from './turn.ts';

/** Somebody with this name wrote within it: perhaps it still answers (AG-2). */
const FOREIGN_MS = 11 * 60_000;
/** Bytes before the cursor by which the file is known again. */
const GUARD_BYTES = 4096;

/**
 * Takes the lease of a chat (AG-2).
 *
 * @throws EngramError `agent.running` naming the process that has it
 */
export function takeChat(store: Transactable, chatFile: string, name: string, nowMs: number): number {
  const taken = takeLease(store, { chatFile, name, pid: process.pid, nowMs }, mayStillHold);
  if ('epoch' in taken) return taken.epoch;
  const { holder } = taken;
  throw new EngramError('agent.running', `process ${holder.pid} answers in ${chatFile} already, as ${holder.name}`, {
    hint: 'See what it does: engram agent status',
  });
}

/**
 * Refuses to begin where another database's agent of the same name seems to answer: it wrote a short while ago, did not take
 * its leave, and this database did not post that (AG-2).
 *
 * @throws EngramError `agent.running`
 */
export function refuseForeign(
  store: Transactable,
  { chatFile, name }: { readonly chatFile: string; readonly name: string },
  book: PresenceBook,
  nowMs: number,
): void {
  const { state, lastTs } = book.of(name, nowMs);
  if (lastTs === null || state === 'left' || timestampMs(lastTs) < nowMs - FOREIGN_MS) return;
  const isOwnName = ({ from }: Message) => senderKey(from) === senderKey(name);
  const end = readChatEnd(chatFile, 1, isOwnName);
  using _closed = end.follower;
  const [last] = end.messages;
  if (last === undefined || hasPosted(store.db, chatFile, last.id)) return;
  // Appended by an earlier process of this database, which was killed before it noted that.
  if (listPlanned(store.db, chatFile).some(({ text, re }) => text === last.text && re === last.re)) return;
  throw new EngramError('agent.running', `somebody answers in ${chatFile} as ${name}: it wrote at ${lastTs}`, {
    hint: 'Stop it first. If it is gone: engram agent run --take-over',
  });
}

/** Where reading begins, and how what stands there is to be taken (AG-6, AG-7, AG-9). */
export interface Beginning {
  readonly cursor: number;
  readonly mode: Mode;
  readonly isCrash: boolean;
}

/** How far before the end a first start looks for intents that still wait. */
const LOOKED_BACK = 200;
const FRESH_MS = 60_000;

/** Decides where to go on. */
export function beginningOf(
  chatFile: string,
  state: AgentState,
  position: ChatPosition | null,
  { nowMs, once }: { readonly nowMs: number; readonly once: boolean },
): Beginning {
  if (position === null) {
    if (once) return { cursor: 0, mode: 'once', isCrash: false };
    return { cursor: firstCursor(chatFile, nowMs), mode: 'after-stop', isCrash: false };
  }
  const { readyAtMs, stoppedAtMs } = state.memo;
  const isCrash = readyAtMs !== null && stoppedAtMs === null;
  if (!isSameFile(chatFile, position)) return { cursor: 0, mode: once ? 'once' : 'replaced', isCrash };
  const mode = once ? 'once' : isCrash ? 'after-crash' : 'after-stop';
  return { cursor: position.cursor, mode, isCrash };
}

/** The end, but for intents that were posted within the last minute (AG-6). */
function firstCursor(chatFile: string, nowMs: number): number {
  const isFresh = ({ type, ts }: Message) => type === 'intent' && ts !== null && timestampMs(ts) >= nowMs - FRESH_MS;
  const end = readChatEnd(chatFile, LOOKED_BACK, isFresh);
  using follower = end.follower;
  readAll(follower);
  const [first] = end.messages;
  // Its header has so many lines before it.
  return first === undefined ? follower.cursor : first.line - 1;
}

/** The hash of what stands before an offset, by which the file is known again. */
export function guardAt(chatFile: string, offset: number): { readonly identity: string; readonly guard: string } {
  using file = openChatFile(chatFile);
  if (file === null) return { identity: '', guard: contentHash('') };
  const bytes = readBetween(file, Math.max(0, offset - GUARD_BYTES), offset);
  return { identity: file.identity, guard: contentHash(bytes) };
}

function isSameFile(chatFile: string, { cursorOffset, guard }: ChatPosition): boolean {
  using file = openChatFile(chatFile);
  if (file === null) return cursorOffset === 0;
  return file.sizeBytes >= cursorOffset && guardAt(chatFile, cursorOffset).guard === guard;
}
