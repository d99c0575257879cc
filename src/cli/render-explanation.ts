import type { HitExplanation, TermExplanation } from '../search/answer.ts';
import { visible } from '../text/visible.ts';

/** The figures of one hit, from the words to the printed relevance, a line each step (SE-48). */
export function explanationLines(explained: HitExplanation): string[] {
  const { matched, cover, evidence, adjustment } = explained;
  return [
    ...explained.terms.map(termLine),
    `M ${figure(matched)}, cover ${figure(cover)}, E ${figure(evidence)}`,
    ...modelLines(explained),
    `F ${figure(explained.fused)}, table ${explained.table}`,
    ...exceptions(explained),
    `R ${figure(explained.relevance)}, a ${figure(adjustment.overall)} + ${figure(adjustment.here)}, R' ${figure(explained.adjusted)}`,
    `gates: ${explained.gates.map(({ gate, passed }) => `${gate} ${passed ? 'passed' : 'failed'}`).join(', ')}`,
  ];
}

function modelLines({ meaning, fine }: HitExplanation): string[] {
  return [
    ...(meaning === null
      ? []
      : [`similarity ${figure(meaning.similarity)}, norm ${figure(meaning.norm)}, A ${figure(meaning.evidence)}`]),
    ...(fine?.tokens ?? []).map(
      ({ token, idf, found, cosine }) =>
        `${visible(token)} (token) idf ${figure(idf)}: ${visible(found)}, cosine ${figure(cosine)}`,
    ),
    ...(fine === null ? [] : [`L0 ${figure(fine.explained)}, L ${figure(fine.evidence)}`, ...coverageLines(fine)]),
  ];
}

function termLine({ term, class: kind, weight, field, form, share, frequency, match }: TermExplanation): string {
  const head = `${visible(term)} (${kind}) weight ${figure(weight)}`;
  if (field === null) return `${head}: not there`;
  const part = share === 1 || share === null ? '' : `, share ${figure(share)}`;
  return `${head}: ${field}, ${form}${part}, frequency ${figure(frequency ?? 0)}, match ${figure(match ?? 0)}`;
}

function exceptions({ equal_text, whole_identifier, other_identifier, verbatim, sentence }: HitExplanation): string[] {
  return [
    ...(equal_text ? ['a text equal to the query: relevance 1'] : []),
    ...(other_identifier ? ['the query is one identifier, which is not there as it is: relevance at most 0.59'] : []),
    ...(whole_identifier ? ['the query is one identifier, matched whole: relevance at least 0.6'] : []),
    ...(verbatim ? ['the query stands there word for word: relevance at least 0.6'] : []),
    ...(sentence === null ? [] : [`best sentence ${figure(sentence.relevance)}: ${visible(sentence.text)}`]),
  ];
}

function figure(value: number): string {
  return value.toFixed(3);
}

function coverageLines({ coverage }: NonNullable<HitExplanation['fine']>): string[] {
  return coverage === null
    ? []
    : [`C0 ${figure(coverage.covered)}, C ${figure(coverage.evidence)}: covered by the query`];
}
