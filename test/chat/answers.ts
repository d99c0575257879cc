import { type AnswerQuestion, type Judgement, judgeAnswers, type WaitingMoment } from '../../src/chat/judge-answers.ts';
import type { Message, MessageId } from '../../src/chat/message.ts';

/** A message on the thread `schema` to `executor`; lines follow from the number of calls in a test. */
export function message(line: number, fields: Partial<Message> = {}): Message {
  return {
    ...{ from: 'reviewer', to: 'executor', thread: 'schema', type: 'ack', ts: '2026-04-03T14:30:00Z', re: null },
    ...{ id: `id${line}` as MessageId, text: 'No objection.', repaired: false, suspect: false },
    ...{ line, cursor: line + 9, start: line * 40, end: line * 40 + 300 },
    ...fields,
  };
}

/** The intent that is waited for: id `intent`, line 1. */
export function intent(fields: Partial<Message> = {}): Message {
  const own = { from: 'executor', to: 'engram-agent, reviewer', type: 'intent', id: 'intent' as MessageId };
  return message(1, { ...own, ...fields });
}

const QUESTION: AnswerQuestion = {
  agent: 'executor',
  recipients: ['engram-agent', 'reviewer'],
  re: 'intent',
  thread: null,
  cursor: 0,
  maxWaitMs: 30_000,
};

/** Judges at one moment; everybody is there unless said otherwise. */
export function judged(
  messages: readonly Message[],
  { question = {}, ...moment }: Partial<WaitingMoment> & { readonly question?: Partial<AnswerQuestion> } = {},
): Judgement {
  const online = ['engram-agent', 'reviewer'];
  const present = { onlineAtStart: online, onlineNow: online, afterGrace: null };
  return judgeAnswers(
    { ...QUESTION, ...question },
    { messages, earlierCount: messages.length, elapsedMs: 0, ...present, ...moment },
  );
}
