import { contentHash } from '../text/content-hash.ts';
import type { MemoryTexts } from '../text/index-text.ts';
import { matchedSituation, normalise } from '../text/normalise.ts';

/** The two texts of a memory that the model is given (SE-22). */
export interface EmbeddedText {
  /** The situation, for facts with what they are about. */
  readonly situation: string;
  /** The situation and every other text, each on its line. */
  readonly record: string;
  /** SHA-256 of exactly these (SE-23). */
  readonly hash: string;
}

export function embeddedText(memory: MemoryTexts): EmbeddedText {
  const { behavior, impact, action, subject, predicate, object } = memory;
  const matched = matchedSituation(memory.situation ?? '');
  const situation = lines([matched, words([subject, object])]);
  const record = lines([matched, behavior, impact, action, words([subject, predicate, object])]);
  return { situation, record, hash: contentHash(`${situation}\0${record}`) };
}

/** The texts of a feedback memory that are compared on their own, for what is announced to be judged by (SE-22, AG-22). */
export const JUDGED_PARTS = ['behavior', 'action'] as const;

/** One of these texts as the model is given it, and its hash (SE-23). */
export function partText(text: string | null): { readonly text: string; readonly hash: string } {
  const normalised = normalise(text ?? '');
  return { text: normalised, hash: contentHash(normalised) };
}

function lines(parts: readonly (string | null)[]): string {
  return parts
    .map((part) => normalise(part ?? ''))
    .filter((part) => part !== '')
    .join('\n');
}

function words(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' ');
}
