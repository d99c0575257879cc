import { type Answer, type Asked, findAnswers } from './correlate.ts';
import { ALL, foldedName, type Message, principalName } from './message.ts';

/** Who waits, for whom, and for answers to what (CH-31, CH-47). */
export interface AnswerQuestion extends Asked {
  /** One at least; `all` is everybody online. */
  readonly recipients: readonly string[];
  /** Answers stand behind it. */
  readonly cursor: number;
  /** Infinity: no limit. */
  readonly maxWaitMs: number;
}

/** What is known at one moment of waiting. */
export interface WaitingMoment {
  /** All messages behind the cursor, in the order of the file. */
  readonly messages: readonly Message[];
  /** How many of them stood there when the waiting began. */
  readonly earlierCount: number;
  /** Since the waiting began. */
  readonly elapsedMs: number;
  /** Who was there when the waiting began, without whoever waits; folded names without `/sub-N`, as are the others. */
  readonly onlineAtStart: readonly string[];
  readonly onlineNow: readonly string[];
  /** What was judged when the first 5 s were over; null before. */
  readonly afterGrace: AfterGrace | null;
}

/** Who is asked, once nobody else can be, and whose silence is consent. */
export interface AfterGrace {
  readonly names: readonly string[];
  readonly away: readonly string[];
}

export type RecipientState = 'ack' | 'wait' | 'offline' | 'silent' | 'pending';

export interface RecipientAnswer {
  /** As the question names it. */
  readonly name: string;
  readonly state: RecipientState;
  readonly message: Message | null;
}

interface Answered {
  /** Behind the last message that was used. */
  readonly cursor: number;
  readonly recipients: readonly RecipientAnswer[];
}

/** How the waiting ends (CH-46). */
export type AnswerOutcome = Answered &
  (
    | { readonly result: 'ACK'; readonly implied: readonly string[] }
    | { readonly result: 'WAIT'; readonly from: string; readonly text: string }
    | { readonly result: 'TIMEOUT'; readonly recipient: string }
  );

/** Where the waiting stands. */
export interface Judgement {
  /** Null: it goes on. */
  readonly outcome: AnswerOutcome | null;
  /** To be given back with the next moment. */
  readonly afterGrace: AfterGrace | null;
  /** Who is there and has not answered for 5 s. */
  readonly silent: readonly string[];
  /** The `elapsedMs` from which time alone may change something. */
  readonly nextMs: number;
}

/** From then on the silence of who is away is consent, and that of who is there is noticed (CH-33). */
export const GRACE_MS = 5000;

/**
 * Judges the answers to an intent. One `wait` ends the waiting; acks end it once every recipient has given one, or was away
 * for the whole of the first 5 s. Time alone never consents for somebody who was there (CH-32, CH-33).
 */
export function judgeAnswers(question: AnswerQuestion, moment: WaitingMoment): Judgement {
  const { elapsedMs } = moment;
  const afterGrace = moment.afterGrace ?? (elapsedMs < GRACE_MS ? null : judgeGrace(question, moment));
  const names = afterGrace?.names ?? namesOf(question, moment.onlineAtStart);
  const isOver = elapsedMs >= question.maxWaitMs;
  const going = {
    outcome: null,
    afterGrace,
    silent: [],
    nextMs: Math.min(afterGrace === null ? GRACE_MS : Infinity, question.maxWaitMs),
  };
  const answers = findAnswers(question, moment.messages);
  const objection = answers.find(
    ({ kind, message }) => kind === 'wait' && recipientOf(message, names, question) !== null,
  );
  if (objection !== undefined)
    return { ...going, outcome: objected(question, names, afterGrace, answers, objection.message) };
  const recipients = names.map((name): RecipientAnswer => {
    const message = ackOf(name, answers);
    if (message !== null) return { name, state: 'ack', message };
    if (afterGrace?.away.includes(name)) return { name, state: 'offline', message: null };
    return { name, state: isOver ? 'silent' : 'pending', message: null };
  });
  const cursor = cursorBehind(question, recipients);
  const open = recipients.filter(({ state }) => state === 'pending' || state === 'silent').map(({ name }) => name);
  const isNobody = names.length === 0;
  if (open.length === 0 && (!isNobody || afterGrace !== null)) {
    const away = recipients.filter(({ state }) => state === 'offline').map(({ name }) => name);
    return { ...going, outcome: { result: 'ACK', cursor, recipients, implied: isNobody ? [ALL] : away } };
  }
  const silent = afterGrace === null ? [] : open;
  if (!isOver) return { ...going, silent };
  return { ...going, silent, outcome: { result: 'TIMEOUT', cursor, recipient: open[0] ?? ALL, recipients } };
}

