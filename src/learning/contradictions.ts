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
  // In a long text a word or two are mentioned rather than demanded.
  const least = Math.max(a.clauses.length, b.clauses.length) <= MOST_PLAIN_CLAUSES ? 1 : LEAST_WORDS;
  return a.clauses.some((one) => b.clauses.some((other) => one.words.size >= least && areOpposite(one, other)));
}

const MOST_PLAIN_CLAUSES = 2;
const LEAST_WORDS = 3;

function areOpposite(one: Clause, other: Clause): boolean {
  const differs = one.negative !== other.negative;
  if (one.order === null || other.order === null) {
    return differs && one.order === other.order && sameWords(one.words, other.words);
  }
  const [a, b] = [one.order, other.order];
  if (differs) return sameWords(a.first, b.first) && sameWords(a.second, b.second);
  return sameWords(a.first, b.second) && sameWords(a.second, b.first);
}

/** The action is what the other memory warns of. */
function demands(action: Statement, behavior: Statement): boolean {
  return sameSet(action, behavior) && blockersBetween(action, behavior).length === 0;
}

function sameWords(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && a.size === b.size && [...a].every((word) => b.has(word));
}
