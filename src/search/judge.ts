import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { isCore } from '../memory/tiers.ts';
import { compareTimestamps } from '../memory/timestamps.ts';
import type { ProjectScope } from '../project/names.ts';
import { findRowByPk, listOutcomeSituations } from '../store/candidates.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { listSecretFiles } from '../store/quarantine.ts';
import type { WordStatistics } from '../store/word-statistics.ts';
import { markedToken } from '../text/index-text.ts';
import type { Mark, ProjectRelation } from './answer.ts';
import { type CompiledQuery, compileQuery } from './compile-query.ts';
import { projectRelation } from './project-scope.ts';
import {
  adjustedRelevance,
  type Gate,
  gates,
  leastPassing,
  outcomeAdjustment,
  type Policy,
  passes,
  RELATIVE_FLOOR,
  rounded,
  SHORT_QUERY_TERMS,
} from './relevance.ts';
import { completedRecord } from './row-record.ts';
import type { Scored, Scoring } from './score.ts';
import { backgroundWeight, termWeight } from './term-weights.ts';

/** A scored memory with its record and what the gates said. */
export interface Judged {
  readonly scored: Scored;
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly marks: readonly Mark[];
  readonly relation: ProjectRelation;
  readonly adjustment: { readonly overall: number; readonly here: number };
  /** R'. */
  readonly adjusted: number;
  /** What the floors looked at, after outcomes. */
  readonly passing: number;
  readonly gates: readonly Gate[];
}

export interface JudgeContext {
  readonly db: SqliteDatabase;
  readonly policy: Policy;
  /** Instead of that of `query`. */
  readonly floor?: number | undefined;
  readonly project: ProjectScope;
  readonly statistics: WordStatistics;
}

/** At most this many of each type under `surface` (search.md section 8). */
const SURFACE_LIMITS = { feedback: 8, fact: 3 } as const;

/** The memories that pass the gates of the policy, best first (SE-39 to SE-41, SE-74), cut to `limit` or the policy's counts. */
export function judge(context: JudgeContext, scoring: Scoring, limit: number): Judged[] {
  const everyTermCounts = context.policy === 'query' && scoring.query.terms.length <= SHORT_QUERY_TERMS;
  const least = context.floor ?? leastPassing(context.policy);
  const places = context.policy === 'query' ? placesFor(limit) : null;
  const judged: Judged[] = [];
  for (let place = 0; ; place++) {
    const scored = scoring.ranking.at(place);
    // Under `query` the rank is that of R: there are no sentences.
    if (scored === null) break;
    if (places?.mayTake(scored.relevance) === false) break;
    // A row costs more than an evidence: those that no gate can let through are not read.
    if (scored.passing < least && !(everyTermCounts && holdsEveryTerm(scored))) continue;
    const one = judgeOne(context, scoring, scored);
    if (one === null || !passes(context.policy, one.gates)) continue;
    judged.push(one);
    places?.take(one.adjusted);
  }
  judged.sort(compareHits);
  return context.policy === 'query' ? judged.slice(0, limit) : cutForSurface(judged);
}

/** More than outcomes ever add to R (SE-38). */
const MOST_ADDED = 0.15;

/** Tells when the hits still to come, in falling order of R, cannot be among the first `limit` by R'. */
function placesFor(limit: number) {
  const taken: number[] = [];
  return {
    mayTake: (relevance: number): boolean => {
      const last = taken[limit - 1];
      return last === undefined || rounded(Math.min(1, relevance * (1 + MOST_ADDED))) >= last;
    },
    take: (adjusted: number): void => {
      const value = rounded(adjusted);
      const at = taken.findIndex((other) => other < value);
      taken.splice(at === -1 ? taken.length : at, 0, value);
    },
  };
}

