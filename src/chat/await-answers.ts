import { type Clock, systemClock } from '../clock.ts';
import { followChat } from './follow.ts';
import { type AfterGrace, type AnswerOutcome, type AnswerQuestion, GRACE_MS, judgeAnswers } from './judge-answers.ts';
import { ALL, foldedName, type Message, principalName } from './message.ts';
import type { DamagedRange } from './parse.ts';
import type { Leases, PresenceBook } from './presence.ts';
import { readAll } from './read-end.ts';
import { readChatPresence } from './read-presence.ts';

/** What somebody who waits for answers wants to hear meanwhile. */
export interface AwaitOptions {
  /** Who holds the memory agent's lease; nobody by default (CH-35). */
  readonly leases?: () => Promise<Leases>;
  readonly clock?: Clock;
  /** Called once, when somebody who is there has not answered for 5 s. */
  readonly onSilent?: (names: readonly string[]) => void;
  /** Called once, as soon as it is known who is there; not where the answers are there before. */
  readonly onPresence?: (isOnline: (name: string) => boolean) => void;
  /** Called for each message behind the cursor, in order. */
  readonly onMessage?: (message: Message) => void;
  /** Called once for each damaged range behind the cursor. */
  readonly onDamage?: (range: DamagedRange) => void;
}

/**
 * Waits for the answers to an intent (CH-46 to CH-48). Posts nothing and takes no lock. The first 5 s and the limit of the
 * question count from this call.
 *
 * @throws EngramError those of `followChat`
 */
export async function awaitAnswers(
  path: string,
  question: AnswerQuestion,
  options: AwaitOptions = {},
): Promise<AnswerOutcome> {
  const { leases, clock = systemClock, onSilent, onPresence, onMessage, onDamage } = options;
  const startedMs = performance.now();
  using follower = followChat(path, question.cursor, clock);
  const messages: Message[] = [];
  let book: PresenceBook | null = null;
  let earlierCount = 0;
  let onlineAtStart: readonly string[] = [];
  let afterGrace: AfterGrace | null = null;
  let wasSilent = false;
  for (;;) {
    const news = readAll(follower);
    for (const message of news.messages) {
      messages.push(message);
      book?.note(message, message.suspect, clock());
      onMessage?.(message);
    }
    for (const range of news.damaged) onDamage?.(range);
    const isFirst = book === null;
    if (book === null) {
      earlierCount = messages.length;
      const answered = answeredAlready(question, messages);
      if (answered !== null) return answered;
      ({ book } = readChatPresence(path, clock(), await leases?.()));
      onlineAtStart = onlineNames(book, question.agent, clock());
      const found = book;
      onPresence?.((name) => found.of(name, clock()).state === 'online');
    }
    const elapsedMs = performance.now() - startedMs;
    // Silence of who is away by now is consent: whoever has come back meanwhile is heard (CH-33).
    if (elapsedMs >= GRACE_MS && afterGrace === null && leases !== undefined) book.hold(await leases());
    const onlineNow = isFirst ? onlineAtStart : onlineNames(book, question.agent, clock());
    const judgement = judgeAnswers(question, {
      messages,
      earlierCount,
      elapsedMs,
      onlineAtStart,
      onlineNow,
      afterGrace,
    });
    if (judgement.outcome !== null) return judgement.outcome;
    afterGrace = judgement.afterGrace;
    if (judgement.silent.length > 0 && !wasSilent) {
      wasSilent = true;
      onSilent?.(judgement.silent);
    }
    await follower.changed(judgement.nextMs - (performance.now() - startedMs));
  }
}

/** Spares reading the whole file for who is there where nobody has to be known for the answer. */
function answeredAlready(question: AnswerQuestion, messages: readonly Message[]): AnswerOutcome | null {
  if (question.recipients.some((name) => foldedName(name) === ALL)) return null;
  const nobody = { onlineAtStart: [], onlineNow: [], afterGrace: null };
  return judgeAnswers(question, { messages, earlierCount: messages.length, elapsedMs: 0, ...nobody }).outcome;
}

/** Folded names of who is there, without whoever waits. */
function onlineNames(book: PresenceBook, agent: string, nowMs: number): string[] {
  const self = foldedName(principalName(agent));
  return book
    .all(nowMs)
    .filter(({ state }) => state === 'online')
    .map(({ name }) => foldedName(name))
    .filter((name) => name !== self);
}
