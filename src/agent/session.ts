import type { Clock } from '../clock.ts';
import { EngramError } from '../errors.ts';
import type { OutboxRow } from '../store/agent-outbox.ts';
import type { ProcessedMessage } from '../store/agent-records.ts';
import type { Transactable } from '../store/transaction.ts';
import { joined } from './batch.ts';
import { type ChatIdentity, type ChatPosition, commit, requireLease } from './journal.ts';
import { linked } from './linked.ts';
import { type PostedRow, postPlanned } from './outbox.ts';
import type { AgentState } from './state.ts';
import type { Moment, Reaction } from './turn.ts';

/** What a session asks of the process around it. */
export interface SessionOptions {
  readonly chat: ChatIdentity;
  store(): Transactable;
  readonly clock: Clock;
  moment(): Moment;
  /** Where the file ends, as far as it was read. */
  endCursor(): number;
  /** Reads what came in, under the chat's lock; true where an answer under the own name stands there (AG-10). */
  isAnswered(group: readonly OutboxRow[]): boolean;
  /** Called after each reaction that is stored. */
  onReaction(reaction: Reaction): void;
  onRefused(group: readonly OutboxRow[], error: EngramError): void;
  /** Waits before another try. */
  pause(ms: number): Promise<void>;
}

/** The state of one chat, changed by one reaction after the other: stored first, then posted. */
export interface Session {
  readonly state: AgentState;
  readonly position: ChatPosition;
  /**
   * Stores a reaction that is made from the state as it is then, and posts what it plans.
   *
   * @param advance - asked once the reaction is made: what it is a reaction to, and the new cursor
   * @throws EngramError `agent.lost`, `database.*` but for busy, which is waited for
   */
  apply(make: (state: AgentState) => Reaction, advance?: () => Advance): Promise<void>;
  /** Posts what is planned and could not be posted before. */
  flush(): Promise<void>;
  /** Why the last planned message is not out; null: all are. */
  readonly blocked: EngramError | null;
}

export interface Advance {
  readonly processed: readonly ProcessedMessage[];
  readonly position: ChatPosition;
}

const BUSY_MS = 50;

/** @param start - what was stored before */
export function openSession(
  start: { readonly state: AgentState; readonly position: ChatPosition },
  options: SessionOptions,
): Session {
  let { state, position } = start;
  const wanted: Wanted[] = [];
  let blocked: EngramError | null = null;
  let last: Promise<void> = Promise.resolve();
  /** One after the other, also where a busy database makes one of them wait. */
  const exclusively = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  const store = async (reaction: Reaction, advance: Advance): Promise<void> => {
    for (;;) {
      try {
        commit(options.store(), options.chat, {
          reaction,
          ...advance,
          endCursor: options.endCursor(),
          nowMs: options.clock(),
        });
        return;
      } catch (error) {
        if (!(error instanceof EngramError) || error.code !== 'database.busy') throw error;
        await options.pause(BUSY_MS);
      }
    }
  };
  const take = async (reactions: readonly Reaction[], advance: Advance): Promise<void> => {
    const [first, ...others] = reactions;
    if (first === undefined) return;
    const all = others.reduce(joined, first);
    if (!isEmpty(all, state) || advance.processed.length > 0) await store(all, advance);
    ({ state } = all);
    ({ position } = advance);
    for (const reaction of reactions) options.onReaction(reaction);
  };
  const post = async (): Promise<void> => {
    const posted: PostedRow[] = [];
    try {
      blocked = postPlanned(options.store(), {
        chatFile: options.chat.chatFile,
        name: options.chat.name,
        clock: options.clock,
        requireLease: () => requireLease(options.store().db, options.chat),
        isAnswered: options.isAnswered,
        onPosted: (rows) => posted.push(...rows),
        onRefused: options.onRefused,
      });
    } catch (error) {
      if (!(error instanceof EngramError) || error.code !== 'database.busy') throw error;
      blocked = error;
    }
    if (posted.some(({ row }) => row.about !== null)) {
      await take([linked(state, options.moment(), posted)], { processed: [], position });
    }
  };
  /** What waits when it begins is stored and posted together: writing to disk takes longest, and as long for one as for many. */
  const applySome = async (): Promise<void> => {
    if (wanted.length === 0) return;
    await new Promise((resolve) => setImmediate(resolve));
    const some = firstTogether(wanted);
    wanted.splice(0, some.length);
    const made: { readonly reaction: Reaction; readonly one: Wanted }[] = [];
    for (const one of some) {
      try {
        made.push({ reaction: one.make(made.at(-1)?.reaction.state ?? state), one });
      } catch (error) {
        one.reject(error);
      }
    }
    try {
      const advance = made[0]?.one.advance?.() ?? { processed: [], position };
      await take(
        made.map(({ reaction }) => reaction),
        advance,
      );
      await post();
      for (const { one } of made) one.resolve();
    } catch (error) {
      for (const { one } of made) one.reject(error);
    }
  };
  return {
    get state() {
      return state;
    },
    get position() {
      return position;
    },
    get blocked() {
      return blocked;
    },
    apply: (make, advance) =>
      new Promise((resolve, reject) => {
        wanted.push({ make, advance, resolve, reject });
        void exclusively(applySome);
      }),
    flush: () => exclusively(post),
  };
}

/** A reaction that somebody waits for. */
interface Wanted {
  make(state: AgentState): Reaction;
  readonly advance: (() => Advance) | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** One that moves the cursor stands alone: an answer of others, read with it, may take back what was planned before. */
function firstTogether(wanted: readonly Wanted[]): Wanted[] {
  const end = wanted.findIndex(({ advance }) => advance !== undefined);
  if (end === 0) return wanted.slice(0, 1);
  return wanted.slice(0, end === -1 ? wanted.length : end);
}

function isEmpty(reaction: Reaction, before: AgentState): boolean {
  const { intents, arguments: open, drafts, posts, cancels, counts, works, done, state } = reaction;
  return (
    [intents, open, drafts, posts, cancels, counts, works, done].every((list) => list.length === 0) &&
    state.memo === before.memo
  );
}