/** R' to two decimals; then the newer, unknown age last; then the name (SE-40). */
function compareHits(a: Judged, b: Judged): number {
  return (
    rounded(b.adjusted) - rounded(a.adjusted) ||
    newerFirst(a.record.created_at, b.record.created_at) ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

function newerFirst(a: string | null, b: string | null): number {
  return a === null || b === null ? compareTimestamps(a, b) : compareTimestamps(b, a);
}

function cutForSurface(judged: readonly Judged[]): Judged[] {
  const best = Math.max(0, ...judged.map((hit) => hit.passing));
  const left: Record<MemoryRecord['type'], number> = { ...SURFACE_LIMITS };
  return judged.filter((hit) => hit.passing >= RELATIVE_FLOOR * best && left[hit.record.type]-- > 0);
}

function judgeOne(context: JudgeContext, scoring: Scoring, scored: Scored): Judged | null {
  const found =
    typeof scored.memory === 'number' ? liveMemory(context.db, scored.memory) : archivedMemory(scored.memory);
  if (found === null) return null;
  const { name, record, marks } = found;
  const relation = projectRelation(record, context.project);
  const adjustment = outcomeAdjustment({
    followed: record.followed_count,
    notFollowed: record.not_followed_count,
    ...outcomesHere(context, scoring.query, name, record),
  });
  const passing = Math.min(scored.passing, adjustedRelevance(scored.passing, adjustment));
  const input = {
    passing,
    matchesEveryTerm: holdsEveryTerm(scored),
    contentTerms: scoring.query.terms.length,
    needsReview: record.needs_review,
    fileHoldsSecret: context.policy === 'surface' && listSecretFiles(context.db).has(name),
    learnedElsewhere: relation === 'learned_elsewhere' || relation === 'other_project',
    rareIdentifier: holdsRareIdentifier(context, scoring.query, scored),
  };
  const asked = gates(context.policy, input, context.floor);
  const adjusted = adjustedRelevance(scored.relevance, adjustment);
  return { scored, name, record, marks, relation, adjustment, adjusted, passing, gates: asked };
}

interface Found {
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly marks: readonly Mark[];
}

function liveMemory(db: SqliteDatabase, pk: number): Found | null {
  const row = findRowByPk(db, pk);
  if (row === null) return null;
  const record = completedRecord(row);
  return { name: row.name as MemoryName, record, marks: marksOf(record) };
}

function archivedMemory(memory: Exclude<Scored['memory'], number>): Found {
  const gone: Mark[] = memory.origin === 'superseded' ? ['archived', 'superseded'] : ['archived'];
  return { name: memory.name, record: memory.record, marks: [...marksOf(memory.record), ...gone] };
}

function marksOf(record: MemoryRecord): Mark[] {
  return [...(isCore(record) ? (['core'] as const) : []), ...(record.needs_review ? (['needs_review'] as const) : [])];
}

function holdsEveryTerm({ words }: Scored): boolean {
  return words.matches.length > 0 && words.matches.every((match) => match !== null && match.share === 1);
}

/** SE-41: matched whole in situation, subject or object, in at most 3 live memories, no project's name; words answer alone. */
export function holdsRareIdentifier(
  { statistics, project }: JudgeContext,
  query: CompiledQuery,
  { words, fusion }: Scored,
): boolean {
  // The other arms say themselves how sure the whole is; beside them it brings false answers (docs/decisions/0011-fusion.md).
  if (fusion.table !== 'E') return false;
  return query.terms.some((term, i) => {
    const match = words.matches[i];
    if (term.kind !== 'identifier' || match?.form !== 'identifier' || match.field === 'content') return false;
    if (term.text === project.name || project.aliases.includes(term.text)) return false;
    return Math.max(statistics.tokenCount(markedToken('identifier', term.text)), statistics.tokenCount(term.text)) <= 3;
  });
}

/** Outcomes whose situation shares at least half of its weighted terms with the query (SE-38). */
function outcomesHere({ db, statistics }: JudgeContext, query: CompiledQuery, name: MemoryName, record: MemoryRecord) {
  const here = { followedHere: 0, irrelevantHere: 0 };
  if (record.followed_count + record.irrelevant_count === 0) return here;
  const asked = new Set(query.terms.map(termKey));
  for (const { kind, situation } of listOutcomeSituations(db, name)) {
    const { terms } = compileQuery(situation, backgroundWeight);
    let [shared, total] = [0, 0];
    for (const term of terms) {
      const weight = termWeight(term, statistics);
      total += weight;
      if (asked.has(termKey(term))) shared += weight;
    }
    if (total === 0 || shared < total / 2) continue;
    here[kind === 'followed' ? 'followedHere' : 'irrelevantHere']++;
  }
  return here;
}

const termKey = (term: CompiledQuery['terms'][number]): string =>
  term.kind === 'word' ? term.stem : `${term.kind} ${term.text}`;
