import { foldedName, type Message, recipients } from '../chat/message.ts';
import type { MemoryName } from '../memory/slug.ts';
import { countedNames } from './named-memories.ts';
import {
  renderCounter,
  renderEscalation,
  renderOutcome,
  renderUncounted,
  renderViolation,
} from './render-arguments.ts';
import { classifyReply, isConventional, type ReplyClass } from './replies.ts';
import type { AgentState, Argument } from './state.ts';
import { isSameName, type Outgoing, type Turn } from './turn.ts';

/** Who decides where two agents cannot agree (CH-38). */
export const LEAD = 'lead';
/** How long an objection waits for a reply, and an escalation for a decision. */
export const REPLY_MS = 5 * 60_000;
export const DECISION_MS = 24 * 60 * 60_000;

/** A reply as the agent handles it. */
export interface ArgumentReply {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly atMs: number;
}

/** The argument of an initiator on a thread that is not closed; there is one at most (AG-27). */
export function openArgument(
  state: AgentState,
  { initiator, thread }: Pick<Argument, 'initiator' | 'thread'>,
): Argument | null {
  return (
    [...state.arguments.values()].find(
      (argument) =>
        argument.state !== 'closed' && argument.thread === thread && isSameName(argument.initiator, initiator),
    ) ?? null
  );
}

/** Whether a message belongs to an argument, and what it does to it (AG-28, AG-29). Returns whether it was a decision. */
export function onArgumentMessage(turn: Turn, message: Message, atMs: number, hasModel: boolean): boolean {
  const argument = argumentOf(turn.state, message);
  if (argument === null) return false;
  const reply = { id: message.id, from: message.from, text: message.text, atMs };
  if (message.type === 'ack') {
    close(turn, argument, 'followed', reply);
    return true;
  }
  if (message.type !== 'info' || message.suspect || isConventional(message.text)) return false;
  const found = classifyReply(message.text);
  // A model sees what rules do not; a decision is a word.
  if (hasModel && found.kind !== 'decision' && argument.state !== 'escalated') {
    const key = `reply:${argument.number}:${message.id}@${message.line}`;
    turn.work({ kind: 'reply', key, argument: argument.number, message: reply });
    turn.putArgument({ ...argument, deadlineMs: deadlineAfter(argument, atMs) });
    return false;
  }
  onReply(turn, argument, found, reply);
  return found.kind === 'decision';
}

/**
 * By `re`, which may also be the challenged intent where the agent is addressed by name: that is the id its initiator
 * knows. Without `re` on the thread of an argument and addressed to the agent by name.
 */
function argumentOf(state: AgentState, message: Message): Argument | null {
  const open = [...state.arguments.values()].filter((argument) => argument.state !== 'closed');
  const { re, suspect, thread, type } = message;
  const isNamed = recipients(message.to).some((name) => foldedName(name) === foldedName(state.name));
  if (re !== null) {
    const isAbout = ({ messages, intentId }: Argument) => messages.includes(re) || (isNamed && intentId === re);
    return open.find((argument) => isAbout(argument) && isParty(argument, message)) ?? null;
  }
  if (suspect) return null;
  if (!isNamed && type !== 'done') return null;
  return open.find((argument) => argument.thread === thread && isParty(argument, message)) ?? null;
}

/** The initiator; of an escalated argument the lead too, who only decides. */
function isParty(argument: Argument, { from, type }: Message): boolean {
  if (isSameName(argument.initiator, from)) return true;
  return argument.state === 'escalated' && type === 'info' && isSameName(from, LEAD);
}

/** The table of section 6 for what a reply is. */
export function onReply(turn: Turn, argument: Argument, found: ReplyClass, reply: ArgumentReply): void {
  const { state } = argument;
  if (found.kind === 'decision') {
    const outcome = { follow: 'followed', override: 'not-followed', irrelevant: 'irrelevant' } as const;
    close(turn, argument, outcome[found.decision], reply);
    return;
  }
  const isInitiator = isSameName(argument.initiator, reply.from);
  if (found.kind === 'concedes' && isInitiator) close(turn, argument, 'followed', reply);
  else if (state === 'escalated') return;
  else if (found.kind === 'user') close(turn, argument, 'not-followed', reply);
  else if (found.kind === 'irrelevant') close(turn, argument, 'irrelevant', reply);
  else if (state === 'open') counter(turn, argument, reply);
  else if (state === 'countered') escalate(turn, argument, reply);
}

function counter(turn: Turn, argument: Argument, reply: ArgumentReply): void {
  const isWithLead = turn.moment.isOnline(LEAD);
  const text = renderCounter(argument.number, shownOf(argument), isWithLead);
  postAbout(turn, argument, `counter:${reply.id}`, answer(reply, argument, text));
  turn.putArgument({
    ...heard(argument, reply),
    state: 'countered',
    inputs: [...argument.inputs, inputOf(reply), { from: turn.state.name, text }],
    deadlineMs: deadlineAfter(argument, reply.atMs),
  });
}

