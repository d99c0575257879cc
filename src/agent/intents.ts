import { foldedName, isAddressedTo, type Message } from '../chat/message.ts';
import { learnFacts } from './fact-triggers.ts';
import { parseIntentText } from './intent-text.ts';
import { type AgentIntent, type AgentState, type IntentState, intentKey } from './state.ts';
import { isSameName, type Mode, type Moment, type Reaction, senderKey, Turn } from './turn.ts';

/** How old an intent may be to get an answer after a clean stop, and after a crash (AG-6, AG-7). */
const FRESH_MS = 60_000;
const RECENT_MS = 15 * 60_000;
/** What is kept of each sender's intents (AG-36). */
const MOST_INTENTS = 20;
const KEPT_MS = 24 * 60 * 60_000;

/** An intent is remembered; one that is addressed to the agent is to be answered (AG-14). */
export function onIntent(turn: Turn, message: Message, atMs: number): void {
  const { state, moment } = turn;
  const isForUs = isAddressedTo(message, state.name);
  const key = intentKey(message);
  const { situation, behavior } = parseIntentText(message.text);
  const intent: AgentIntent = {
    key,
    id: message.id,
    line: message.line,
    initiator: message.from,
    thread: message.thread,
    text: message.text,
    situation,
    behavior,
    state: isForUs ? stateOf(atMs, moment) : 'noted',
    readAtMs: moment.nowMs,
    sentAtMs: atMs,
    shown: [],
    failed: false,
  };
  turn.put({ intents: kept(state, intent, moment.nowMs) });
  turn.putIntent(intent);
  if (isForUs) turn.add('seen');
  if (intent.state === 'open') turn.work({ kind: 'answer', key: answerKey(intent), intentKey: key });
  if (!message.suspect && moment.mode !== 'after-stop') learnFacts(turn, message);
}

export function answerKey({ key }: Pick<AgentIntent, 'key'>): string {
  return `answer:${key}`;
}

function stateOf(atMs: number, { nowMs, mode }: Moment): IntentState {
  const ageMs = nowMs - atMs;
  if (mode === 'after-stop') return ageMs <= FRESH_MS ? 'open' : 'expired';
  if (mode === 'after-crash' || mode === 'replaced') return ageMs <= RECENT_MS ? 'open' : 'expired';
  return 'open';
}

/** Intents of an earlier process that are too old for an answer by now get none (AG-7). */
export function expired(state: AgentState, moment: Moment, mode: Mode): Reaction {
  const turn = new Turn(state, moment);
  for (const intent of state.intents.values()) {
    if (intent.state !== 'open' || stateOf(intent.sentAtMs, { ...moment, mode }) === 'open') continue;
    turn.done(answerKey(intent));
    turn.putIntent({ ...intent, state: 'expired' });
  }
  return turn.end();
}

function kept(state: AgentState, added: AgentIntent, nowMs: number): AgentState['intents'] {
  const sender = senderKey(added.initiator);
  const own = [...state.intents.values()].filter(({ initiator }) => senderKey(initiator) === sender);
  const tooMany = own.slice(0, Math.max(0, own.length + 1 - MOST_INTENTS));
  // One that still waits for its answer stays.
  const goes = (intent: AgentIntent) =>
    intent.state !== 'open' && (tooMany.includes(intent) || intent.sentAtMs < nowMs - KEPT_MS);
  return new Map([...state.intents].filter(([, intent]) => !goes(intent)));
}

/**
 * Something stands in the file under the agent's own name. An answer ends the matter, whoever wrote it: there is never a
 * second one (AG-2, AG-14).
 */
export function noteOwn(turn: Turn, message: Message): void {
  if (message.type !== 'ack' && message.type !== 'wait') return;
  const intent = answeredBy(turn.state, message);
  if (intent === null) return;
  turn.cancel(answerKey(intent));
  if (intent.state !== 'open') return;
  turn.done(answerKey(intent));
  turn.putIntent({ ...intent, state: 'elsewhere' });
}

/** By `re`; without it the oldest open one of that thread (CH-31). */
export function answeredBy(state: AgentState, { re, thread, to, line }: Message): AgentIntent | null {
  const before = [...state.intents.values()].filter((intent) => intent.line < line);
  if (re !== null) return before.findLast(({ id }) => id === re) ?? null;
  const names = to.split(',').map(foldedName);
  return (
    before.find(
      (intent) =>
        intent.state === 'open' &&
        (thread === '' || intent.thread === thread) &&
        (names.includes('all') || names.includes(foldedName(intent.initiator))),
    ) ?? null
  );
}

/** The last intent of a sender on a thread, else its last within `withinMs` (AG-35). */
export function lastIntent(
  state: AgentState,
  from: string,
  { thread, nowMs, withinMs }: { readonly thread: string; readonly nowMs: number; readonly withinMs: number },
): AgentIntent | null {
  const own = [...state.intents.values()].filter((intent) => senderKey(intent.initiator) === senderKey(from));
  const onThread = own.findLast((intent) => intent.thread === thread && intent.sentAtMs > nowMs - KEPT_MS);
  return onThread ?? own.findLast((intent) => intent.sentAtMs > nowMs - withinMs) ?? null;
}

/** Whether a memory was closed as not followed or irrelevant here within 24 h: it is not shown again (AG-16). */
export function isSilenced(
  state: AgentState,
  intent: Pick<AgentIntent, 'initiator' | 'thread'>,
  name: string,
  nowMs: number,
): boolean {
  return [...state.arguments.values()].some(
    (argument) =>
      argument.state === 'closed' &&
      (argument.outcome === 'not-followed' || argument.outcome === 'irrelevant') &&
      (argument.closedAtMs ?? 0) > nowMs - KEPT_MS &&
      argument.thread === intent.thread &&
      isSameName(argument.initiator, intent.initiator) &&
      argument.memories.some((memory) => memory.name === name && memory.isFull),
  );
}