/** Where all are asked and nobody was there, those who have come by now get their time (CH-47). */
function judgeGrace(question: AnswerQuestion, moment: WaitingMoment): AfterGrace {
  const atStart = namesOf(question, moment.onlineAtStart);
  const names = atStart.length > 0 ? atStart : namesOf(question, moment.onlineNow);
  return { names, away: names.filter((name) => wasAway(keyOf(name), moment)) };
}

/** Away for the whole time: not there at its start, nor at its end, and not heard of in between. */
function wasAway(key: string, { messages, earlierCount, onlineAtStart, onlineNow }: WaitingMoment): boolean {
  if (onlineAtStart.includes(key) || onlineNow.includes(key)) return false;
  return !messages.slice(earlierCount).some(({ from }) => keyOf(from) === key);
}

/** The recipients without blanks, doubles and whoever asks; `all` is everybody there. */
function namesOf({ agent, recipients }: AnswerQuestion, online: readonly string[]): string[] {
  const seen = new Set([foldedName(agent)]);
  return recipients
    .flatMap((name) => (foldedName(name) === ALL ? online : [name.trim()]))
    .filter((name) => name !== '' && !seen.has(foldedName(name)) && seen.add(foldedName(name)));
}

function ackOf(name: string, answers: readonly Answer[]): Message | null {
  return answers.find(({ kind, message }) => kind === 'ack' && answersFor(message, name))?.message ?? null;
}

/** `X/sub-N` answers for X, never the other way round. */
function answersFor({ from }: Message, name: string): boolean {
  return foldedName(from) === foldedName(name) || keyOf(from) === foldedName(name);
}

/** Whom a message answers for; where all are asked, anybody. Null: for nobody who was asked. */
function recipientOf(message: Message, names: readonly string[], { recipients }: AnswerQuestion): string | null {
  const name = names.find((each) => answersFor(message, each));
  if (name !== undefined) return name;
  return recipients.some((each) => foldedName(each) === ALL) ? principalName(message.from) : null;
}

/** As it stood when the objection came. */
function objected(
  question: AnswerQuestion,
  names: readonly string[],
  afterGrace: AfterGrace | null,
  answers: readonly Answer[],
  objection: Message,
): AnswerOutcome {
  const objector = recipientOf(objection, names, question) ?? '';
  const before = answers.filter(({ message }) => message.line < objection.line);
  const all = names.includes(objector) ? names : [...names, objector];
  const recipients = all.map((name): RecipientAnswer => {
    if (name === objector) return { name, state: 'wait', message: objection };
    const message = ackOf(name, before);
    const unanswered = afterGrace?.away.includes(name) ? 'offline' : 'pending';
    return { name, state: message === null ? unanswered : 'ack', message };
  });
  return { result: 'WAIT', cursor: objection.cursor, from: objection.from, text: objection.text, recipients };
}

function cursorBehind({ cursor }: AnswerQuestion, recipients: readonly RecipientAnswer[]): number {
  return Math.max(cursor, ...recipients.map(({ message }) => message?.cursor ?? 0));
}

function keyOf(name: string): string {
  return foldedName(principalName(name));
}
