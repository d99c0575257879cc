import { appendMessages } from '../../../src/chat/append.ts';
import type { MessageDraft } from '../../../src/chat/draft.ts';
import { type ChatFollower, followChat } from '../../../src/chat/follow.ts';
import type { Message } from '../../../src/chat/message.ts';

/** Somebody who announces intents in a chat and waits for the answers. */
export interface Asker extends Disposable {
  /** Posts one intent. @returns from the call that posts it until its answer was read, in ms, and the answer */
  ask(from: string, thread: string, text: string): Promise<Answered>;
  /** Posts all of them in one append; times run from then, when they are on disk. @returns answers in the order of the file, with the rest that was heard */
  askAll(intents: readonly Pick<MessageDraft, 'from' | 'thread' | 'text'>[]): Promise<Burst>;
}

export interface Answered {
  readonly tookMs: number;
  readonly answer: Message;
}

export interface Burst {
  readonly answered: readonly Answered[];
  /** Places of the answered intents, in the order in which the answers stand in the file. */
  readonly order: readonly number[];
  /** What the agent said besides. */
  readonly notices: readonly Message[];
}

const AGENT = 'engram-agent';
/** Longer than any budget: who waits so long is told. */
const LONGEST_MS = 60_000;

/** @param chatFile - a chat in which an agent runs; it is read from its end on */
export function openAsker(chatFile: string): Asker {
  const follower = followChat(chatFile, null);
  follower.read();
  const post = (intents: readonly Pick<MessageDraft, 'from' | 'thread' | 'text'>[]) =>
    appendMessages(
      chatFile,
      intents.map((intent) => ({ ...intent, to: AGENT, type: 'intent' })),
    ).messages;
  return {
    async ask(from, thread, text) {
      const postedMs = performance.now();
      const [intent] = post([{ from, thread, text }]);
      for (;;) {
        const answer = (await heard(follower, postedMs)).find(({ re, type }) => re === intent?.id && isAnswer(type));
        if (answer !== undefined) return { tookMs: performance.now() - postedMs, answer };
      }
    },
    async askAll(intents) {
      const places = new Map<string, number>(post(intents).map(({ id }, place) => [id, place]));
      const postedMs = performance.now();
      const answered: Answered[] = [];
      const order: number[] = [];
      const notices: Message[] = [];
      while (order.length < intents.length) {
        for (const message of await heard(follower, postedMs)) {
          const place = message.re === null ? undefined : places.get(message.re);
          if (place !== undefined && isAnswer(message.type)) {
            answered.push({ tookMs: performance.now() - postedMs, answer: message });
            order.push(place);
          } else if (message.from === AGENT) notices.push(message);
        }
      }
      return { answered, order, notices };
    },
    [Symbol.dispose]: () => follower[Symbol.dispose](),
  };
}

function isAnswer(type: string): boolean {
  return type === 'ack' || type === 'wait';
}

async function heard(follower: ChatFollower, sinceMs: number): Promise<readonly Message[]> {
  const { messages } = follower.read();
  if (messages.length > 0) return messages;
  if (performance.now() - sinceMs > LONGEST_MS) throw new Error('no answer within a minute');
  await follower.changed(250);
  return [];
}
