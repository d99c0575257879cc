import { wholeSecondTimestamp } from '../clock.ts';

/** Where a memory comes from, as its `source` says it (AG-38). */
export function sourceOf(kind: string, nowMs: number): string {
  return `${kind}, ${wholeSecondTimestamp(nowMs).slice(0, 10)}`;
}

/** Whether words ask for more than the present project (AG-38). */
export function isEverywhere(words: string): boolean {
  return /\b(?:everywhere|(?:in )?(?:every|all|any) (?:projects?|repos?|repositor(?:y|ies))|in general)\b/i.test(words);
}

/** What a memory of a failure advises where nobody said what is better (AG-35, AG-37). */
export const CONSIDER_ALTERNATIVES = 'Consider alternative approaches';
