import { isAddressedTo, type Message } from '../chat/message.ts';
import { saysObjectedFailure, saysReverted } from './failures.ts';
import { lastIntent } from './intents.ts';
import { CONSIDER_ALTERNATIVES, sourceOf } from './learn-work.ts';
import { withoutOwnWords } from './own-words.ts';
import type { AgentIntent, Heard } from './state.ts';
import { isSameName, senderKey, type Turn } from './turn.ts';

/** What a failure is worth by who says it (AG-36). */
const OWN_REVERT = 0.7;
const OBJECTED = 0.4;
const WITHIN_MS = 24 * 60 * 60_000;

/** The sender goes back on what it did: after its own `done` or `info` that is a failure of what it announced (AG-36). */
export function onReverted(turn: Turn, message: Message): void {
  const quote = saysReverted(ownWordsLeftOut(turn, message.text));
  if (quote !== null) onFailure(turn, message, message.from, quote, OWN_REVERT);
}

/** Somebody objects to what another agent has done, and names a failure. */
export function onObjectedFailure(turn: Turn, message: Message): void {
  const quote = saysObjectedFailure(ownWordsLeftOut(turn, message.text));
  if (quote === null) return;
  for (const [key, heard] of turn.state.senders) {
    const [first] = heard;
    if (first === undefined || key === senderKey(message.from) || !isAddressedTo(message, first.from)) continue;
    onFailure(turn, message, first.from, quote, OBJECTED);
  }
}

function onFailure(turn: Turn, message: Message, agent: string, quote: string, confidence: number): void {
  const { state, nowMs } = turn;
  const { thread, id, from } = message;
  const intent = lastIntent(state, agent, { thread, nowMs, withinMs: 0 });
  if (intent === null || intent.thread !== thread || intent.failed || intent.sentAtMs < nowMs - WITHIN_MS) return;
  if (!hasReported(turn, agent, intent, message)) return;
  turn.putIntent({ ...intent, failed: true });
  turn.work({
    kind: 'learn',
    key: `failure:${intent.key}`,
    origin: 'failure',
    reply: { to: from, thread, re: id },
    record: {
      type: 'feedback',
      situation: intent.situation,
      behavior: intent.behavior,
      impact: quote,
      action: CONSIDER_ALTERNATIVES,
    },
    confidence,
    source: sourceOf('observed failure', nowMs),
    everywhere: false,
    draft: null,
    intentKey: intent.key,
  });
}

/**
 * Whether the agent has said `done`, or `info`, on that thread since its intent. A change before that is work in progress;
 * one that another agent asked for meanwhile is no failure.
 */
function hasReported(turn: Turn, agent: string, intent: AgentIntent, { line, type }: Message): boolean {
  const all = [...turn.state.senders.values()].flat().filter((heard) => heard.thread === intent.thread);
  const between = all.filter((heard) => heard.line > intent.line && heard.line < line);
  const report = between.findLast(
    (heard) => isSameName(heard.from, agent) && !heard.isParrot && (heard.type === 'done' || heard.type === 'info'),
  );
  if (report === undefined) return false;
  const asked = (heard: Heard) =>
    heard.line > report.line &&
    !isSameName(heard.from, agent) &&
    senderKey(heard.from) !== senderKey(turn.state.name) &&
    isAddressedTo(heard, agent);
  return type === 'wait' || !between.some(asked);
}

function ownWordsLeftOut(turn: Turn, text: string): string {
  const own = turn.state.posted.map((posted) => posted.text);
  return own.length === 0 ? text : withoutOwnWords(text, own);
}
