import type { HitExplanation, TermExplanation } from './answer.ts';
import type { QueryTerm } from './compile-query.ts';
import type { Judged } from './judge.ts';
import type { TermMatch } from './match-terms.ts';
import type { Scoring } from './score.ts';

/** Every figure of a hit, so that the printed relevance can be computed again from them (SE-48). */
export function explainHit({ scored, adjustment, adjusted, gates }: Judged, scoring: Scoring): HitExplanation {
  const { query, scale } = scoring;
  const { matches, matched, cover, evidence } = scored.words;
  return {
    terms: query.terms.map((term, i) => explainTerm(term, scale.weights[i] ?? 0, matches[i] ?? null)),
    matched,
    cover,
    evidence,
    meaning: scored.meaning,
    fine: scored.fine === null ? null : { ...scored.fine, tokens: scoring.explainTokens(scored.memory) },
    fused: scored.fusion.fused,
    table: scored.fusion.table,
    equal_text: scored.identity.equal,
    whole_identifier: scored.identity.wholeIdentifier,
    other_identifier: scored.identity.otherIdentifier,
    verbatim: scored.identity.verbatim,
    relevance: scored.relevance,
    adjustment: { ...adjustment, total: adjustment.overall + adjustment.here },
    adjusted,
    sentence: scored.sentence === null ? null : { text: scored.sentence, relevance: scored.passing },
    gates,
  };
}

function explainTerm(term: QueryTerm, weight: number, match: TermMatch | null): TermExplanation {
  return {
    term: term.text,
    class: term.kind,
    weight,
    field: match?.field ?? null,
    form: match?.form ?? null,
    share: match?.share ?? null,
    frequency: match?.frequency ?? null,
    match: match?.value ?? null,
  };
}
