import { openChatFile } from '../chat/chat-file.ts';
import { findLine } from '../chat/line-count.ts';
import { mayStillHold } from '../files/process-life.ts';
import { countDecided } from '../store/agent-counts.ts';
import { countAgentRecords, findAgentChat } from '../store/agent-records.ts';
import { findLease, isHeld } from '../store/leases.ts';
import { countCores, countRowsIn, countUnresolved } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { listQuarantined } from '../store/quarantine.ts';
import { pausedUntilMs } from './learned.ts';
import { type ChatMemo, newState } from './state.ts';

/** What `agent status` says (AG-53), keys as in its JSON. Times are RFC 3339 in UTC. */
export interface AgentStatus {
  readonly running: boolean;
  readonly pid: number | null;
  readonly project: string | null;
  readonly chat_file: string;
  readonly started_at: string | null;
  readonly cursor: number;
  /** Line ends of the file behind the cursor; null where it cannot be read. */
  readonly lag_lines: number | null;
  readonly last_heartbeat: string | null;
  readonly memories: Record<'feedback' | 'facts' | 'core' | 'promoted' | 'quarantined', number>;
  readonly intents: Record<'seen' | 'acked' | 'waited' | 'failed' | 'late', number>;
  readonly answer_ms: Record<'p50' | 'p95' | 'max', number | null>;
  readonly queue: Record<'now' | 'max', number>;
  readonly arguments: Record<'open' | 'escalated' | 'timed_out', number>;
  readonly outcomes: Record<'followed' | 'not_followed' | 'irrelevant', number>;
  readonly surfaced: number;
  readonly unresolved: number;
  readonly missed: number;
  readonly learned: Record<'feedback' | 'facts' | 'replaced' | 'duplicates' | 'conflicts' | 'drafts', number>;
  readonly judge: { readonly kind: string | null } & Record<'calls' | 'failures' | 'fallbacks', number>;
  readonly pending_file_writes: number;
  readonly damaged_ranges: number;
  readonly degraded: readonly string[];
  readonly learning: 'on' | 'off' | 'paused';
  /** The process is there, and has not written for over 6 min. */
  readonly stalled: boolean;
}

const STALLED_MS = 6 * 60_000;

/** Reads from the database how the agent of a chat is (AG-53). Changes nothing. */
export function agentStatus(db: SqliteDatabase, chatFile: string, nowMs: number): AgentStatus {
  const lease = findLease(db, chatFile);
  const running = lease !== null && isHeld(lease, nowMs, mayStillHold);
  const row = findAgentChat(db, chatFile);
  const memo = memoOf(row?.value ?? null);
  const { metrics, condition } = memo;
  const found = countAgentRecords(db, chatFile, 'argument');
  const queue = countAgentRecords(db, chatFile, 'intent').get('open') ?? 0;
  return {
    running,
    pid: running ? lease.pid : null,
    project: condition?.project ?? null,
    chat_file: chatFile,
    started_at: running ? isoTime(lease.startedAtMs) : null,
    cursor: row?.cursor ?? 0,
    lag_lines: lagLines(chatFile, row?.cursor ?? 0),
    last_heartbeat: isoTime(memo.heartbeatAtMs),
    memories: { ...countsOf(db), ...countCores(db), quarantined: listQuarantined(db).length },
    intents: pick(metrics, ['seen', 'acked', 'waited', 'failed', 'late']),
    answer_ms: quantiles(metrics.answerMs),
    queue: { now: queue, max: metrics.queueMax },
    arguments: {
      open: (found.get('open') ?? 0) + (found.get('countered') ?? 0),
      escalated: found.get('escalated') ?? 0,
      timed_out: metrics.timedOut,
    },
    outcomes: { followed: metrics.followed, not_followed: metrics.notFollowed, irrelevant: metrics.irrelevant },
    surfaced: metrics.surfaced,
    unresolved: countUnresolved(db),
    missed: metrics.missed,
    learned: {
      feedback: metrics.learnedFeedback,
      facts: metrics.learnedFacts,
      ...pick(metrics, ['replaced', 'duplicates', 'conflicts', 'drafts']),
    },
    judge: {
      kind: condition?.judge.kind ?? null,
      calls: condition?.judge.calls ?? 0,
      failures: condition?.judge.failures ?? 0,
      fallbacks: condition?.judge.fallbacks ?? 0,
    },
    pending_file_writes: countDecided(db),
    damaged_ranges: condition?.damagedRanges ?? 0,
    degraded: condition?.degraded ?? [],
    learning: condition?.learns === false ? 'off' : pausedUntilMs(memo.learnedAtMs, nowMs) === null ? 'on' : 'paused',
    stalled: running && memo.heartbeatAtMs !== null && memo.heartbeatAtMs < nowMs - STALLED_MS,
  };
}

function memoOf(value: string | null): ChatMemo {
  const fresh = newState('').memo;
  if (value === null) return fresh;
  try {
    return { ...fresh, ...(JSON.parse(value) as Partial<ChatMemo>) };
  } catch {
    return fresh;
  }
}

function countsOf(db: SqliteDatabase) {
  return { feedback: countRowsIn(db, 'feedback'), facts: countRowsIn(db, 'facts') };
}

function lagLines(chatFile: string, cursor: number): number | null {
  try {
    using file = openChatFile(chatFile);
    return file === null ? 0 : Math.max(0, findLine(file, null).lines - cursor);
  } catch {
    return null;
  }
}

function quantiles(times: readonly number[]): AgentStatus['answer_ms'] {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? null };
}

function pick<Key extends string>(from: { readonly [K in Key]: number }, keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Record<Key, number>;
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
