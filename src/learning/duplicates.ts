import { foldedText } from '../memory/exact-key.ts';
import { type Blocker, blockersBetween, sameSet } from './blockers.ts';
import { parseStatement, type Statement } from './statement.ts';

/** A text with what it says, taken apart once. */
export interface ReadText {
  /** After SE-53. */
  readonly folded: string;
  readonly statement: Statement;
}

export function readText(text: string): ReadText {
  return { folded: foldedText(text), statement: parseStatement(text) };
}

/** Equal after SE-53, or the same set of stemmed content words and no blocker of SE-54 (AG-45). */
export function isSameText(a: ReadText, b: ReadText): boolean {
  if (a.folded === b.folded) return true;
  return sameSet(a.statement, b.statement) && blockersBetween(a.statement, b.statement).length === 0;
}

/** What rules out that two pairs of texts are the same, each named once. */
export function blockersOf(pairs: readonly (readonly [ReadText, ReadText])[]): Blocker[] {
  const found = pairs.flatMap(([a, b]) => (a.folded === b.folded ? [] : blockersBetween(a.statement, b.statement)));
  return [...new Set(found)];
}
