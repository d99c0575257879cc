import type { Message } from '../chat/message.ts';
import { isRefused, lintSituation } from '../learning/lint.ts';
import { findSecrets } from '../text/secrets.ts';
import { correctionFields } from './correction-fields.ts';
import { answerDraft, openDraft } from './drafts.ts';
import { lastIntent } from './intents.ts';
import { isEverywhere, sourceOf } from './learn-work.ts';
import { withoutOwnWords } from './own-words.ts';
import { renderSecret } from './render-learned.ts';
import { type Heard, intentKey as keyOf } from './state.ts';
import { senderKey, type Turn } from './turn.ts';
import { type Correction, readCorrection, userWords } from './user-words.ts';

/** Threads of user words, heartbeats and comings and goings (CH-27). */
const USER_INPUT = 'user-input';
const HEARTBEAT = 'heartbeat';

const WITHIN_MS = 10 * 60_000;
const INTENT_WITHIN_MS = 60 * 60_000;

/** Whether a message passes a user's words on (AG-32). */
export function isParrot({ type, text }: Pick<Message, 'type' | 'text'>): boolean {
  return type === 'info' && userWords(text) !== null;
}

/**
 * What a user's words teach: an answer to a draft, a memory to be stored at once, or a draft that asks the user first (AG-32
 * to AG-35).
 */
export function onUserWords(turn: Turn, message: Message): void {
  const prefixed = userWords(message.text);
  if (prefixed === null && message.thread !== USER_INPUT) return;
  if (prefixed !== null && answerDraft(turn, message, prefixed)) return;
  if (turn.moment.mode === 'after-stop') return;
  const own = turn.state.posted.map(({ text }) => text);
  const correction = readCorrection(withoutOwnWords(prefixed ?? message.text, own));
  if (correction !== null) onCorrection(turn, message, correction, prefixed !== null);
}

function onCorrection(turn: Turn, message: Message, correction: Correction, isPrefixed: boolean): void {
  const { state, nowMs } = turn;
  const { from, thread, id } = message;
  const cause = keyOf(message);
  const [secret] = findSecrets(correction.words);
  if (secret !== undefined) {
    const text = renderSecret(secret.kind);
    turn.post(`secret:${cause}`, [{ to: from, thread, type: 'info', re: id, text }]);
    return;
  }
  const intent = lastIntent(state, from, { thread, nowMs, withinMs: INTENT_WITHIN_MS });
  const { missing, ...fields } = correctionFields(correction, intent);
  const isLasting = correction.families.includes('lasting');
  const isRejection = correction.families.includes('rejection');
  const isCertain = isPrefixed && (isLasting || isRejection) && hasJustFinished(turn, from);
  const isUnclear = missing.length === 0 && isRefused(lintSituation(fields.situation, fields.action));
  const draft = {
    ...fields,
    from,
    thread,
    cause: id,
    everywhere: isEverywhere(correction.words),
    isCertain,
    isBareRejection: isRejection && correction.demanded === null && correction.prohibited === null,
    // A situation that nobody would recognise is as good as none (SE-57).
    missing: isUnclear ? ['situation'] : missing,
  };
  if (draft.missing.length > 0 || !isCertain) {
    openDraft(turn, draft);
    return;
  }
  turn.work({
    kind: 'learn',
    key: `correction:${cause}`,
    origin: 'correction',
    reply: { to: from, thread, re: id },
    record: { type: 'feedback', ...fields },
    confidence: 1,
    source: sourceOf('user correction', nowMs),
    everywhere: draft.everywhere,
    draft: null,
    intentKey: intent?.key ?? null,
  });
}

/**
 * Whether the last message of the agent that passes the words on, within 10 min, is its own `done` or `info` (AG-33);
 * heartbeats, answers and other words of the user do not count.
 */
function hasJustFinished(turn: Turn, from: string): boolean {
  const last = (turn.state.senders.get(senderKey(from)) ?? []).findLast(counts);
  if (last === undefined || last.atMs < turn.nowMs - WITHIN_MS) return false;
  return last.type === 'done' || last.type === 'info';
}

function counts({ type, thread, isParrot }: Heard): boolean {
  return !isParrot && thread !== HEARTBEAT && type !== 'ack' && type !== 'wait';
}
