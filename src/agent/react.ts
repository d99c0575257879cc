import { foldedName, isAddressedTo, MESSAGE_TYPES, type Message } from '../chat/message.ts';
import { timestampMs } from '../memory/timestamps.ts';
import { expireArguments, onArgumentMessage, onDone } from './arguments.ts';
import { isParrot, onUserWords } from './correction-triggers.ts';
import { planExtraction } from './extraction.ts';
import { learnFacts } from './fact-triggers.ts';
import { onObjectedFailure, onReverted } from './failure-triggers.ts';
import { noteOwn, onIntent } from './intents.ts';
import type { AgentState } from './state.ts';
import { hear, type Moment, type Reaction, senderKey, Turn } from './turn.ts';

/** Older than this it is history where the file was replaced, and no order to leave (AG-7, AG-9). */
const HISTORY_MS = 15 * 60_000;

/** The types of section 5 that mean something to the agent; all others pass by (AG-11). */
const HANDLED = new Set<string>(
  MESSAGE_TYPES.filter((type) => type !== 'conversation' && type !== 'hold-acquire' && type !== 'hold-release'),
);

/**
 * What one message leads to (AG-11, AG-12): the next state, and all that is to be stored, posted, counted and done because of
 * it. Pure: the same state, message and moment give the same reaction.
 *
 * @param hasModel - replies in arguments are judged by a model
 */
export function react(state: AgentState, message: Message, moment: Moment, hasModel = false): Reaction {
  const turn = new Turn(state, moment);
  const atMs = sentAtMs(message, moment.nowMs);
  // A reply counts when it was posted, not when it was read (AG-7).
  expireArguments(turn, Math.min(atMs, moment.nowMs));
  if (senderKey(message.from) === foldedName(state.name)) noteOwn(turn, message);
  else if (HANDLED.has(message.type) && !isHistory(message, atMs, moment)) {
    handle(turn, message, atMs, hasModel);
    if (hasModel && moment.learns && !message.suspect && moment.mode !== 'after-stop') planExtraction(turn, message);
  }
  if (HANDLED.has(message.type)) hearMessage(turn, message, atMs);
  return turn.end();
}

/** By its own `ts`; a time in the future is now. */
function sentAtMs({ ts }: Message, nowMs: number): number {
  return ts === null ? nowMs : Math.min(timestampMs(ts), nowMs);
}

function isHistory({ ts }: Message, atMs: number, { nowMs, mode }: Moment): boolean {
  return mode === 'replaced' && (ts === null || atMs < nowMs - HISTORY_MS);
}

function handle(turn: Turn, message: Message, atMs: number, hasModel: boolean): void {
  const { moment } = turn;
  const { type, suspect } = message;
  if (type === 'intent') {
    onIntent(turn, message, atMs);
    return;
  }
  const isDecision = onArgumentMessage(turn, message, atMs, hasModel);
  if (suspect) return;
  if (type === 'info' && !isDecision && moment.learns) onUserWords(turn, message);
  // After a clean stop only replies, decisions and answers to drafts act; the rest is history (AG-7).
  if (moment.mode === 'after-stop') return;
  if (type === 'shutdown') onShutdown(turn, message, atMs);
  if (moment.learns && !isParrot(message)) {
    if (type === 'info' || type === 'done') onReverted(turn, message);
    if (type === 'wait') onObjectedFailure(turn, message);
    if (type === 'done' || type === 'learned') learnFacts(turn, message);
  }
  if (type === 'done') onDone(turn, message);
}

function onShutdown(turn: Turn, message: Message, atMs: number): void {
  const { nowMs, mode } = turn.moment;
  // Whoever looks once ends anyway, and old orders were for processes that are gone.
  if (mode === 'once' || (mode === 'after-crash' && atMs < nowMs - HISTORY_MS)) return;
  if (isAddressedTo(message, turn.state.name)) turn.stop();
}

/** Messages that a model is shown before the one it is asked about (AG-21). */
const MOST_SHOWN = 10;
const LONGEST_SHOWN = 2000;

function hearMessage(turn: Turn, message: Message, atMs: number): void {
  const { from, to, thread, type, line } = message;
  const shown = { from, type, text: message.text.slice(0, LONGEST_SHOWN) };
  turn.put({ recent: [...turn.state.recent, shown].slice(-MOST_SHOWN) });
  hear(turn, { from, to, thread, type, line, atMs, isParrot: isParrot(message) });
}