/** T12: to the lead where it is online, else to the initiator (AG-31). */
export function escalate(turn: Turn, argument: Argument, reply: ArgumentReply): Outgoing {
  const isWithLead = turn.moment.isOnline(LEAD);
  const message: Outgoing = {
    to: isWithLead ? LEAD : argument.initiator,
    thread: argument.thread,
    type: 'escalate',
    re: reply.id,
    text: renderEscalation(argument.number, shownOf(argument), reply),
  };
  postAbout(turn, argument, `escalate:${reply.id}`, message);
  turn.putArgument({
    ...heard(argument, reply),
    state: 'escalated',
    isWithLead,
    inputs: [...argument.inputs, inputOf(reply)],
    deadlineMs: reply.atMs + DECISION_MS,
  });
  return message;
}

/** Closes an argument with an outcome, counted once for each memory that was shown in full (AG-30). */
export function close(
  turn: Turn,
  argument: Argument,
  outcome: 'followed' | 'not-followed' | 'irrelevant',
  reply: ArgumentReply,
): void {
  const names = countedNames(argument, reply.text);
  countAll(turn, argument, outcome, names);
  postAbout(
    turn,
    argument,
    `close:${reply.id}`,
    answer(reply, argument, renderOutcome(argument.number, outcome, names)),
  );
  putClosed(turn, argument, outcome);
}

/** T14: the initiator has finished although the objection stands. */
export function onDone(turn: Turn, message: Message): void {
  for (const argument of turn.state.arguments.values()) {
    if (argument.state === 'closed' || argument.thread !== message.thread) continue;
    if (!isSameName(argument.initiator, message.from) || message.suspect) continue;
    const names = countedNames(argument, '');
    countAll(turn, argument, 'not-followed', names);
    const reply = { id: message.id, from: message.from };
    postAbout(turn, argument, `close:${message.id}`, answer(reply, argument, renderViolation(argument.number, names)));
    putClosed(turn, argument, 'not-followed');
  }
}

/** Closes what waited too long for a reply or a decision, as of `atMs`. */
export function expireArguments(turn: Turn, atMs: number): void {
  for (const argument of turn.state.arguments.values()) {
    if (argument.state === 'closed' || argument.deadlineMs > atMs) continue;
    if (argument.state !== 'escalated') turn.add('timedOut');
    closeUncounted(turn, argument, argument.state === 'escalated' ? 'no-decision' : 'no-reply');
  }
}

/** T15: nothing is counted. */
export function closeUncounted(turn: Turn, argument: Argument, reason: Parameters<typeof renderUncounted>[1]): void {
  const { number, initiator, thread, intentId } = argument;
  const message: Outgoing = {
    to: initiator,
    thread,
    type: 'info',
    re: intentId,
    text: renderUncounted(number, reason),
  };
  postAbout(turn, argument, 'close', message);
  putClosed(turn, argument, null);
}

/** Memories of which none is live any more. */
export function withdraw(turn: Turn, isLive: (name: MemoryName) => boolean): void {
  for (const argument of turn.state.arguments.values()) {
    if (argument.state === 'closed' || argument.memories.some(({ name }) => isLive(name))) continue;
    closeUncounted(turn, argument, 'withdrawn');
  }
}

function putClosed(turn: Turn, argument: Argument, outcome: Argument['outcome']): void {
  turn.putArgument({ ...argument, state: 'closed', outcome, closedAtMs: turn.nowMs });
}

function countAll(
  turn: Turn,
  argument: Argument,
  outcome: 'followed' | 'not-followed' | 'irrelevant',
  names: readonly MemoryName[],
): void {
  const counter = { followed: 'followed', 'not-followed': 'notFollowed', irrelevant: 'irrelevant' } as const;
  for (const name of names) {
    turn.count({
      key: `outcome:sub-${argument.number}:${name}`,
      name,
      kind: outcome,
      situation: argument.situation,
      thread: argument.thread,
    });
    turn.add(counter[outcome]);
  }
}

const shownOf = ({ memories }: Argument) => memories.filter(({ isFull }) => isFull);
const inputOf = ({ from, text }: ArgumentReply) => ({ from, text });

function heard(argument: Argument, { id }: ArgumentReply): Argument {
  return { ...argument, messages: [...new Set([...argument.messages, id])] };
}

function deadlineAfter(argument: Argument, atMs: number): number {
  return argument.state === 'escalated' ? argument.deadlineMs : Math.max(argument.deadlineMs, atMs + REPLY_MS);
}

function answer({ id, from }: Pick<ArgumentReply, 'id' | 'from'>, { thread }: Argument, text: string): Outgoing {
  return { to: from, thread, type: 'info', re: id, text };
}

function postAbout(turn: Turn, argument: Argument, cause: string, message: Outgoing): void {
  turn.post(`sub-${argument.number}:${cause}`, [message], `sub-${argument.number}`);
}
