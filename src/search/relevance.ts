/**
 * The constants and the pure rules by which evidence becomes an answer (search.md sections 7 and 8). Knots and floors
 * stand here alone; no set, project or provider has its own (SE-42).
 */

export type Policy = 'query' | 'surface';

/** Evidence of each arm for one memory; null where an arm has nothing to say of it. */
export interface ArmEvidence {
  readonly words: number | null;
  readonly meaning: number | null;
  readonly fine: number | null;
  /** How much of the memory the query covers, and how long the memory is, in tokens; only their order depends on it. */
  readonly coverage: { readonly evidence: number; readonly tokens: number } | null;
}

/** The table of knots that stands for the figures there are: A meaning, E words, L fine, C coverage. */
export type KnotTable = 'AELC' | 'AEL' | 'AE' | 'ALC' | 'AL' | 'A' | 'E';

/** Evidence of the knots below; each row has the relevance at these (SE-34). */
export const EVIDENCE_KNOTS = [
  0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1,
] as const;

/** No evidence makes certain: the last knot stays below 1. */
const RELEVANCE_KNOTS: Readonly<Record<KnotTable, readonly number[]>> = {
  AELC: [0, 0.01, 0.02, 0.03, 0.04, 0.11, 0.22, 0.34, 0.46, 0.59, 0.76, 0.88, 0.93, 0.96, 0.97, 0.98, 0.99],
  AEL: [0, 0.01, 0.02, 0.03, 0.04, 0.1, 0.23, 0.34, 0.46, 0.57, 0.63, 0.76, 0.88, 0.96, 0.97, 0.98, 0.99],
  AE: [0, 0.01, 0.02, 0.03, 0.05, 0.15, 0.26, 0.42, 0.51, 0.6, 0.76, 0.86, 0.92, 0.95, 0.97, 0.98, 0.99],
  ALC: [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.11, 0.22, 0.33, 0.43, 0.61, 0.76, 0.87, 0.93, 0.97, 0.98, 0.99],
  AL: [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.11, 0.23, 0.38, 0.52, 0.56, 0.79, 0.9, 0.97, 0.98, 0.99],
  A: [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.12, 0.2, 0.28, 0.43, 0.68, 0.84, 0.95, 0.98, 0.99],
  E: [0, 0.04, 0.11, 0.16, 0.25, 0.33, 0.43, 0.49, 0.59, 0.64, 0.65, 0.68, 0.77, 0.86, 0.94, 0.95, 0.99],
};

export interface Fusion {
  /** F. */
  readonly fused: number;
  readonly table: KnotTable;
}

/**
 * F = the mean of the figures there are, and the table it is looked up in (SE-34). Null when there is none.
 *
 * With coverage it says which of the memories that may apply fits best; without, how sure it is that any does: a query
 * that covers little of a long memory may be all the more about it. With coverage meaning counts by the length of the
 * memory, since one vector says the less about each part of a text the longer the text is.
 */
export function fuse({ words, meaning, fine, coverage }: ArmEvidence): Fusion | null {
  const letters = [meaning === null ? '' : 'A', words === null ? '' : 'E', fine === null ? '' : 'L'];
  const table = `${letters.join('')}${coverage === null ? '' : 'C'}`;
  if (!isKnotTable(table)) return null;
  let [sum, total] = [0, 0];
  const add = (evidence: number | null, weight: number) => {
    if (evidence === null) return;
    sum += weight * Math.max(0, evidence);
    total += weight;
  };
  add(words, 1);
  add(meaning, coverage === null ? 1 : meaningWeight(coverage.tokens));
  add(fine, 1);
  add(coverage?.evidence ?? null, 1);
  return { fused: sum / total, table };
}

/** Tokens of a memory for which its vector counts as much as each other figure. */
const EVEN_TOKENS = 32;
const MOST_MEANING_WEIGHT = 2;

/** What meaning counts beside the other figures, for a memory of so many tokens without its stop words. */
export function meaningWeight(tokens: number): number {
  return Math.min(MOST_MEANING_WEIGHT, Math.sqrt(EVEN_TOKENS / Math.max(1, tokens)));
}

function isKnotTable(table: string): table is KnotTable {
  return Object.hasOwn(RELEVANCE_KNOTS, table);
}

