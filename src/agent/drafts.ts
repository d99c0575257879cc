import type { Message } from '../chat/message.ts';
import { parseIntentText } from './intent-text.ts';
import { CONSIDER_ALTERNATIVES, sourceOf } from './learn-work.ts';
import { renderConfirm, renderIncomplete } from './render-learned.ts';
import type { CorrectionDraft } from './state.ts';
import type { Turn } from './turn.ts';
import { readCorrection, readDraftAnswer } from './user-words.ts';

/** How long a draft waits for the user's word (AG-34). */
const WAITS_MS = 24 * 60 * 60_000;
/** What a memory is worth that a user confirmed, or that nobody completed. */
const CONFIRMED = 0.7;

type NewDraft = Omit<CorrectionDraft, 'number' | 'questions' | 'state' | 'atMs'>;

/** Keeps a correction that is not stored yet, and asks: for a yes (T18), or for what is missing (T19). */
export function openDraft(turn: Turn, draft: NewDraft): void {
  const number = turn.state.memo.draftCount + 1;
  turn.memo({ draftCount: number });
  turn.add('drafts');
  const opened: CorrectionDraft = { ...draft, number, questions: [], state: 'open', atMs: turn.nowMs };
  turn.putDraft(opened);
  ask(turn, opened, { to: draft.from, thread: draft.thread, re: draft.cause });
}

function ask(
  turn: Turn,
  draft: CorrectionDraft,
  reply: { readonly to: string; readonly thread: string; readonly re: string },
): void {
  const { number, missing } = draft;
  const text = missing.length > 0 ? renderIncomplete(number, missing) : renderConfirm(number, draft);
  turn.post(`draft-${number}:${reply.re}`, [{ ...reply, type: 'info', text }], `draft-${number}`);
}

/** Whether user words answer a draft: by its name, or by the id of the question about it (AG-34). */
export function answerDraft(turn: Turn, message: Message, words: string): boolean {
  const answer = readDraftAnswer(words);
  const byQuestion =
    message.re === null
      ? null
      : ([...turn.state.drafts.values()].find((draft) => draft.questions.includes(message.re ?? '')) ?? null);
  const named = answer?.draft ?? null;
  const draft = named === null ? byQuestion : (turn.state.drafts.get(named) ?? null);
  // Words that name a draft are about it, also when it is gone.
  if (draft === null) return named !== null;
  if (draft.state !== 'open') return true;
  if (answer?.answer === 'no') turn.putDraft({ ...draft, state: 'dropped' });
  else if (answer?.answer === 'yes' && answer.words === '') settle(turn, draft, message);
  else settle(turn, completed(draft, answer === null ? words : answer.words), message);
  return true;
}

/** Stores it where nothing is missing any more, else asks again. */
function settle(turn: Turn, draft: CorrectionDraft, { from, thread, id }: Message): void {
  const reply = { to: from, thread, re: id };
  if (draft.missing.length > 0) {
    turn.putDraft(draft);
    ask(turn, draft, reply);
    return;
  }
  store(turn, draft, reply, draft.isCertain ? 1 : CONFIRMED);
}

function store(
  turn: Turn,
  draft: CorrectionDraft,
  reply: { readonly to: string; readonly thread: string; readonly re: string },
  confidence: number,
): void {
  const { number, situation, behavior, impact, action, everywhere, isCertain } = draft;
  turn.putDraft({ ...draft, state: 'stored' });
  turn.work({
    kind: 'learn',
    key: `draft-${number}`,
    origin: 'confirmation',
    reply,
    record: { type: 'feedback', situation, behavior, impact, action },
    confidence,
    source: sourceOf(isCertain ? 'user correction' : 'user confirmation', turn.nowMs),
    everywhere,
    draft: number,
    intentKey: null,
  });
}

/** The draft with what words say about it: behind labels, as a demand, or as the first thing that is missing. */
function completed(draft: CorrectionDraft, words: string): CorrectionDraft {
  const { action, impact, ...labelled } = labelledParts(words);
  const demanded = readCorrection(words);
  const given: Partial<Pick<CorrectionDraft, 'situation' | 'behavior' | 'action' | 'impact'>> = {
    ...(labelled.situation === undefined ? {} : { situation: labelled.situation }),
    ...(labelled.behavior === undefined ? {} : { behavior: labelled.behavior }),
    ...(action === undefined ? {} : { action }),
    ...(impact === undefined ? {} : { impact }),
  };
  const isLabelled = Object.keys(given).length > 0;
  const key = ORDER.find((each) => draft.missing.includes(each));
  const plain = demanded?.demanded ?? (demanded?.prohibited ? `Do not ${demanded.prohibited}` : words.trim());
  const rest =
    isLabelled || words.trim() === ''
      ? {}
      : { [key ?? 'action']: key === 'situation' || key === 'behavior' ? words.trim() : plain };
  const next = { ...draft, ...given, ...rest };
  const filled = new Set([...Object.keys(given), ...Object.keys(rest)]);
  return { ...next, missing: draft.missing.filter((each) => !filled.has(each)) };
}

/** What is asked for first is what a user says first. */
const ORDER = ['action', 'behavior', 'situation'] as const;

/** Labels may stand on one line: people answer in a sentence. */
function labelledParts(answer: string): Partial<Record<'situation' | 'behavior' | 'action' | 'impact', string>> {
  const parts: Partial<Record<'situation' | 'behavior' | 'action' | 'impact', string>> = {};
  const words = answer.replace(/[ \t]+(?=(?:situation|behaviou?r|action|impact)\s?:)/gi, '\n');
  if (/\b(?:situation|behaviou?r)\s?:/i.test(words)) {
    const { situation, behavior } = parseIntentText(words.replace(/\b(?:action|impact)\s?:[\s\S]*$/i, ''));
    if (/\bsituation\s?:/i.test(words)) parts.situation = situation;
    if (/\bbehaviou?r\s?:/i.test(words)) parts.behavior = behavior;
  }
  for (const key of ['action', 'impact'] as const) {
    const found = new RegExp(`\\b${key}\\s?:\\s*([^\\n]+)`, 'i').exec(words)?.[1]?.trim();
    if (found) parts[key] = found;
  }
  return parts;
}

/**
 * Drafts that nobody answered in time are dropped; a bare rejection is kept as a memory that something was wrong (AG-34,
 * AG-35).
 */
export function expireDrafts(turn: Turn): void {
  for (const draft of turn.state.drafts.values()) {
    if (draft.state !== 'open' || draft.atMs > turn.nowMs - WAITS_MS) continue;
    const isKept = draft.isBareRejection && draft.situation !== '' && draft.behavior !== '';
    const reply = { to: draft.from, thread: draft.thread, re: draft.cause };
    if (!isKept) turn.putDraft({ ...draft, state: 'dropped' });
    else store(turn, { ...draft, action: draft.action || CONSIDER_ALTERNATIVES, missing: [] }, reply, CONFIRMED);
  }
}
