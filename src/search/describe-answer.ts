import { type Hit, type QueryAnswer, sourceTrust } from './answer.ts';
import type { CompiledQuery } from './compile-query.ts';
import { explainHit } from './explain.ts';
import type { Judged } from './judge.ts';
import { type ArmEvidence, rounded } from './relevance.ts';
import type { Scoring } from './score.ts';

/** A judged memory as the answer has it. @param explained - null: without its figures */
export function asHit(judged: Judged, explained: Scoring | null): Hit {
  const { surfaced_count, followed_count, not_followed_count, irrelevant_count, missed_count, ...record } =
    judged.record;
  return {
    name: judged.name,
    type: record.type,
    relevance: rounded(judged.adjusted),
    arms: roundedArms(judged.scored.arms),
    record,
    counts: { surfaced_count, followed_count, not_followed_count, irrelevant_count, missed_count },
    marks: judged.marks,
    source_trust: sourceTrust(record),
    project_relation: judged.relation,
    created_at: record.created_at,
    explain: explained === null ? null : explainHit(judged, explained),
  };
}

/** Evidence of the arms that had any to give. */
function roundedArms({ words, meaning, fine }: ArmEvidence): Hit['arms'] {
  return {
    ...(words === null ? {} : { words: rounded(words) }),
    ...(meaning === null ? {} : { meaning: rounded(meaning) }),
    ...(fine === null ? {} : { fine: rounded(fine) }),
  };
}

export function describeQuery({ terms, stopWords, truncated }: CompiledQuery): QueryAnswer['query'] {
  const rescued = terms.flatMap((term) =>
    term.kind === 'word' && term.rescues.length > 0 ? [[term.text, term.rescues] as const] : [],
  );
  return {
    terms: terms.map((term) => term.text),
    stop_words: stopWords,
    rescued: Object.fromEntries(rescued),
    truncated,
  };
}
