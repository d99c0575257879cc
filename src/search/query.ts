import type { MemoryType } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { ProjectScope } from '../project/names.ts';
import { admit, countExcluded } from '../store/admitted.ts';
import { listArchived } from '../store/archive.ts';
import { updateIndexes } from '../store/indexes.ts';
import { findRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { translated } from '../store/sqlite-errors.ts';
import type { Transactable } from '../store/transaction.ts';
import { listVocabulary, type WordStatistics, wordStatistics } from '../store/word-statistics.ts';
import { type Abstention, type Hit, type QueryAnswer, type SearchExplanation, sourceTrust } from './answer.ts';
import { type CompiledQuery, compileQuery } from './compile-query.ts';
import { explainHit } from './explain.ts';
import { type JudgeContext, type Judged, judge } from './judge.ts';
import { type ScopeRule, scopeRule } from './project-scope.ts';
import { isThin, type Policy, QUERY_FLOOR, RESCUE_BELOW, rounded, SURFACE_FLOOR } from './relevance.ts';
import { admittedArchive, type Scoring, type Sentence, score } from './score.ts';
import { sentences } from './sentences.ts';
import { rescueSpelling } from './spelling.ts';
import { backgroundWeight } from './term-weights.ts';

export interface QueryRequest {
  readonly text: string;
  /** Whose memories apply; a name of null admits unscoped memories only. */
  readonly project: ProjectScope & { readonly foundBy: string };
  /** `query` when not given. */
  readonly policy?: Policy;
  /** Both types when not given. */
  readonly type?: MemoryType | null;
  /** At most this many hits under `query`, 1 to 100; 10 when not given. */
  readonly limit?: number;
  readonly allProjects?: boolean;
  /** Admits archived memories too, marked. */
  readonly archived?: boolean;
  readonly explain?: boolean;
  /** Memories that are no hits: the one asked about, those whose file has just gone (SY-57). */
  readonly without?: readonly MemoryName[];
  /** What the caller found out before: rows may be older than files (SY-57), the root is `read_only` (SY-59). */
  readonly stale?: boolean;
  readonly degraded?: readonly string[];
}

/** Rows that a query indexes itself (SE-8). */
const MOST_INDEXED = 500;
const DEFAULT_LIMIT = 10;
const MOST_HITS = 100;

/**
 * The memories that apply to a text (search.md sections 4, 6 to 9), under one of the two policies. Brings the index up
 * to date first. An answer without hits says why (SE-43).
 *
 * @throws EngramError `database.*`; an error is never an empty answer
 */
export function runQuery(store: Transactable, request: QueryRequest): QueryAnswer {
  return translated(() => answerQuery(store, request));
}

function answerQuery(store: Transactable, request: QueryRequest): QueryAnswer {
  const timer = stopwatch();
  const { remaining } = updateIndexes(store, { limit: MOST_INDEXED });
  timer.lap('index');
  const search = prepare(store.db, request);
  const reason = abstention(search, request);
  const found = reason === null ? find(search, request, timer) : NOTHING_FOUND(search.query);
  const degraded = remaining > 0 ? ['index_partial', ...(request.degraded ?? [])] : (request.degraded ?? []);
  const abstained = reason ?? (found.hits.length === 0 ? 'below_floor' : null);
  return {
    query: describeQuery(found.query),
    project: { name: request.project.name, found_by: request.project.foundBy },
    policy: search.policy,
    floor: search.policy === 'query' ? QUERY_FLOOR : SURFACE_FLOOR,
    modes: ['words'],
    degraded: [...degraded],
    stale: request.stale ?? false,
    abstained,
    elsewhere: abstained === 'below_floor' ? findElsewhere(search, request) : [],
    hits: found.hits,
    explain: request.explain === true ? explainSearch(search, found, timer) : null,
  };
}

interface Search {
  readonly db: SqliteDatabase;
  readonly policy: Policy;
  readonly query: CompiledQuery;
  readonly statistics: WordStatistics;
  readonly rule: ScopeRule;
  readonly limit: number;
}

interface FoundHits {
  readonly query: CompiledQuery;
  readonly hits: readonly Hit[];
  readonly candidateCount: number;
  readonly admittedCount: number;
}

const NOTHING_FOUND = (query: CompiledQuery): FoundHits => ({ query, hits: [], candidateCount: 0, admittedCount: 0 });

function prepare(db: SqliteDatabase, request: QueryRequest): Search {
  return {
    db,
    policy: request.policy ?? 'query',
    query: compileQuery(request.text, backgroundWeight),
    statistics: wordStatistics(db),
    rule: ruleOf(db, request, request.allProjects ?? false),
    limit: Math.min(MOST_HITS, Math.max(1, request.limit ?? DEFAULT_LIMIT)),
  };
}

function ruleOf(db: SqliteDatabase, { project, type, without }: QueryRequest, allProjects: boolean): ScopeRule {
  return scopeRule(db, { project, allProjects, type: type ?? null, without: without ?? [] });
}

/** Why nothing is searched at all. */
function abstention({ db, policy, query, statistics }: Search, request: QueryRequest): Abstention | null {
  if (query.terms.length === 0 && query.phrase === null) return 'no_terms';
  const empty = statistics.liveCount === 0 && !(request.archived === true && listArchived(db).length > 0);
  if (empty) return 'nothing_stored';
  const identifiers = query.terms.filter((term) => term.kind === 'identifier').length;
  return policy === 'surface' && isThin(query.terms.length, identifiers) ? 'thin_evidence' : null;
}

function find(search: Search, request: QueryRequest, timer: Stopwatch): FoundHits {
  const admittedCount = admit(search.db, search.rule.filter);
  timer.lap('filter');
  const scoring = scoreWithRescue(search, request);
  timer.lap('score');
  const context: JudgeContext = { ...search, project: request.project };
  const judged = judge(context, scoring, search.limit);
  timer.lap('judge');
  const hits = judged.map((hit) => asHit(hit, request.explain === true ? scoring : null));
  return { query: scoring.query, hits, candidateCount: scoring.candidateCount, admittedCount };
}

/** A second pass with misspelled words replaced, only where the first found little (SE-19). */
function scoreWithRescue({ db, policy, query, statistics, rule }: Search, request: QueryRequest): Scoring {
  const archived =
    request.archived === true ? admittedArchive(db, rule, (name: MemoryName) => findRow(db, name) !== null) : [];
  const asked = { policy, query, sentences: policy === 'surface' ? sentencesOf(request.text) : [], archived };
  const first = score(db, asked, statistics);
  if ((first.ranking.at(0)?.passing ?? 0) >= RESCUE_BELOW) return first;
  const terms = rescueSpelling(query.terms, {
    stemCount: statistics.stemCount,
    tokenCount: statistics.tokenCount,
    list: (start, shortest, longest) => listVocabulary(db, start, shortest, longest),
  });
  return terms === null ? first : score(db, { ...asked, query: { ...query, terms } }, statistics);
}

function sentencesOf(text: string): Sentence[] {
  return sentences(text).map((sentence) => ({ text: sentence, query: compileQuery(sentence, backgroundWeight) }));
}

/** Other projects with hits, when there is none in scope; counts only, no content (SE-33). */
function findElsewhere(search: Search, request: QueryRequest): { project: string; hits: number }[] {
  if (!search.rule.hidesProjects || search.policy === 'surface') return [];
  const rule = ruleOf(search.db, request, true);
  admit(search.db, rule.filter);
  const asked = { policy: search.policy, query: search.query, sentences: [], archived: [] };
  const scoring = score(search.db, asked, search.statistics);
  const counts = new Map<string, number>();
  for (const { record } of judge({ ...search, project: request.project }, scoring, MOST_HITS)) {
    counts.set(record.project_slug, (counts.get(record.project_slug) ?? 0) + 1);
  }
  return [...counts].map(([project, hits]) => ({ project, hits })).sort((a, b) => b.hits - a.hits);
}

function asHit(judged: Judged, explained: Scoring | null): Hit {
  const { surfaced_count, followed_count, not_followed_count, irrelevant_count, missed_count, ...record } =
    judged.record;
  return {
    name: judged.name,
    type: record.type,
    relevance: rounded(judged.adjusted),
    arms: { words: rounded(judged.scored.words.evidence) },
    record,
    counts: { surfaced_count, followed_count, not_followed_count, irrelevant_count, missed_count },
    marks: judged.marks,
    source_trust: sourceTrust(record),
    project_relation: judged.relation,
    created_at: record.created_at,
    explain: explained === null ? null : explainHit(judged, explained),
  };
}

function describeQuery({ terms, stopWords, truncated }: CompiledQuery): QueryAnswer['query'] {
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

function explainSearch({ db, rule }: Search, found: FoundHits, timer: Stopwatch): SearchExplanation {
  return {
    candidates: { words: found.candidateCount },
    admitted: found.admittedCount,
    excluded: countExcluded(db, rule.filter),
    times_ms: timer.laps,
  };
}

interface Stopwatch {
  readonly laps: Record<string, number>;
  lap(name: string): void;
}

/** `performance` would be the same, but loading it takes two milliseconds of a cold query. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function stopwatch(): Stopwatch {
  const laps: Record<string, number> = {};
  let last = nowMs();
  return {
    laps,
    lap: (name) => {
      const now = nowMs();
      laps[name] = Math.round((now - last) * 100) / 100;
      last = now;
    },
  };
}
