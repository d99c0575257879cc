/**
 * The constants and the pure rules by which evidence becomes an answer (search.md sections 7 and 8). Knots and floors
 * stand here alone; no set, project or provider has its own (SE-42).
 */

export type Policy = 'query' | 'surface';

/** Evidence and relevance of the words arm without vectors (SE-34). */
const WORDS_KNOTS: readonly (readonly [evidence: number, relevance: number])[] = [
  [0, 0],
  [0.05, 0.04],
  [0.1, 0.14],
  [0.15, 0.22],
  [0.2, 0.29],
  [0.25, 0.33],
  [0.3, 0.37],
  [0.35, 0.44],
  [0.4, 0.52],
  [0.45, 0.59],
  [0.5, 0.66],
  [0.55, 0.74],
  [0.6, 0.79],
  [0.7, 0.88],
  [0.8, 0.95],
  [0.9, 0.98],
  [1, 0.99],
];

export const QUERY_FLOOR = 0.25;
export const SURFACE_FLOOR = 0.55;
/** `surface`: floor where a rare identifier of the query is matched (SE-41). */
const IDENTIFIER_FLOOR = 0.4;
/** `surface`: floor of unscoped memories that were learned in another project. */
const OTHER_PROJECT_FLOOR = 0.7;
/** `surface`: share of the best relevance that a hit needs. */
export const RELATIVE_FLOOR = 0.7;
/** A whole match of a query that is one identifier has at least this relevance (SE-35). */
const IDENTIFIER_RELEVANCE = 0.6;
/** Queries so short that matching every term is enough for `query`. */
export const SHORT_QUERY_TERMS = 3;
/** Spelling rescue is tried below this best relevance (SE-19). */
export const RESCUE_BELOW = 0.4;

/** What SE-35 asks of a memory besides its evidence. */
export interface Identity {
  /** A text of the memory equals the query. */
  readonly equal: boolean;
  /** The query is one identifier, matched whole in situation, subject or object. */
  readonly wholeIdentifier: boolean;
}

/** R of a memory: 0..1, by the table of knots and the exceptions of SE-35. */
export function relevanceOf(evidence: number, identity: Identity): number {
  if (identity.equal) return 1;
  const tabled = interpolate(WORDS_KNOTS, evidence);
  return identity.wholeIdentifier ? Math.max(tabled, IDENTIFIER_RELEVANCE) : tabled;
}

/** Outcomes of one memory: its counters, and events in situations like the query's (SE-38). */
export interface OutcomeFigures {
  readonly followed: number;
  readonly notFollowed: number;
  readonly followedHere: number;
  readonly irrelevantHere: number;
}

/** a of R' = R x (1 + a), within -0.15 and +0.15, in its two parts (SE-38). */
export function outcomeAdjustment({ followed: f, notFollowed: n, followedHere, irrelevantHere }: OutcomeFigures): {
  readonly overall: number;
  readonly here: number;
} {
  return {
    overall: (0.05 * (f - n)) / (f + n + 8),
    here: (0.1 * (followedHere - irrelevantHere)) / (followedHere + irrelevantHere + 4),
  };
}

/** R', at most 1. */
export function adjustedRelevance(relevance: number, adjustment: { overall: number; here: number }): number {
  return Math.min(1, relevance * (1 + adjustment.overall + adjustment.here));
}

/** As it is printed and ordered by: two decimals (SE-40). */
export function rounded(relevance: number): number {
  return Math.round(relevance * 100) / 100;
}

/** What the gates of the policies look at. */
export interface GateInput {
  /** Smaller of R and R'; under `surface` of the best of whole text and sentences (SE-39, SE-74). */
  readonly passing: number;
  readonly matchesEveryTerm: boolean;
  readonly contentTerms: number;
  readonly needsReview: boolean;
  readonly learnedElsewhere: boolean;
  /** Its situation, subject or object holds an identifier of the query that at most 3 live memories hold (SE-41). */
  readonly rareIdentifier: boolean;
}

export interface Gate {
  readonly gate: 'floor' | 'every_term' | 'needs_review';
  readonly passed: boolean;
}

/** The gates of a policy for one memory, in the order they are asked. */
export function gates(policy: Policy, input: GateInput): Gate[] {
  if (policy === 'query') {
    const short = input.contentTerms >= 1 && input.contentTerms <= SHORT_QUERY_TERMS;
    const aboveFloor = input.passing >= QUERY_FLOOR;
    const floor: Gate = { gate: 'floor', passed: aboveFloor };
    return aboveFloor || !short ? [floor] : [floor, { gate: 'every_term', passed: input.matchesEveryTerm }];
  }
  return [
    { gate: 'needs_review', passed: !input.needsReview },
    { gate: 'floor', passed: input.passing >= surfaceFloor(input) },
  ];
}

/** `query` asks for one gate of its alternatives, `surface` for all. */
export function passes(policy: Policy, asked: readonly Gate[]): boolean {
  return policy === 'query' ? asked.some((gate) => gate.passed) : asked.every((gate) => gate.passed);
}

/** Below this no memory passes a floor of the policy. */
export function leastPassing(policy: Policy): number {
  return policy === 'query' ? QUERY_FLOOR : IDENTIFIER_FLOOR;
}

/** The floor that `surface` holds against one memory (SE-41). */
function surfaceFloor({ learnedElsewhere, rareIdentifier }: GateInput): number {
  if (learnedElsewhere) return OTHER_PROJECT_FLOOR;
  return rareIdentifier ? IDENTIFIER_FLOOR : SURFACE_FLOOR;
}

/** Fewer than two content terms and no identifier: `surface` abstains. */
export function isThin(contentTerms: number, identifiers: number): boolean {
  return contentTerms < 2 && identifiers === 0;
}

function interpolate(knots: readonly (readonly [number, number])[], at: number): number {
  let low = knots[0] ?? [0, 0];
  for (let i = 1; i < knots.length; i++) {
    const high = knots[i] ?? low;
    if (at <= high[0]) return low[1] + ((high[1] - low[1]) * (at - low[0])) / (high[0] - low[0]);
    low = high;
  }
  return low[1];
}
