import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { fact, feedback } from './memory-rows.ts';

/** A memory of a team that runs a shop, and texts that it is meant for. */
export interface Meant {
  readonly slug: string;
  readonly record: MemoryRecord;
  /** Its moment, announced in other words. */
  readonly intent: string;
  /** The same moment without naming it: hardly a word in common, and some knowledge needed. */
  readonly hint: string;
}

/** 150 feedback memories and 50 facts. */
export function meantMemories(): Meant[] {
  const feedbacks = rows('feedback.tsv').map(([situation = '', behavior = '', impact = '', action = '', ...texts]) => ({
    record: feedback(situation, { behavior, impact, action }),
    ...intended(texts),
  }));
  const facts = rows('facts.tsv').map(([situation = '', subject = '', predicate = '', object = '', ...texts]) => ({
    record: fact(situation, [subject, predicate, object]),
    ...intended(texts),
  }));
  return [...feedbacks, ...facts].map((one, at) => ({ slug: `m${at}`, ...one }));
}

function intended([intent = '', hint = '']: readonly string[]): Pick<Meant, 'intent' | 'hint'> {
  return { intent, hint };
}

/** The records of these memories by slug, as `storeWith` takes them. */
export function recordsOf(memories: readonly Meant[]): Record<string, MemoryRecord> {
  return Object.fromEntries(memories.map(({ slug, record }) => [slug, record]));
}

/** 200 prompts of which no memory knows anything. */
export function unrelatedPrompts(): string[] {
  return lines('unrelated.txt');
}

/** Queries in other languages; the situation is that of the memory they mean, empty when they mean none. */
export function queriesInOtherLanguages(): { language: string; query: string; situation: string }[] {
  return rows('other-languages.tsv').map(([language = '', query = '', situation = '']) => ({
    language,
    query,
    situation,
  }));
}

/** Without the line of titles. */
function rows(file: string): string[][] {
  return lines(file)
    .slice(1)
    .map((line) => line.split('\t'));
}

function lines(file: string): string[] {
  const path = fileURLToPath(new URL(`../fixtures/matching/${file}`, import.meta.url));
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}
