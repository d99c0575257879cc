import { type ChatFollower, followChat } from '../chat/follow.ts';
import type { Message } from '../chat/message.ts';
import type { DamagedRange } from '../chat/parse.ts';
import type { Clock } from '../clock.ts';
import { EngramError } from '../errors.ts';
import type { OutboxRow } from '../store/agent-outbox.ts';
import { answeredBy, answerKey } from './intents.ts';
import { isPlanned } from './outbox.ts';
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
  /** These are processed. What a file that was put in its place meanwhile holds instead stays. */
  drop(processed: readonly Message[]): void;
  /** How often other bytes stood before the place where reading went on. */
  readonly replacements: number;
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
  let { mode } = options;
  let replacements = 0;
  const again = (): ChatFollower => {
    [mode, replacements] = ['replaced', replacements + 1];
    return followChat(chatFile, 0, clock);
  };
  let follower = startAt(chatFile, options.cursor, clock) ?? again();
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
      follower = again();
      waiting = [];
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
    get replacements() {
      return replacements;
    },
    drop(processed) {
      const gone = new Set(processed);
      waiting = waiting.filter((message) => !gone.has(message));
      if (waiting.length === 0) mode = options.later;
    },
    changed: (waitMs) => follower.changed(waitMs),
    [Symbol.dispose]: () => follower[Symbol.dispose](),
  };
}

/** Null where the file has fewer lines than the cursor. */
function startAt(chatFile: string, cursor: number, clock: Clock): ChatFollower | null {
  try {
    return followChat(chatFile, cursor, clock);
  } catch (error) {
    if (error instanceof EngramError && error.code === 'chat.cursor') return null;
    throw error;
  }
}

/**
 * Whether somebody has answered in the agent's name what a group of messages answers, or has posted this very group: another
 * process of this database, which has lost the chat meanwhile (AG-10). Asked under the chat's lock, so that what came in
 * since is read first.
 */
export function isAnswered(group: readonly OutboxRow[], inbox: Inbox, state: AgentState): boolean {
  inbox.read();
  const own = inbox.waiting.filter(({ from }) => senderKey(from) === senderKey(state.name));
  if (group.every((row) => row.re !== null && own.some((message) => isPlanned(message, row)))) return true;
  const answer = group.find(({ type }) => type === 'ack' || type === 'wait');
  if (answer === undefined || !answer.cause.startsWith('answer:')) return false;
  return own.some((message) => {
    if (message.type !== 'ack' && message.type !== 'wait') return false;
    const intent = answeredBy(state, message);
    return intent !== null && answerKey(intent) === answer.cause;
  });
}
