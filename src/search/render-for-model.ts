import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { timestampMs } from '../memory/timestamps.ts';
import { inertTags } from '../text/inert-tags.ts';
import { visible } from '../text/visible.ts';

/** A memory as a model is told of it. */
export interface MemoryForModel {
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly isCore: boolean;
}

/**
 * A memory as quoted data for a reader that is a model (SE-60): a line that says what it is, where it comes from, how old it
 * is, where it applies, what became of it, and that it is a lead to verify; then its texts, each line behind `> `, a fact in
 * one line behind `[FACT] ` (AG-52). Nothing in a memory can make a line that begins otherwise, a role's tag, or a character
 * that is not seen. Texts over 1,000 characters are cut with the command that shows the rest (SE-61).
 *
 * @returns whole lines, each with its line break
 */
export function renderForModel(memory: MemoryForModel, nowMs: number): string {
  const { name, record } = memory;
  const lines = record.type === 'fact' ? [factLine(name, record)] : feedbackLines(name, record);
  return `${[`${title(memory)}${aboutLine(memory, nowMs)}`, ...lines].join('\n')}\n`;
}

/** The texts of a feedback memory. */
export type FeedbackTexts = Pick<MemoryRecord, 'situation' | 'behavior' | 'impact' | 'action'>;

/** The same cut to what it is about: two lines. */
export function renderTitleForModel(memory: MemoryForModel): string {
  const { name, record } = memory;
  return `${title(memory)}a lead to verify\n> ${oneLine(cut(record.situation, name))}\n`;
}

/** AG-52: characters of one text. */
const LONGEST_TEXT = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

function title({ name, isCore }: MemoryForModel): string {
  return `${oneLine(name)}${isCore ? ' (core)' : ''}: `;
}

/** `user correction, 2026-03-28; 12 days old; any project; shown 9, followed 7 of 8; a lead to verify` */
function aboutLine({ record }: MemoryForModel, nowMs: number): string {
  const scope = record.project_scoped ? `project ${record.project_slug}` : 'any project';
  return [
    record.source.trim() || 'unknown source',
    age(record.created_at, nowMs),
    scope,
    evidence(record),
    'a lead to verify',
  ]
    .map((part) => oneLine(firstCharacters(part, LONGEST_SOURCE)))
    .join('; ');
}

const LONGEST_SOURCE = 200;

function age(createdAt: string | null, nowMs: number): string {
  if (createdAt === null) return 'age unknown';
  const days = Math.floor((nowMs - timestampMs(createdAt)) / DAY_MS);
  if (days < 1) return 'new today';
  if (days < 60) return days === 1 ? '1 day old' : `${days} days old`;
  return days < 730 ? `${Math.floor(days / 30)} months old` : `${Math.floor(days / 365)} years old`;
}

function evidence({ surfaced_count, followed_count, not_followed_count }: MemoryRecord): string {
  const judged = followed_count + not_followed_count;
  if (surfaced_count === 0 && judged === 0) return 'not shown yet';
  return `shown ${surfaced_count}${judged === 0 ? '' : `, followed ${followed_count} of ${judged}`}`;
}

/** The texts of a feedback memory that it has, each line behind `> ` (AG-52). */
export function feedbackLines(name: MemoryName, { situation, behavior, impact, action }: FeedbackTexts): string[] {
  const texts = [
    ['Situation', situation],
    ['Behavior', behavior],
    ['Impact', impact],
    ['Action', action],
  ] as const;
  return texts.flatMap(([label, text]) =>
    text === null || text.trim() === '' ? [] : quotedLines(`${label}: ${cut(text.trim(), name)}`),
  );
}

/** Stored or foreign text as data: each line behind `> `, nothing in it unseen, no role's tag (AG-52). */
export function quotedLines(text: string): string[] {
  return inertTags(visible(text))
    .split('\n')
    .map((line) => `> ${line}`);
}

/** A fact in one line behind `[FACT] ` (CH-28). */
export function factLine(name: MemoryName, { subject, predicate, object, situation }: MemoryRecord): string {
  const [s, p, o] = [subject, predicate, object].map((text) => oneLine(cut(text ?? '', name)));
  return `[FACT] ${s} ${p} ${o} (situation: ${oneLine(cut(situation, name))})`;
}

/** At most 1,000 characters, and the command that shows the rest. */
export function cut(text: string, name: MemoryName): string {
  const start = firstCharacters(text, LONGEST_TEXT);
  return start === text ? text : `${start.trimEnd()} [...] (all of it: engram show ${name})`;
}

/** The beginning of a text, never half a character. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most).join('');
}

/** Foreign text in one line, with nothing in it unseen. */
export function oneLine(text: string): string {
  return inertTags(visible(text.replace(/\s+/g, ' ').trim()));
}
