import { speechOf } from './speech.ts';
import { userWords } from './user-words.ts';

/** What a reply to an objection amounts to, by words alone (AG-29). */
export type ReplyClass =
  | { readonly kind: 'decision'; readonly decision: 'follow' | 'override' | 'irrelevant' }
  | { readonly kind: 'user' | 'irrelevant' | 'concedes' | 'persists' };

/** The first class that fits, by whole words of the replier's own; `persists` where none does (AG-29). */
export function classifyReply(text: string): ReplyClass {
  const said = (userWords(text) ?? text).replaceAll('’', "'").trim();
  const decision = /^(follow|override|irrelevant)\b/i.exec(said)?.[1]?.toLowerCase();
  if (decision === 'follow' || decision === 'override' || decision === 'irrelevant')
    return { kind: 'decision', decision };
  if (/^ok[.!]?$/i.test(said)) return { kind: 'concedes' };
  const own = speechOf(said)
    .sentences.map(({ text }) => text)
    .join(' ');
  if (USER.test(own)) return { kind: 'user' };
  if (saysIrrelevant(own)) return { kind: 'irrelevant' };
  return { kind: concedes(own) ? 'concedes' : 'persists' };
}

/** Texts of the protocol that are never a reply: pause, receipt, heartbeat, no response (CH-28, CH-33). */
export function isConventional(text: string): boolean {
  return CONVENTIONAL.some((form) => form.test(text.trim()));
}

const USER = /\bthe user (?:has )?(?:asked|said|says|wants|wanted|confirmed|approved|agreed)\b/i;
const IRRELEVANT = /\b(?:does not apply|doesn't apply|not relevant|unrelated)\b/i;
const WORDS_OF_REASON = 6;

function saysIrrelevant(said: string): boolean {
  const found = IRRELEVANT.exec(said)?.[0];
  if (found === undefined) return false;
  return (said.replace(found, ' ').match(/\S+/g) ?? []).length >= WORDS_OF_REASON;
}

const CONCEDES =
  /\b(?:agreed|you're right|you are right|good point|will do|will use|switching to|changed the plan)\b(.*)/is;

function concedes(said: string): boolean {
  const behind = CONCEDES.exec(said)?.[1];
  return behind !== undefined && !/\b(?:but|however|not|except)\b/i.test(behind);
}

const CONVENTIONAL: readonly RegExp[] = [
  /^pausing execution to respond to wait from \S+$/i,
  /^received\.?$/i,
  /^alive \| [^\n]*$/i,
  /^no response from [^\n]* yet\.?$/i,
];
