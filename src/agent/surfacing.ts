import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { close as closeArgument, DECISION_MS, escalate, openArgument, REPLY_MS } from './arguments.ts';
import { answerKey } from './intents.ts';
import { type Lacks, renderFact, renderFailed, renderNoObjection, renderWait } from './render-answers.ts';
import type { AgentIntent, Argument, ArgumentMemory } from './state.ts';
import { type Outgoing, senderKey, type Turn } from './turn.ts';

/** A memory that was considered for an intent, with the verdict on the announced behavior. */
export interface JudgedMemory {
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly relevance: number;
  readonly verdict: 'applies' | 'follows' | 'unrelated';
  /** One line for T9. */
  readonly why: string;
}

/** What was found for an intent. */
export type Findings =
  | { readonly failed: string }
  | {
      readonly failed: null;
      readonly judged: readonly JudgedMemory[];
      readonly facts: readonly { readonly name: MemoryName; readonly record: MemoryRecord }[];
      readonly lacks: Lacks;
      /** Number of the argument whose challenged situation the intent resembles (AG-28). */
      readonly revises: number | null;
    };

/** Memories shown in full in one objection (AG-17). */
const MOST_FULL = 3;
/** A fact is not sent again to the same initiator and thread within it (AG-19). */
const FACT_AGAIN_MS = 60 * 60_000;

/** Plans the one answer to an intent, with what goes before it (AG-14 to AG-20). */
export function answerIntent(turn: Turn, key: string, findings: Findings, budgetMs: number): void {
  const intent = turn.state.intents.get(key);
  turn.done(`answer:${key}`);
  if (intent?.state !== 'open') return;
  noteTime(turn, intent, budgetMs);
  if (findings.failed !== null) {
    turn.post(answerKey(intent), [toInitiator(intent, 'ack', renderFailed(findings.failed))]);
    turn.add('failed');
    turn.putIntent({ ...intent, state: 'failed' });
    return;
  }
  const applies = findings.judged.filter(({ verdict }) => verdict === 'applies').sort(byRelevance);
  const before = openArgument(turn.state, intent);
  const isRevised = before !== null && findings.revises === before.number;
  const isStill = before !== null && applies.some(({ name }) => before.memories.some((known) => known.name === name));
  if (before !== null && isRevised && !isStill) {
    closeArgument(turn, before, 'followed', { id: intent.id, from: intent.initiator, text: '', atMs: intent.sentAtMs });
  }
  const facts = sendFacts(turn, intent, findings.facts);
  noteConsidered(turn, intent, findings.judged, applies);
  const infos = facts.length === 0 ? [] : [toInitiator(intent, 'info', facts.join('\n'))];
  if (applies.length === 0) {
    const text = renderNoObjection(facts.length, findings.judged.length, findings.lacks);
    turn.post(answerKey(intent), [...infos, toInitiator(intent, 'ack', text)]);
    turn.add('acked');
    turn.putIntent({ ...intent, state: 'acked' });
    return;
  }
  object(turn, intent, { infos, applies, lacks: findings.lacks, isRevised: isRevised && isStill });
}

function object(
  turn: Turn,
  intent: AgentIntent,
  found: {
    readonly infos: readonly Outgoing[];
    readonly applies: readonly JudgedMemory[];
    readonly lacks: Lacks;
    readonly isRevised: boolean;
  },
): void {
  const { infos, applies, lacks, isRevised } = found;
  const open = openArgument(turn.state, intent);
  const number = open?.number ?? turn.state.memo.argumentCount + 1;
  const full = applies.slice(0, MOST_FULL);
  const also = applies.slice(MOST_FULL).map(({ name }) => name);
  const text = renderWait(number, full, also, lacks);
  turn.post(answerKey(intent), [...infos, toInitiator(intent, 'wait', text)], `sub-${number}`);
  turn.add('waited');
  for (const { name } of full) {
    // In the argument already, and shown again by a revised intent: that is one showing (AG-30).
    if (isRevised && open?.memories.some((known) => known.name === name && known.isFull)) continue;
    surface(turn, intent, name);
  }
  turn.putIntent({ ...intent, state: 'waited', shown: full.map(({ name }) => name) });
  if (open === null) {
    turn.memo({ argumentCount: number });
    turn.putArgument(opened(turn, intent, number, applies, text));
    return;
  }
  const joined = { ...open, memories: union(open.memories, argumentMemories(applies)) };
  const inputs = [...open.inputs, { from: intent.initiator, text: intent.text }, { from: turn.state.name, text }];
  if (!isRevised || open.state === 'escalated') turn.putArgument(joined);
  else if (open.state === 'open') {
    turn.putArgument({ ...joined, state: 'countered', inputs, deadlineMs: turn.nowMs + REPLY_MS });
  } else {
    turn.putArgument(joined);
    const { id, initiator: from, text: words, sentAtMs: atMs } = intent;
    escalate(turn, joined, { id, from, text: words, atMs: Math.max(atMs, turn.nowMs - DECISION_MS) });
  }
}

