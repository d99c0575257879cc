import type { Message } from '../chat/message.ts';
import { openDraft } from './drafts.ts';
import type { ExtractItem } from './judge/judge.ts';
import { sourceOf } from './learn-work.ts';
import { withoutOwnWords } from './own-words.ts';
import { intentKey as keyOf } from './state.ts';
import type { Turn } from './turn.ts';
import { readCorrection, userWords } from './user-words.ts';
import type { ExtractWork } from './work.ts';

/** What a model only inferred (AG-40). */
const INFERRED = 0.4;
const MOST_ITEMS = 10;

/**
 * What a model is asked about besides the built-in rules, once the answer is out (AG-12): facts of intents and finished
 * tasks, and user words in which no rule sees a correction.
 */
export function planExtraction(turn: Turn, message: Message): void {
  const { type, from, thread, id } = message;
  const own = turn.state.posted.map((posted) => posted.text);
  const words = type === 'info' ? userWords(message.text) : null;
  const isMeant = words === null ? type === 'done' || type === 'intent' : readCorrection(words) === null;
  if (!isMeant) return;
  const text = withoutOwnWords(words ?? message.text, own);
  if (text.trim() === '') return;
  turn.work({
    kind: 'extract',
    key: `extract:${keyOf(message)}`,
    want: words === null ? 'facts' : 'feedback',
    reply: { to: from, thread, re: id },
    message: { from, type, text },
    context: turn.state.recent,
  });
}

/** Facts are stored as inferred; what a user may have meant is asked about first (AG-34): nothing ambiguous is stored unasked. */
export function onExtracted(turn: Turn, work: ExtractWork, items: readonly ExtractItem[] | null): void {
  turn.done(work.key);
  const { reply, key } = work;
  for (const [at, { draft }] of (items ?? []).slice(0, MOST_ITEMS).entries()) {
    const { situation, behavior = '', impact = '', action = '', subject = '', predicate = '', object = '' } = draft;
    if (draft.type === 'fact') {
      turn.work({
        kind: 'learn',
        key: `${key}:${at}`,
        origin: 'fact',
        reply,
        record: { type: 'fact', situation, subject, predicate, object },
        confidence: INFERRED,
        source: sourceOf(`observed in ${work.message.type} message`, turn.nowMs),
        ...{ everywhere: false, draft: null, intentKey: null },
      });
    } else if (at === 0) {
      openDraft(turn, {
        ...{ situation, behavior, impact, action, missing: [] },
        ...{ from: reply.to, thread: reply.thread, cause: reply.re },
        ...{ isBareRejection: false, everywhere: false, isCertain: false },
      });
    }
  }
}
