import { EngramError } from '../errors.ts';
import type { MemoryName } from '../memory/slug.ts';
import { pruneAgent } from '../store/agent-records.ts';
import { LEASE_RENEWED_EVERY_MS, renewLease } from '../store/leases.ts';
import { countRowsIn, findRow } from '../store/memories.ts';
import { findQuarantined } from '../store/quarantine.ts';
import { type ChatIdentity, requireLease } from './journal.ts';
import type { MemoryCounts } from './render-presence.ts';
import type { Session } from './session.ts';
import type { Condition } from './state.ts';
import { nextDueMs, onJump, onTime } from './timed.ts';
import type { Moment } from './turn.ts';
import { type AgentTools, applyCount, COUNT_AGAIN_MS } from './worker.ts';

/** What comes round by the clock: the lease, deadlines and heartbeats, counts for the files, and what may be forgotten. */
export interface Upkeep {
  /**
   * Does what is due now.
   *
   * @param isAnswering - somebody waits for an answer: files can wait
   * @throws EngramError `agent.lost`, `database.*`
   */
  due(isOnce: boolean, isAnswering: boolean): Promise<void>;
  /** Puts the counts that wait into their files, for at most so long. */
  settle(longestMs: number): void;
  /** Until something is due again. */
  nextInMs(): number;
  /** No count waits that could go to its file now. */
  readonly isIdle: boolean;
  memories(): MemoryCounts;
}

export interface UpkeepOptions {
  readonly tools: AgentTools;
  readonly chat: ChatIdentity;
  readonly session: Session;
  moment(): Moment;
  condition(): Condition;
  /** Milliseconds by a clock that nobody sets. */
  steadyMs(): number;
}

/** AG-49: the wall clock was set, or the machine slept. */
const JUMP_MS = 60_000;
const TIME_EVERY_MS = 1000;
const PRUNE_EVERY_MS = 60 * 60_000;
const MOST_MS = 250;
/** Somebody waits for an answer: files are looked at again then. */
const ANSWERING_MS = 20;

export function createUpkeep({ tools, chat, session, moment, condition, steadyMs }: UpkeepOptions): Upkeep {
  const due = { lease: 0, time: 0, counts: 0, prune: 0 };
  const skipped = new Set<string>();
  let wall = { clockMs: moment().nowMs, steadyMs: steadyMs() };
  let isIdle = false;
  const database = () => tools.context().store.db;
  const memories = (): MemoryCounts => ({
    feedback: countRowsIn(database(), 'feedback'),
    facts: countRowsIn(database(), 'facts'),
  });

  const renew = (nowMs: number): void => {
    due.lease = nowMs + LEASE_RENEWED_EVERY_MS;
    try {
      if (renewLease(database(), chat.chatFile, chat.epoch, nowMs)) return;
    } catch (error) {
      // The lease lasts for three of these.
      if (error instanceof EngramError && !error.retryable) throw error;
      due.lease = nowMs + MOST_MS;
      return;
    }
    requireLease(database(), chat);
  };

  const byTime = async (nowMs: number): Promise<void> => {
    due.time = nowMs + TIME_EVERY_MS;
    const jumpedMs = Math.abs(nowMs - wall.clockMs - (steadyMs() - wall.steadyMs));
    wall = { clockMs: nowMs, steadyMs: steadyMs() };
    if (jumpedMs > JUMP_MS) await session.apply((state) => onJump(state, moment()));
    await session.apply((state) =>
      onTime(state, moment(), {
        memories,
        condition: condition(),
        isLive: (name: MemoryName) =>
          findRow(database(), name) !== null && findQuarantined(database(), 'file', name) === null,
      }),
    );
  };

  /** One at a time: whoever asks meanwhile is answered first. */
  const count = (nowMs: number): void => {
    isIdle = false;
    // A database that is busy is asked again then, not at once.
    due.counts = nowMs + COUNT_AGAIN_MS;
    isIdle = !applyCount(tools.context(), skipped);
    if (isIdle) skipped.clear();
    else due.counts = 0;
  };

  return {
    async due(isOnce, isAnswering) {
      const { nowMs } = moment();
      if (nowMs >= due.lease || due.lease > nowMs + 2 * LEASE_RENEWED_EVERY_MS) renew(nowMs);
      if (!isOnce && (nowMs >= due.time || due.time > nowMs + 2 * TIME_EVERY_MS)) await byTime(nowMs);
      if (nowMs >= due.counts || due.counts > nowMs + 2 * COUNT_AGAIN_MS) {
        if (isAnswering) due.counts = nowMs + ANSWERING_MS;
        else count(nowMs);
      }
      if (nowMs < due.prune) return;
      due.prune = nowMs + PRUNE_EVERY_MS;
      pruneAgent(database(), chat.chatFile, nowMs);
    },
    settle(longestMs) {
      const startedMs = steadyMs();
      try {
        while (applyCount(tools.context(), skipped) && steadyMs() - startedMs < longestMs);
      } catch (error) {
        // What is decided stands in the database; the next process counts it.
        if (!(error instanceof EngramError)) throw error;
      }
    },
    nextInMs() {
      const { nowMs } = moment();
      const next = Math.min(due.lease, due.counts, nextDueMs(session.state)) - nowMs;
      return Math.max(1, next);
    },
    get isIdle() {
      return isIdle;
    },
    memories,
  };
}
