import type { Message } from '../chat/message.ts';
import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { isFatal } from './attempts.ts';
import { type Batch, reactToAll } from './batch.ts';
import type { Inbox } from './inbox.ts';
import type { ChatPosition } from './journal.ts';
import type { Session } from './session.ts';
import { guardAt } from './start.ts';
import { type Moment, Turn } from './turn.ts';

/** Takes the messages that wait, in the order of the file. */
export interface Intake {
  /**
   * Stores what the messages lead to, until none waits or `isOver`.
   *
   * @returns how many were new
   * @throws EngramError those of `Session.apply`
   */
  take(isOver: () => boolean): Promise<number>;
}

export interface IntakeOptions {
  readonly chatFile: string;
  readonly inbox: Inbox;
  readonly hasModel: boolean;
  readonly budgetMs: number;
  session(): Session;
  db(): SqliteDatabase;
  moment(): Moment;
  onFailure(message: Message, error: unknown): void;
}

/** Messages that are stored together. */
const BATCH = 100;

export function createIntake({ chatFile, inbox, session, moment, ...options }: IntakeOptions): Intake {
  /** Before the first message that failed: the next start begins there, and tries it once more (AG-51). */
  let held: ChatPosition | null = null;
  const positionAfter = (taken: readonly Message[], failed: Message | undefined): ChatPosition => {
    if (failed !== undefined) held ??= positionAt(chatFile, failed.line - 1, failed.start);
    const last = taken.at(-1);
    if (held !== null) return held;
    return last === undefined ? session().position : positionAt(chatFile, last.cursor, last.end);
  };
  const takeSome = async (count: number, refused?: unknown): Promise<number> => {
    const messages = inbox.waiting.slice(0, count);
    let batch: Batch = { reaction: new Turn(session().state, moment()).end(), processed: [], count: 0 };
    const how = () => ({ ...options, chatFile, db: options.db(), moment: moment(), refused });
    await session().apply(
      (state) => {
        batch = reactToAll(state, messages, how());
        return batch.reaction;
      },
      () => {
        const failure = batch.processed.find(({ result }) => result === 'failed');
        const failed = messages.find(({ id, line }) => id === failure?.id && line === failure.line);
        return { processed: batch.processed, position: positionAfter(messages.slice(0, batch.count), failed) };
      },
    );
    inbox.drop(messages.slice(0, batch.count));
    return batch.processed.length;
  };
  /** What one of them leads to cannot be stored: the others go on without it (AG-51). */
  const takeSafely = async (count = BATCH): Promise<number> => {
    try {
      return await takeSome(count);
    } catch (error) {
      if (isFatal(error) || (error instanceof EngramError && error.retryable)) throw error;
      return count > 1 ? takeSafely(1) : takeSome(1, error);
    }
  };
  return {
    async take(isOver) {
      let news = 0;
      while (inbox.waiting.length > 0 && !isOver()) news += await takeSafely();
      return news;
    },
  };
}

function positionAt(chatFile: string, cursor: number, offset: number): ChatPosition {
  return { cursor, cursorOffset: offset, ...guardAt(chatFile, offset) };
}
