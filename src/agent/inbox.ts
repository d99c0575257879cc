import { type ChatFollower, followChat } from '../chat/follow.ts';
import type { Message } from '../chat/message.ts';
import type { DamagedRange } from '../chat/parse.ts';
import type { Clock } from '../clock.ts';
import { EngramError } from '../errors.ts';
import type { OutboxRow } from '../store/agent-outbox.ts';
import { answeredBy, answerKey } from './intents.ts';
import type { AgentState } from './state.ts';
import { type Mode, senderKey } from './turn.ts';

/** Messages that were read and are not processed yet. */
export interface Inbox extends Disposable {
  /** Reads all there is. Takes no lock; nothing is stored here. */
  read(): void;
  /** Oldest first. */
  readonly waiting: readonly Message[];
  /** How the ones that wait are to be taken. */
  readonly mode: Mode;
  /** The first `count` are processed. */
  drop(count: number): void;
  /** Behind what was read. */
  readonly cursor: number;
  /** Why the file cannot be read now; null: it can. */
  readonly failure: EngramError | null;
  /** Resolves when there may be more to read. */
  changed(waitMs: number): Promise<void>;
}

export interface InboxOptions {
  readonly chatFile: string;
  readonly cursor: number;
  readonly mode: Mode;
  /** How messages are taken once all that was there is processed. */
  readonly later: Mode;
  readonly clock: Clock;
  onMessage(message: Message): void;
  onDamage(range: DamagedRange): void;
}

/** Follows a chat file through replacements and cuts (AG-9). */
export function openInbox({ chatFile, clock, ...options }: InboxOptions): Inbox {
  let follower = followChat(chatFile, options.cursor, clock);
  let { mode } = options;
  let waiting: Message[] = [];
  let failure: EngramError | null = null;
  const readOnce = (): ReturnType<ChatFollower['read']> | null => {
    try {
      const news = follower.read();
      failure = null;
      return news;
    } catch (error) {
      if (!(error instanceof EngramError)) throw error;
      if (error.code !== 'chat.cursor') {
        failure = error;
        return null;
      }
      // Another file, or a shorter one: all of it is read, and what is known of it skipped.
      follower[Symbol.dispose]();
      follower = followChat(chatFile, 0, clock);
      [waiting, mode] = [[], 'replaced'];
      return { messages: [], damaged: [], isAll: false };
    }
  };
  return {
    read() {
      for (let isAll = false; !isAll; ) {
        const news = readOnce();
        if (news === null) return;
        for (const message of news.messages) options.onMessage(message);
        for (const range of news.damaged) options.onDamage(range);
        waiting.push(...news.messages);
        ({ isAll } = news);
      }
      if (waiting.length === 0) mode = options.later;
    },
    get waiting() {
      return waiting;
    },
    get mode() {
      return mode;
    },
    get cursor() {
      return follower.cursor;
    },
    get failure() {
      return failure;
    },
    drop(count) {
      waiting = waiting.slice(count);
      if (waiting.length === 0) mode = options.later;
    },
    changed: (waitMs) => follower.changed(waitMs),
    [Symbol.dispose]: () => follower[Symbol.dispose](),
  };
}

/**
 * Whether somebody has answered in the agent's name what a group of messages answers (AG-10). Asked under the chat's lock, so
 * that what came in since is read first.
 */
export function isAnswered(group: readonly OutboxRow[], inbox: Inbox, state: AgentState): boolean {
  const answer = group.find(({ type }) => type === 'ack' || type === 'wait');
  if (answer === undefined || !answer.cause.startsWith('answer:')) return false;
  inbox.read();
  return inbox.waiting.some((message) => {
    if (senderKey(message.from) !== senderKey(state.name)) return false;
    if (message.type !== 'ack' && message.type !== 'wait') return false;
    const intent = answeredBy(state, message);
    return intent !== null && answerKey(intent) === answer.cause;
  });
}
