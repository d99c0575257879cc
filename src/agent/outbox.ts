import { appendWhere } from '../chat/append.ts';
import { followChat } from '../chat/follow.ts';
import type { Message } from '../chat/message.ts';
import { readAll } from '../chat/read-end.ts';
import type { Clock } from '../clock.ts';
import { EngramError } from '../errors.ts';
import { timestampMs } from '../memory/timestamps.ts';
import type { OutboxRow } from '../store/agent-outbox.ts';
import { cancelPlanned, listOutbox, listPlanned } from '../store/agent-outbox.ts';
import { immediately, type Transactable } from '../store/transaction.ts';
import { type ChatIdentity, notePosted, plannedGroups } from './journal.ts';
import { linked } from './linked.ts';
import type { AgentState } from './state.ts';
import { type Moment, senderKey } from './turn.ts';

/** A message of the agent that stands in the file. */
export interface PostedRow {
  readonly row: OutboxRow;
  readonly messageId: string;
}

/** How planned messages go out. */
export interface OutboxOptions {
  readonly chatFile: string;
  readonly name: string;
  readonly clock: Clock;
  /** Asked under the chat's lock: whoever has lost the lease posts nothing. @throws EngramError `agent.lost` */
  requireLease(): void;
  /** Reads what came in since; true where an answer stands under the own name that makes this group needless (AG-10). */
  isAnswered(group: readonly OutboxRow[]): boolean;
  /** Called once a group stands in the file. */
  onPosted(posted: readonly PostedRow[]): void;
  /** Called for messages that can never be posted. */
  onRefused(group: readonly OutboxRow[], error: EngramError): void;
}

/**
 * Posts what is planned, a group in one append, in the order of the plan (AG-10).
 *
 * @returns why it stopped before the end, for another try: the file is locked, the disk full; null when all is out
 * @throws EngramError `database.busy`: a group is in the file and not noted; the next call notes it; `agent.lost`
 */
export function postPlanned(store: Transactable, options: OutboxOptions): EngramError | null {
  const { chatFile } = options;
  const groups = plannedGroups(store.db, chatFile);
  const [together, others] = [groups.slice(0, MOST_TOGETHER), groups.slice(MOST_TOGETHER)];
  if (together.length > 1 && postTogether(store, together, options)) {
    return others.length === 0 ? null : postPlanned(store, options);
  }
  for (const group of groups) {
    try {
      const rows = postGroup(store, group, options);
      if (rows.length > 0) options.onPosted(rows);
    } catch (error) {
      if (!(error instanceof EngramError) || error.code === 'agent.lost' || isDatabaseError(error)) throw error;
      if (error.code !== 'chat.draft' && error.code !== 'chat.secret') return error;
      // A thread or a name that no message of ours may have: nobody can be answered there.
      cancel(store, chatFile, group);
      options.onRefused(group, error);
    }
  }
  return null;
}

/** Groups that go out in one append. */
const MOST_TOGETHER = 100;

/** In one append, which costs no more than that of one group. False: nothing is written, each alone says why. */
function postTogether(store: Transactable, groups: readonly (readonly OutboxRow[])[], options: OutboxOptions): boolean {
  const posted = appended(groups.flat(), () => !groups.some((group) => options.isAnswered(group)), options);
  if (posted === null) return false;
  noteInTheEnd(store, posted);
  options.onPosted(posted);
  return true;
}

function postGroup(store: Transactable, group: readonly OutboxRow[], options: OutboxOptions): PostedRow[] {
  const rows = append(group, () => !options.isAnswered(group), options);
  if (rows === null) cancel(store, options.chatFile, group);
  else noteInTheEnd(store, rows);
  return rows ?? [];
}

/** Null where they are not wanted, or not all of them can be posted. */
function appended(...asked: Parameters<typeof append>): ReturnType<typeof append> {
  try {
    return append(...asked);
  } catch (error) {
    if (!(error instanceof EngramError) || error.code === 'agent.lost' || isDatabaseError(error)) throw error;
    return null;
  }
}

