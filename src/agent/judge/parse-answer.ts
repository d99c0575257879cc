import { EngramError } from '../../errors.ts';
import { type Draft, draftRecord } from '../../learning/draft.ts';
import { redact } from '../../text/secrets.ts';
import { visible } from '../../text/visible.ts';
import type { Applies, ExtractItem, ReplyVerdict } from './judge.ts';

/** The answer as the table of AG-21 has it; a text says why it is none. */
export type Parsed<T> = { readonly value: T } | string;

export function parseApplies(text: string): Parsed<Omit<Applies, 'by'>> {
  const answer = parseObject(text);
  if (typeof answer === 'string') return answer;
  const { verdict, score } = answer;
  if (!isOneOf(verdict, ['applies', 'follows', 'unrelated'])) return 'its verdict is none of the three';
  if (score !== undefined && !isShare(score)) return 'its score is no number from 0 to 1';
  return { value: { verdict, score: score ?? (verdict === 'applies' ? 1 : 0), reason: reasonOf(answer) } };
}

export function parseReply(text: string): Parsed<ReplyVerdict> {
  const answer = parseObject(text);
  if (typeof answer === 'string') return answer;
  const { verdict } = answer;
  if (!isOneOf(verdict, ['concedes', 'exception', 'irrelevant', 'persists'])) return 'its verdict is none of the four';
  return { value: { verdict, reason: reasonOf(answer) } };
}

export function parseRelation(text: string): Parsed<'same' | 'opposite' | 'different'> {
  const answer = parseObject(text);
  if (typeof answer === 'string') return answer;
  const { verdict } = answer;
  return isOneOf(verdict, ['same', 'opposite', 'different']) ? { value: verdict } : 'its verdict is none of the three';
}

/** Items without evidence that stands in the message, or that are no valid memory, are left out (AG-26). */
export function parseExtract(
  text: string,
  message: string,
  want: 'feedback' | 'facts',
): Parsed<readonly ExtractItem[]> {
  const answer = parseObject(text);
  if (typeof answer === 'string') return answer;
  if (!Array.isArray(answer.items)) return 'its items are no list';
  const items = answer.items.slice(0, MOST_ITEMS) as unknown[];
  return { value: items.flatMap((item) => extractItem(item, message, want) ?? []) };
}

const MOST_ITEMS = 20;
const LONGEST_REASON = 300;
const SHORTEST_EVIDENCE = 3;

function extractItem(item: unknown, message: string, want: 'feedback' | 'facts'): ExtractItem | null {
  if (typeof item !== 'object' || item === null) return null;
  const values = item as Record<string, unknown>;
  const text = (key: string): string => (typeof values[key] === 'string' ? values[key].trim() : '');
  const evidence = text('evidence');
  if (evidence.length < SHORTEST_EVIDENCE || !message.includes(evidence)) return null;
  const situation = text('situation');
  const draft: Draft =
    want === 'feedback'
      ? { type: 'feedback', situation, behavior: text('behavior'), impact: text('impact'), action: text('action') }
      : { type: 'fact', situation, subject: text('subject'), predicate: text('predicate'), object: text('object') };
  return isValid(draft) ? { draft, evidence } : null;
}

function isValid(draft: Draft): boolean {
  try {
    draftRecord(draft, { project: null, everywhere: true }, 0);
    return true;
  } catch (error) {
    if (error instanceof EngramError && error.code === 'memory.invalid') return false;
    throw error;
  }
}

/** One line, at most 300 characters, without a secret, and without a full stop at its end. */
function reasonOf({ reason }: Readonly<Record<string, unknown>>): string {
  if (typeof reason !== 'string') return '';
  const line = visible(redact(reason.slice(0, 10_000)).replace(/\s+/g, ' '))
    .trim()
    .replace(/\.+$/, '');
  return [...line].slice(0, LONGEST_REASON).join('').trim();
}

/** The object, also between the marks of a code block, or behind what a model thought before it answered. */
function parseObject(text: string): Readonly<Record<string, unknown>> | string {
  const said = text
    .replace(/^\uFEFF/, '')
    .replace(/^\s*<think>[\s\S]*?<\/think>/, '')
    .trim();
  const fenced = /^```[a-z]*\s*\n([\s\S]*?)\n?```$/.exec(said)?.[1] ?? said;
  try {
    const value: unknown = JSON.parse(fenced);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return 'its answer is no JSON object';
  } catch {
    return said === '' ? 'its answer is empty' : 'its answer is not JSON';
  }
}

function isOneOf<const T extends string>(value: unknown, listed: readonly T[]): value is T {
  return listed.some((one) => one === value);
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
