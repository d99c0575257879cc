import { blockersBetween, sameSet } from './blockers.ts';
import type { Clause, Statement } from './statement.ts';

/** The texts of one feedback memory that decide whether it contradicts another. */
export interface Advice {
  readonly behavior: Statement;
  readonly action: Statement;
}

/**
 * Whether two pieces of advice for the same situation cannot both be followed (AG-45): one negates what the other demands,
 * one demands what the other warns of, or they want two things in opposite order. A shared word, or a `not` alone, makes no
 * contradiction (SE-55).
 */
export function isOppositeAdvice(a: Advice, b: Advice): boolean {
  return negates(a.action, b.action) || demands(a.action, b.behavior) || demands(b.action, a.behavior);
}

/** One clause demands what a clause of the other forbids, or both want two things in opposite order. */
function negates(a: Statement, b: Statement): boolean {
  return a.clauses.some((one) => b.clauses.some((other) => isNegation(one, other) || isSwapped(one, other)));
}

function isNegation(one: Clause, other: Clause): boolean {
  return (
    one.negative !== other.negative && one.order === null && other.order === null && sameWords(one.words, other.words)
  );
}

function isSwapped({ order: one }: Clause, { order: other }: Clause): boolean {
  return one !== null && other !== null && sameWords(one.first, other.second) && sameWords(one.second, other.first);
}

/** The action is what the other memory warns of. */
function demands(action: Statement, behavior: Statement): boolean {
  return sameSet(action, behavior) && blockersBetween(action, behavior).length === 0;
}

function sameWords(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && a.size === b.size && [...a].every((word) => b.has(word));
}