function append(
  rows: readonly OutboxRow[],
  isWanted: () => boolean,
  { chatFile, name, clock, requireLease }: OutboxOptions,
): PostedRow[] | null {
  const drafts = rows.map(({ recipients, thread, type, re, text }) => ({
    from: name,
    to: recipients,
    thread,
    type,
    re,
    text,
  }));
  const mayAppend = () => {
    requireLease();
    return isWanted();
  };
  const posted = appendWhere(chatFile, drafts, mayAppend, { wait: false, redact: true, now: clock });
  if (posted === null) return null;
  return rows.flatMap((row, at) => {
    const message = posted.messages[at];
    return message === undefined ? [] : [{ row, messageId: message.id }];
  });
}

function isDatabaseError({ code }: EngramError): boolean {
  return code === 'database.busy' || code === 'database.damaged' || code === 'database.failed';
}

function cancel(store: Transactable, chatFile: string, group: readonly OutboxRow[]): void {
  const [first] = group;
  if (first !== undefined) immediately(store, () => cancelPlanned(store.db, chatFile, first.cause));
}

/** What is in the file has to be noted before anything else is stored: it is searched for from the plan's cursor on. */
function noteInTheEnd(store: Transactable, rows: readonly PostedRow[]): void {
  const posted = rows.map(({ row, messageId }) => ({ id: row.id, messageId }));
  for (let attempt = 1; ; attempt += 1) {
    try {
      notePosted(store, posted);
      return;
    } catch (error) {
      if (!(error instanceof EngramError) || error.code !== 'database.busy' || attempt === NOTE_ATTEMPTS) throw error;
    }
  }
}

const NOTE_ATTEMPTS = 20;

/**
 * Finds planned messages that stand in the file already: an earlier process was killed between appending and noting
 * (AG-10). Own name, same `re`, type, thread and text, behind where the file ended at the plan.
 *
 * @throws EngramError those of `followChat`
 */
function findPosted(chatFile: string, name: string, planned: readonly OutboxRow[], clock: Clock): PostedRow[] {
  const [first] = planned;
  if (first === undefined) return [];
  const since = Math.min(...planned.map(({ plannedCursor }) => plannedCursor));
  const own = messagesSince(chatFile, since, clock).filter(({ from }) => senderKey(from) === senderKey(name));
  const taken = new Set<Message>();
  return planned.flatMap((row) => {
    const found = own.find((message) => !taken.has(message) && isFound(message, row));
    if (found === undefined) return [];
    taken.add(found);
    return [{ row, messageId: found.id }];
  });
}

/** Behind a cursor; all there are where the file was cut or replaced by a shorter one. */
function messagesSince(chatFile: string, cursor: number, clock: Clock): readonly Message[] {
  try {
    using follower = followChat(chatFile, cursor, clock);
    return readAll(follower).messages;
  } catch (error) {
    if (!(error instanceof EngramError) || error.code !== 'chat.cursor') throw error;
    using follower = followChat(chatFile, 0, clock);
    return readAll(follower).messages;
  }
}

/**
 * What an earlier process left: planned messages that stand in the file already are noted as posted, and arguments and drafts
 * know their messages.
 *
 * @throws EngramError `database.busy`, those of `followChat`
 */
export function foundAgain(
  store: Transactable,
  { chatFile, name }: ChatIdentity,
  state: AgentState,
  moment: Moment,
  clock: Clock,
): AgentState {
  const found = findPosted(chatFile, name, listPlanned(store.db, chatFile), clock);
  if (found.length > 0)
    notePosted(
      store,
      found.map(({ row, messageId }) => ({ id: row.id, messageId })),
    );
  const about = listOutbox(store.db, chatFile, moment.nowMs - LINKED_MS).filter((row) => row.about !== null);
  const posted = about.flatMap((row) => (row.messageId === null ? [] : [{ row, messageId: row.messageId }]));
  return linked(state, moment, posted).state;
}

/** Behind where the file ended at the plan; where lines say nothing any more, not older than the plan. */
function isFound(message: Message, row: OutboxRow): boolean {
  const isLater = message.line > row.plannedCursor;
  const isYounger = message.ts !== null && timestampMs(message.ts) >= Math.floor(row.atMs / 1000) * 1000;
  return (isLater || isYounger) && isPlanned(message, row);
}

/** Drafts and escalations wait for a day. */
const LINKED_MS = 2 * 24 * 60 * 60_000;

/** Whether a message is the one that was planned, wherever it stands. */
export function isPlanned({ re, type, thread, text }: Message, row: OutboxRow): boolean {
  return re === row.re && type === row.type && thread === row.thread && text === row.text;
}