function opened(
  turn: Turn,
  intent: AgentIntent,
  number: number,
  applies: readonly JudgedMemory[],
  text: string,
): Argument {
  const { initiator, thread, key, id, situation, behavior } = intent;
  return {
    ...{ number, initiator, thread, situation, behavior },
    intentKey: key,
    intentId: id,
    memories: argumentMemories(applies),
    messages: [],
    inputs: [{ from: turn.state.name, text }],
    state: 'open',
    outcome: null,
    deadlineMs: turn.nowMs + REPLY_MS,
    openedAtMs: turn.nowMs,
    closedAtMs: null,
    isWithLead: false,
  };
}

function argumentMemories(applies: readonly JudgedMemory[]): ArgumentMemory[] {
  return applies.map(({ name, record }, at) => ({
    name,
    isFull: at < MOST_FULL,
    situation: record.situation,
    behavior: record.behavior ?? '',
    impact: record.impact ?? '',
    action: record.action ?? '',
  }));
}

function union(known: readonly ArgumentMemory[], more: readonly ArgumentMemory[]): ArgumentMemory[] {
  const byName = new Map(known.map((memory) => [memory.name, memory]));
  for (const memory of more) {
    byName.set(memory.name, { ...memory, isFull: memory.isFull || byName.get(memory.name)?.isFull === true });
  }
  return [...byName.values()];
}

/** T8, a line each, for those that were not sent to this initiator and thread within the hour. */
function sendFacts(
  turn: Turn,
  intent: AgentIntent,
  facts: readonly { readonly name: MemoryName; readonly record: MemoryRecord }[],
): string[] {
  const { factsSent } = turn.state.memo;
  const sent = new Map(Object.entries(factsSent).filter(([, atMs]) => atMs > turn.nowMs - FACT_AGAIN_MS));
  const fresh = facts.filter(({ name }) => !sent.has(factKey(intent, name)));
  for (const { name } of fresh) {
    sent.set(factKey(intent, name), turn.nowMs);
    surface(turn, intent, name);
  }
  turn.memo({ factsSent: Object.fromEntries(sent) });
  return fresh.map(({ name, record }) => renderFact(name, record));
}

function factKey({ initiator, thread }: AgentIntent, name: MemoryName): string {
  return JSON.stringify([senderKey(initiator), thread, name]);
}

function surface(turn: Turn, { key, situation, thread }: AgentIntent, name: MemoryName): void {
  turn.count({ key: `surfaced:${key}:${name}`, name, kind: 'surfaced', situation, thread });
  turn.add('surfaced');
}

/** Kept in the database alone; no counter is touched (AG-18). */
function noteConsidered(
  turn: Turn,
  { key, situation, thread }: AgentIntent,
  judged: readonly JudgedMemory[],
  applies: readonly JudgedMemory[],
): void {
  for (const { name } of judged.filter((memory) => !applies.includes(memory))) {
    turn.count({ key: `considered:${key}:${name}`, name, kind: 'considered', situation, thread });
  }
}

const MOST_TIMES = 1000;

function noteTime(turn: Turn, { readAtMs }: AgentIntent, budgetMs: number): void {
  const { metrics } = turn.state.memo;
  const tookMs = Math.max(0, turn.nowMs - readAtMs);
  const late = metrics.late + (tookMs > budgetMs ? 1 : 0);
  turn.memo({ metrics: { ...metrics, late, answerMs: [...metrics.answerMs, tookMs].slice(-MOST_TIMES) } });
}

function toInitiator({ initiator, thread, id }: AgentIntent, type: Outgoing['type'], text: string): Outgoing {
  return { to: initiator, thread, type, re: id, text };
}

function byRelevance(a: JudgedMemory, b: JudgedMemory): number {
  return b.relevance - a.relevance || (a.name < b.name ? -1 : 1);
}
