import type { MemoryName } from '../memory/slug.ts';
import {
  renderConflict,
  renderKnown,
  renderLearned,
  renderMissed,
  renderReplaced,
  renderSecret,
} from './render-learned.ts';
import { renderPace } from './render-presence.ts';
import { EVERYBODY, type Turn } from './turn.ts';
import type { LearnWork } from './work.ts';
import type { LearnedOutcome } from './write-learned.ts';

/** What became of something to learn; `covered`: a live memory says it already (AG-37). */
export type LearnResult = LearnedOutcome | { readonly kind: 'covered'; readonly name: MemoryName };

/** New memories within 10 min from which on the agent asks for a look, and pauses (AG-48). */
const MANY = 5;
const TOO_MANY = 30;
const PACE_MS = 10 * 60_000;
/** User words and heartbeats have threads of their own; what is for all goes to this one. */
const LIFECYCLE = 'lifecycle';

/** Says what was learned (T16, T17, T20 to T22, T25) and counts it. */
export function onLearned(turn: Turn, work: LearnWork, result: LearnResult): void {
  turn.done(work.key);
  const text = result.kind === 'covered' ? covered(turn, work, result.name) : textOf(work, result);
  if (text !== null) turn.post(`learn:${work.key}`, [{ ...work.reply, type: 'info', text }]);
  note(turn, work, result);
}

/** T17, once for memory and intent; nothing where it was shown for that intent. */
function covered(turn: Turn, { intentKey }: LearnWork, name: MemoryName): string | null {
  const intent = intentKey === null ? undefined : turn.state.intents.get(intentKey);
  if (intent === undefined || intent.shown.includes(name)) return null;
  const { key, situation, thread } = intent;
  turn.count({ key: `missed:${key}:${name}`, name, kind: 'missed', situation, thread });
  turn.add('missed');
  return renderMissed(name);
}

function textOf({ origin, record }: LearnWork, result: LearnedOutcome): string | null {
  switch (result.kind) {
    case 'created':
      return origin === 'learned' ? null : renderLearned(result.name, result.record);
    case 'duplicate':
      return record.type === 'fact' ? null : renderKnown(result.name);
    case 'replaced':
      return renderReplaced(result.name, result.record);
    case 'conflict':
      return renderConflict({ ...result, confidence: result.record.initial_confidence });
    case 'secret':
      return renderSecret(result.secret);
    case 'refused':
      return null;
  }
}

function note(turn: Turn, { record }: LearnWork, { kind }: LearnResult): void {
  if (kind === 'duplicate') turn.add('duplicates');
  if (kind === 'replaced') turn.add('replaced');
  if (kind === 'conflict') turn.add('conflicts');
  if (kind !== 'created' && kind !== 'conflict') return;
  turn.add(record.type === 'fact' ? 'learnedFacts' : 'learnedFeedback');
  keepPace(turn);
}

/** T23 where many are learned in a short time, once a window. */
function keepPace(turn: Turn): void {
  const { nowMs } = turn;
  const { memo } = turn.state;
  const learnedAtMs = [...memo.learnedAtMs.filter((atMs) => atMs > nowMs - PACE_MS), nowMs];
  turn.memo({ learnedAtMs });
  const isSaid = memo.paceNoticeAtMs !== null && memo.paceNoticeAtMs > nowMs - PACE_MS;
  if (learnedAtMs.length <= MANY || isSaid) return;
  turn.memo({ paceNoticeAtMs: nowMs });
  const text = renderPace(learnedAtMs.length);
  turn.post(`pace:${nowMs}`, [{ to: EVERYBODY, thread: LIFECYCLE, type: 'info', re: null, text }]);
}

/** Until when nothing is learned; null: it goes on (AG-48). */
export function pausedUntilMs(learnedAtMs: readonly number[], nowMs: number): number | null {
  const recent = learnedAtMs.filter((atMs) => atMs > nowMs - PACE_MS);
  const [first] = recent;
  return recent.length > TOO_MANY && first !== undefined ? first + PACE_MS : null;
}
