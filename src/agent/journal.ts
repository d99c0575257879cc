import { isWritableName } from '../chat/draft.ts';
import { ALL, type Message } from '../chat/message.ts';
import { EngramError } from '../errors.ts';
import { oneLine } from '../search/render-for-model.ts';
import { decideCount } from '../store/agent-counts.ts';
import { cancelPlanned, listPlanned, markPosted, type OutboxRow, planMessage } from '../store/agent-outbox.ts';
import {
  type AgentChatRow,
  deleteWork,
  type ProcessedMessage,
  saveAgentChat,
  saveAgentRecord,
  saveProcessed,
  saveWork,
} from '../store/agent-records.ts';
import { withoutStamp } from '../store/change-stamp.ts';
import { holdsLease, renewLease } from '../store/leases.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { appendEvent } from '../store/outcomes.ts';
import { immediately, type Transactable } from '../store/transaction.ts';
import { contentHash } from '../text/content-hash.ts';
import { redact } from '../text/secrets.ts';
import { isParrot } from './correction-triggers.ts';
import type { Reaction } from './turn.ts';

/** Which chat, by whom, for which project. */
export interface ChatIdentity {
  readonly chatFile: string;
  readonly name: string;
  /** Of the lease: whoever has lost it writes nothing (AG-10). */
  readonly epoch: number;
  readonly project: string | null;
}

/** A place in the chat file (AG-5). */
export type ChatPosition = Omit<AgentChatRow, 'value'>;

/** What is stored at once, or not at all (AG-10). */
export interface Commit {
  readonly reaction: Reaction;
  /** Where the file ended when it was planned. */
  readonly endCursor: number;
  readonly position: ChatPosition;
  readonly processed: readonly ProcessedMessage[];
  readonly nowMs: number;
}

/**
 * Stores what a reaction says: processed messages, cursor, counts, work and planned messages, in one transaction.
 *
 * @throws EngramError `database.busy` (nothing is stored); `agent.lost` when another process has the chat
 */
export function commit(store: Transactable, chat: ChatIdentity, { reaction, ...what }: Commit): void {
  const { chatFile } = chat;
  write(store, () => {
    const { db } = store;
    // Renewed as well: whoever has a lot to catch up with is alive all the while.
    if (!renewLease(db, chatFile, chat.epoch, what.nowMs)) requireLease(db, chat);
    for (const message of what.processed) saveProcessed(db, chatFile, message);
    for (const intent of reaction.intents) saveRecord(db, chatFile, 'intent', intent.key, intent, intent.readAtMs);
    for (const argument of reaction.arguments) {
      saveRecord(db, chatFile, 'argument', String(argument.number), argument, argument.openedAtMs);
    }
    for (const draft of reaction.drafts) {
      saveRecord(db, chatFile, 'draft', String(draft.number), { ...draft, initiator: draft.from }, draft.atMs);
    }
    for (const work of reaction.works) {
      saveWork(db, chatFile, { key: work.key, value: kept(work), atMs: what.nowMs });
    }
    for (const key of reaction.done) deleteWork(db, chatFile, key);
    for (const cause of reaction.cancels) cancelPlanned(db, chatFile, cause);
    planAll(db, chatFile, reaction, what);
    countAll(db, chat, reaction, what.nowMs);
    saveAgentChat(db, chatFile, { ...what.position, value: JSON.stringify(reaction.state.memo) });
  });
}

/** No memory changes, so what searches keep of them stays good: making that anew for each answer would cost more than it. */
function write(store: Transactable, work: () => void): void {
  withoutStamp(store.db, () => immediately(store, work));
}

function planAll(
  db: SqliteDatabase,
  chatFile: string,
  { posts }: Reaction,
  { endCursor, nowMs }: Pick<Commit, 'endCursor' | 'nowMs'>,
): void {
  for (const { cause, about, messages } of posts) {
    for (const [position, { to, thread, type, re, text }] of messages.entries()) {
      planMessage(db, chatFile, {
        ...{ cause, position, type, re, about },
        recipients: writable(to),
        thread: writableThread(thread),
        text: redact(text),
        plannedCursor: endCursor,
        atMs: nowMs,
      });
    }
  }
}

/** A sender whose name no message may be written to is answered before all (CH-31). */
function writable(to: string): string {
  return isWritableName(to) ? to : ALL;
}

const LONGEST_THREAD = 120;
const NO_THREAD = 'general';

/** A thread that a message may be written on: of a foreign one what fits in a line. */
function writableThread(thread: string): string {
  const line = [...redact(oneLine(thread))].slice(0, LONGEST_THREAD).join('').trim();
  return line === '' ? NO_THREAD : line;
}

function countAll(db: SqliteDatabase, chat: ChatIdentity, { counts }: Reaction, nowMs: number): void {
  for (const { key, name, kind, situation, thread } of counts) {
    const event = {
      name,
      project: chat.project,
      situation: situation === null ? null : redact(situation),
      thread: redact(thread),
      atMs: nowMs,
    };
    const eventKey = countKey(chat.chatFile, key);
    if (kind !== 'considered') decideCount(db, { ...event, key: eventKey, kind });
    else appendEvent(db, { ...event, eventKey, kind, delta: 0, origin: 'agent' });
  }
}

/** A key of one chat among all. */
export function countKey(chatFile: string, key: string): string {
  return `agent:${contentHash(chatFile).slice(0, 12)}:${key}`;
}

function saveRecord(
  db: SqliteDatabase,
  chatFile: string,
  kind: 'intent' | 'argument' | 'draft',
  key: string,
  value: { readonly initiator: string; readonly thread: string; readonly state: string },
  atMs: number,
): void {
  const { initiator, thread, state } = value;
  saveAgentRecord(db, chatFile, kind, { key, initiator, thread, state, value: kept(value), atMs });
}

/** JSON in which every text has marks in place of its secrets (AG-5, D14). */
function kept(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? redact(each) : each));
}

/** Notes where a planned message stands in the file. @throws EngramError `database.busy` */
export function notePosted(
  store: Transactable,
  posted: readonly { readonly id: number; readonly messageId: string }[],
): void {
  write(store, () => {
    for (const { id, messageId } of posted) markPosted(store.db, id, messageId);
  });
}

/** Messages to be posted, those of one cause together. */
export function plannedGroups(db: SqliteDatabase, chatFile: string): OutboxRow[][] {
  const groups = new Map<string, OutboxRow[]>();
  for (const row of listPlanned(db, chatFile)) {
    const group = groups.get(row.cause);
    if (group === undefined) groups.set(row.cause, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** A message as the journal keeps it. */
export function processedMessage(message: Message, result: ProcessedMessage['result'], atMs: number): ProcessedMessage {
  const { id, line, from: sender, to: recipients, thread, type } = message;
  return { id, line, sender, recipients, thread, type, isParrot: isParrot(message), result, atMs };
}

/** @throws EngramError `agent.lost` when another process has the chat */
export function requireLease(db: SqliteDatabase, { chatFile, epoch }: ChatIdentity): void {
  if (holdsLease(db, chatFile, epoch)) return;
  throw new EngramError('agent.lost', `another process answers in ${chatFile} by now`, {
    hint: 'See which: engram agent status',
  });
}
