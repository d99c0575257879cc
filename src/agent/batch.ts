import type { Message } from '../chat/message.ts';
import { timestampMs } from '../memory/timestamps.ts';
import { type ProcessedMessage, resultOf } from '../store/agent-records.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { answerKey } from './intents.ts';
import { processedMessage } from './journal.ts';
import { react } from './react.ts';
import { type AgentState, intentKey } from './state.ts';
import { answerIntent } from './surfacing.ts';
import { type Moment, type Reaction, Turn } from './turn.ts';

/** Messages that are stored together, and what they lead to. */
export interface Batch {
  readonly reaction: Reaction;
  readonly processed: readonly ProcessedMessage[];
  /** How many of the messages were taken: those behind an order to leave are left for the next start. */
  readonly count: number;
}

export interface BatchOptions {
  readonly db: SqliteDatabase;
  readonly chatFile: string;
  readonly moment: Moment;
  readonly hasModel: boolean;
  readonly budgetMs: number;
  onFailure(message: Message, error: unknown): void;
  /** Why what the only message leads to could not be stored before: it is taken as one that fails. */
  readonly refused?: unknown;
}

/**
 * Reacts to messages in the order of the file; those that were processed before change nothing (AG-11). A message that makes the agent
 * fail does not keep the others from their answer: an intent gets T6, another message is tried once more at the next start
 * (AG-51).
 */
export function reactToAll(state: AgentState, messages: readonly Message[], options: BatchOptions): Batch {
  let reaction = new Turn(state, options.moment).end();
  const processed: ProcessedMessage[] = [];
  const isKnownById = options.moment.mode === 'replaced';
  const ids = new Set<string>();
  let count = 0;
  for (const message of messages) {
    count += 1;
    if (isKnownById && ids.has(message.id)) continue;
    ids.add(message.id);
    const before = resultBefore(message, options);
    if (before === 'done' || before === 'given-up') continue;
    const { next, result } = reactSafely(reaction.state, message, options);
    reaction = joined(reaction, next);
    processed.push(
      processedMessage(
        message,
        result === 'failed' && before === 'failed' ? 'given-up' : result,
        atMsOf(message, options),
      ),
    );
    if (next.stops) break;
  }
  return { reaction, processed, count };
}

function atMsOf({ ts }: Message, { moment }: BatchOptions): number {
  return ts === null ? moment.nowMs : Math.min(timestampMs(ts), moment.nowMs);
}

/** Where the file was replaced, lines say nothing: the id alone decides (AG-11). */
function resultBefore(
  { id, line }: Message,
  { db, chatFile, moment }: BatchOptions,
): ProcessedMessage['result'] | null {
  return resultOf(db, chatFile, id, moment.mode === 'replaced' ? null : line);
}

function reactSafely(
  state: AgentState,
  message: Message,
  { moment, hasModel, budgetMs, onFailure, refused }: BatchOptions,
): { readonly next: Reaction; readonly result: ProcessedMessage['result'] } {
  try {
    if (refused !== undefined) throw refused;
    return { next: react(state, message, moment, hasModel), result: 'done' };
  } catch (error) {
    onFailure(message, error);
    const turn = new Turn(state, moment);
    turn.add('errors');
    if (message.type !== 'intent') return { next: turn.end(), result: 'failed' };
    refuse(turn, message, budgetMs);
    return { next: turn.end(), result: 'done' };
  }
}

/** T6 for an intent that could not even be read. */
function refuse(turn: Turn, message: Message, budgetMs: number): void {
  const { id, line, from: initiator, thread, text } = message;
  const key = intentKey(message);
  const { nowMs } = turn;
  turn.putIntent({
    ...{ key, id, line, initiator, thread, text },
    ...{ situation: '', behavior: '', state: 'open', shown: [], failed: false },
    ...{ readAtMs: nowMs, sentAtMs: nowMs },
  });
  answerIntent(turn, key, { failed: 'internal error' }, budgetMs);
  turn.done(answerKey({ key }));
}

/** What two reactions lead to, the second made from the state of the first. */
export function joined(one: Reaction, next: Reaction): Reaction {
  return {
    state: next.state,
    intents: [...one.intents, ...next.intents],
    arguments: [...one.arguments, ...next.arguments],
    drafts: [...one.drafts, ...next.drafts],
    posts: [...one.posts, ...next.posts],
    cancels: [...one.cancels, ...next.cancels],
    counts: [...one.counts, ...next.counts],
    works: [...one.works, ...next.works],
    done: [...one.done, ...next.done],
    stops: one.stops || next.stops,
  };
}
