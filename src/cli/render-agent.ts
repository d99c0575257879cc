import type { AgentStatus } from '../agent/status.ts';
import { visible } from '../text/visible.ts';

/** What `agent status` prints for a person: a line for each thing. */
export function renderAgentStatus(status: Omit<AgentStatus, 'stalled'>): string {
  const { intents, answer_ms: times, queue, outcomes, learned, memories, judge } = status;
  const isKnown = status.last_heartbeat !== null;
  const lines = [
    ['agent', status.running ? `runs, process ${status.pid}, since ${status.started_at}` : 'does not run'],
    ['chat', status.chat_file],
    ['project', status.project ?? '-'],
    ['cursor', `${status.cursor}${status.lag_lines === null ? '' : `, ${status.lag_lines} lines behind the end`}`],
    ['heartbeat', status.last_heartbeat ?? 'none yet'],
    [
      'memories',
      `${memories.feedback} feedback, ${memories.facts} ${memories.facts === 1 ? 'fact' : 'facts'}; ${memories.core} core, ${memories.promoted} of them promoted; ${memories.quarantined} quarantined`,
    ],
    ...(isKnown
      ? [
          [
            'intents',
            `${intents.seen} seen: ${intents.acked} acked, ${intents.waited} waited, ${intents.failed} failed, ${intents.late} late`,
          ],
          [
            'answers',
            times.p50 === null ? 'none yet' : `p50 ${times.p50} ms, p95 ${times.p95} ms, at most ${times.max} ms`,
          ],
          ['queue', `${queue.now}, at most ${queue.max}`],
          [
            'arguments',
            `${status.arguments.open} open, ${status.arguments.escalated} escalated, ${status.arguments.timed_out} timed out`,
          ],
          [
            'outcomes',
            `${outcomes.followed} followed, ${outcomes.not_followed} not followed, ${outcomes.irrelevant} irrelevant; ${status.missed} missed`,
          ],
          ['surfaced', `${status.surfaced}; ${status.unresolved} without an outcome in all`],
          [
            'learned',
            `${learned.feedback} feedback, ${learned.facts} facts, ${learned.replaced} replaced, ${learned.duplicates} known, ${learned.conflicts} conflicts, ${learned.drafts} drafts`,
          ],
          [
            'judge',
            `${judge.kind ?? '-'}: ${judge.calls} calls, ${judge.failures} failures, ${judge.fallbacks} by built-in rules`,
          ],
          ['learning', status.learning],
        ]
      : []),
    ...(status.pending_file_writes > 0 ? [['waiting', `${status.pending_file_writes} counts for files`]] : []),
    ...(status.damaged_ranges > 0 ? [['damaged', `${status.damaged_ranges} ranges of the chat`]] : []),
    ...(status.degraded.length > 0 ? [['degraded', status.degraded.join(', ')]] : []),
  ];
  const hint = status.running ? '' : 'Start it with: engram agent run\n';
  return `${lines.map(([label = '', text = '']) => `${label.padEnd(10)} ${visible(text)}\n`).join('')}${hint}`;
}
