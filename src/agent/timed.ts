import type { MemoryName } from '../memory/slug.ts';
import { closeUncounted, DECISION_MS, expireArguments, LEAD, REPLY_MS, withdraw } from './arguments.ts';
import { expireDrafts } from './drafts.ts';
import { type MemoryCounts, renderFarewell, renderHeartbeat, renderQueue } from './render-presence.ts';
import { type AgentState, type Condition, NO_METRICS } from './state.ts';
import { EVERYBODY, type Moment, type Outgoing, type Reaction, Turn } from './turn.ts';

/** AG-49. */
const HEARTBEAT_MS = 5 * 60_000;
const QUEUE_NOTICE_MS = 10 * 60_000;
const LONG_QUEUE = 5;

/** What is known of the world when the clock is looked at. */
export interface Surroundings {
  memories(): MemoryCounts;
  readonly condition: Condition;
  isLive(name: MemoryName): boolean;
}

/** What time alone leads to: deadlines, heartbeats and the notice of a long queue (AG-29, AG-34, AG-49, AG-50). */
export function onTime(state: AgentState, moment: Moment, around: Surroundings): Reaction {
  const turn = new Turn(state, moment);
  expireArguments(turn, moment.nowMs);
  withdraw(turn, around.isLive);
  expireDrafts(turn);
  noteQueue(turn);
  noteCondition(turn, around.condition);
  if (moment.nowMs >= nextHeartbeatMs(state)) beat(turn, around);
  return turn.end();
}

/** When time alone may change something next. */
export function nextDueMs(state: AgentState): number {
  const deadlines = [...state.arguments.values()].filter((argument) => argument.state !== 'closed');
  return Math.min(nextHeartbeatMs(state), ...deadlines.map(({ deadlineMs }) => deadlineMs));
}

function nextHeartbeatMs({ memo }: AgentState): number {
  return memo.heartbeatAtMs === null ? Number.POSITIVE_INFINITY : memo.heartbeatAtMs + HEARTBEAT_MS;
}

/** T26. None is made up for the time the machine slept. */
function beat(turn: Turn, around: Surroundings): void {
  const { feedback, facts } = around.memories();
  const { nowMs } = turn;
  const { metrics } = turn.state.memo;
  turn.memo({ heartbeatAtMs: nowMs });
  const counts = {
    memories: feedback + facts,
    intents: metrics.seen,
    surfaced: metrics.surfaced,
    queue: queueLength(turn.state),
  };
  turn.post(`heartbeat:${nowMs}`, [toAll('heartbeat', 'info', renderHeartbeat(counts, around.condition.degraded))]);
}

/** Intents that were read and not answered (AG-50). */
export function queueLength(state: AgentState): number {
  return [...state.intents.values()].filter((intent) => intent.state === 'open').length;
}

/** Kept for `agent status`, which asks the database alone (AG-53). */
function noteCondition(turn: Turn, condition: Condition): void {
  const { memo } = turn.state;
  if (JSON.stringify(memo.condition) !== JSON.stringify(condition)) turn.memo({ condition });
}

function noteQueue(turn: Turn): void {
  const { state, nowMs } = turn;
  const length = queueLength(state);
  const { memo } = state;
  if (length > memo.metrics.queueMax) turn.add('queueMax', length - memo.metrics.queueMax);
  const isSaid = memo.queueNoticeAtMs !== null && memo.queueNoticeAtMs > nowMs - QUEUE_NOTICE_MS;
  if (length <= LONG_QUEUE || isSaid) return;
  turn.memo({ queueNoticeAtMs: nowMs });
  const to = turn.moment.isOnline(LEAD) ? LEAD : EVERYBODY;
  turn.post(`queue:${nowMs}`, [{ ...toAll('lifecycle', 'info', renderQueue(length)), to }]);
}

/** The wall clock was set, or the machine slept: every deadline begins once more (AG-49). */
export function onJump(state: AgentState, moment: Moment): Reaction {
  const turn = new Turn(state, moment);
  const { nowMs } = moment;
  for (const argument of state.arguments.values()) {
    if (argument.state === 'closed') continue;
    const waits = argument.state === 'escalated' ? DECISION_MS : REPLY_MS;
    turn.putArgument({ ...argument, deadlineMs: nowMs + waits });
  }
  if (state.memo.heartbeatAtMs !== null) turn.memo({ heartbeatAtMs: nowMs });
  return turn.end();
}

/** The agent leaves (AG-8): its objections are withdrawn, escalated ones wait on. */
export function onStop(state: AgentState, moment: Moment): Reaction {
  const turn = new Turn(state, moment);
  for (const argument of state.arguments.values()) {
    if (argument.state === 'open' || argument.state === 'countered') closeUncounted(turn, argument, 'stops');
  }
  const { metrics } = state.memo;
  const counts = {
    intents: metrics.seen,
    waits: metrics.waited,
    learned: metrics.learnedFeedback + metrics.learnedFacts,
    arguments: [...turn.state.arguments.values()].filter((argument) => argument.state !== 'closed').length,
  };
  turn.post(`farewell:${moment.nowMs}`, [toAll('lifecycle', 'done', renderFarewell(counts))]);
  turn.memo({ stoppedAtMs: moment.nowMs });
  return turn.end();
}

/** A message about the agent itself; with `isReady` the counts begin anew (AG-4). */
export function announce(
  state: AgentState,
  moment: Moment,
  cause: string,
  message: Outgoing,
  isReady: boolean,
): Reaction {
  const turn = new Turn(state, moment);
  turn.post(cause, [message]);
  const { nowMs } = moment;
  if (isReady) turn.memo({ readyAtMs: nowMs, heartbeatAtMs: heartbeatBefore(state, nowMs), metrics: NO_METRICS });
  turn.memo({ stoppedAtMs: null });
  return turn.end();
}

/** From the stored one the next is due (AG-49); after a long rest that is at once, and nobody takes it for silence meanwhile. */
function heartbeatBefore({ memo }: AgentState, nowMs: number): number {
  const storedMs = memo.heartbeatAtMs ?? nowMs;
  return Math.min(nowMs, Math.max(storedMs, nowMs - HEARTBEAT_MS));
}

/** A message for everybody that answers nothing. */
export function toAll(thread: string, type: Outgoing['type'], text: string): Outgoing {
  return { to: EVERYBODY, thread, type, re: null, text };
}