/** What a figure is above the mean of unrelated texts, as a share of what there is to be above (SE-27, SE-71). */
export function aboveBackground(figure: number, mean: number): number {
  // A model to which unrelated texts are the same says nothing.
  return mean > MEANINGLESS ? 0 : (figure - mean) / (1 - mean);
}

const MEANINGLESS = 0.999;

export const QUERY_FLOOR = 0.15;
export const SURFACE_FLOOR = 0.49;
/** `surface`: floor where a rare identifier of the query is matched and words answer alone (SE-41). */
export const IDENTIFIER_FLOOR = 0.4;
/** `surface`: floor of unscoped memories that were learned in another project. */
const OTHER_PROJECT_FLOOR = 0.7;
/** `surface`: share of the best relevance that a hit needs. */
export const RELATIVE_FLOOR = 0.7;
/** A whole match of a query that is one identifier, or of a long one word for word, has at least this relevance (SE-35, Q18). */
const WHOLE_MATCH_RELEVANCE = 0.6;
/** At most, where something like the identifier is all that there is: `v1.2.4` never comes before `v1.2.3` (Q02). */
const OTHER_IDENTIFIER_RELEVANCE = 0.59;
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
  /** The query is one identifier, which the memory does not hold as it is: it may only look like it. */
  readonly otherIdentifier: boolean;
  /** The query has more terms than a short one, and stands in a text of the memory word for word. */
  readonly verbatim: boolean;
}

/** R of a memory: 0..1, by the table of knots and the exceptions of SE-35. */
export function relevanceOf(fused: number, identity: Identity, table: KnotTable = 'E'): number {
  if (identity.equal) return 1;
  const tabled = interpolate(RELEVANCE_KNOTS[table], fused);
  if (identity.otherIdentifier) return Math.min(tabled, OTHER_IDENTIFIER_RELEVANCE);
  return identity.wholeIdentifier || identity.verbatim ? Math.max(tabled, WHOLE_MATCH_RELEVANCE) : tabled;
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
  /** Its file is quarantined for a secret (SY-42). */
  readonly fileHoldsSecret: boolean;
  readonly learnedElsewhere: boolean;
  /** Its situation, subject or object holds an identifier of the query that at most 3 live memories hold (SE-41). */
  readonly rareIdentifier: boolean;
}

export interface Gate {
  readonly gate: 'floor' | 'every_term' | 'needs_review' | 'secret';
  readonly passed: boolean;
}

/** The gates of a policy for one memory, in the order they are asked. `floor` is that of `query`. */
export function gates(policy: Policy, input: GateInput, floor = QUERY_FLOOR): Gate[] {
  if (policy === 'query') {
    const short = input.contentTerms >= 1 && input.contentTerms <= SHORT_QUERY_TERMS;
    const aboveFloor = input.passing >= floor;
    const ofFloor: Gate = { gate: 'floor', passed: aboveFloor };
    return aboveFloor || !short ? [ofFloor] : [ofFloor, { gate: 'every_term', passed: input.matchesEveryTerm }];
  }
  return [
    { gate: 'needs_review', passed: !input.needsReview },
    { gate: 'secret', passed: !input.fileHoldsSecret },
    { gate: 'floor', passed: input.passing >= surfaceFloor(input) },
  ];
}

/** `query` asks for one gate of its alternatives, `surface` for all. */
export function passes(policy: Policy, asked: readonly Gate[]): boolean {
  return policy === 'query' ? asked.some((gate) => gate.passed) : asked.every((gate) => gate.passed);
}

/** For somebody who wants all there is ranked, and judges it: a model, a measurement. */
export const NO_FLOOR = 0;

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

/** The relevance at `evidence`, linear between the knots. */
export function interpolate(relevances: readonly number[], evidence: number): number {
  const above = EVIDENCE_KNOTS.findIndex((knot) => evidence <= knot);
  if (above === -1) return relevances.at(-1) ?? 0;
  const [low, high] = [EVIDENCE_KNOTS[above - 1] ?? 0, EVIDENCE_KNOTS[above] ?? 0];
  const [from, to] = [relevances[above - 1] ?? 0, relevances[above] ?? 0];
  return above === 0 ? to : from + ((to - from) * (evidence - low)) / (high - low);
}
