import type { MemoryType } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { ProjectScope } from '../project/names.ts';
import { admit, countExcluded } from '../store/admitted.ts';
import { listArchived } from '../store/archive.ts';
import { updateIndexes } from '../store/indexes.ts';
import { findRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { isFullTextDamage, translated } from '../store/sqlite-errors.ts';
import type { Transactable } from '../store/transaction.ts';
import {
  listVocabulary,
  statisticsWithoutFullText,
  type WordStatistics,
  wordStatistics,
} from '../store/word-statistics.ts';
import type { Abstention, Hit, QueryAnswer, SearchExplanation } from './answer.ts';
import { askedTexts, sentencesOf } from './asked-texts.ts';
import { type CompiledQuery, compileQuery } from './compile-query.ts';
import { asHit, describeQuery } from './describe-answer.ts';
import { type JudgeContext, judge } from './judge.ts';
import type { Meaning } from './meaning-arm.ts';
import { admittedRows } from './nearest.ts';
import { type PreparedMeaning, WORDS_ALONE } from './prepared-meaning.ts';
import { type ScopeRule, scopeRule } from './project-scope.ts';
import { isThin, type Policy, QUERY_FLOOR, RESCUE_BELOW, SURFACE_FLOOR } from './relevance.ts';
import { admittedArchive, type Scoring, score } from './score.ts';
import { rescueSpelling } from './spelling.ts';
import { type Stopwatch, stopwatch } from './stopwatch.ts';
import { backgroundWeight } from './term-weights.ts';
import { vectorMatrix } from './vector-matrix.ts';

export interface QueryRequest {
  readonly text: string;
  /** Whose memories apply; a name of null admits unscoped memories only. */
  readonly project: ProjectScope & { readonly foundBy: string };
  /** `query` when not given. */
  readonly policy?: Policy;
  /** What a hit of `query` has to reach instead of its floor; 0: the best there are, for somebody who judges them (AG-16). */
  readonly floor?: number;
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
  readonly embedsMissing?: boolean; // false: somebody embeds beside the caller, who is answered sooner without (SE-25)
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
export function runQuery(
  store: Transactable,
  request: QueryRequest,
  prepared: PreparedMeaning = WORDS_ALONE,
): QueryAnswer {
  return translated(() => {
    try {
      return answerQuery(store, request, prepared);
    } catch (error) {
      const canDoWithoutWords = askedTexts(request)
        .slice(0, 1)
        .some((text) => prepared.meaning?.vectors.get(text));
      if (!isFullTextDamage(error) || !canDoWithoutWords) throw error;
      const degraded = [...prepared.degraded, 'fts_damaged'];
      return answerQuery(store, request, { ...prepared, degraded, withoutWords: true });
    }
  });
}

function answerQuery(store: Transactable, request: QueryRequest, prepared: PreparedMeaning): QueryAnswer {
  const timer = stopwatch();
  const { remaining } = prepared.withoutWords ? { remaining: 0 } : updateIndexes(store, { limit: MOST_INDEXED });
  timer.lap('index');
  const search = prepare(store.db, request, prepared);
  const reason = abstention(search, request);
  const found = reason === null ? find(search, request, timer) : NOTHING_FOUND(search.query);
  const vectors = reason === null ? vectorCounts(search) : null;
  const degraded = [
    ...(remaining > 0 ? ['index_partial'] : []),
    ...prepared.degraded,
    ...(vectors !== null && vectors.present < vectors.of ? ['vectors_partial'] : []),
    ...(request.degraded ?? []),
  ];
  const abstained = reason ?? (found.hits.length === 0 ? 'below_floor' : null);
  return {
    query: describeQuery(found.query),
    project: { name: request.project.name, found_by: request.project.foundBy },
    policy: search.policy,
    floor: search.policy === 'query' ? (search.floor ?? QUERY_FLOOR) : SURFACE_FLOOR,
    modes: modesOf(search),
    degraded,
    vectors: vectors === null ? null : { present: vectors.present, of: vectors.of },
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
  readonly floor: number | undefined;
  readonly query: CompiledQuery;
  readonly statistics: WordStatistics;
  readonly rule: ScopeRule;
  readonly limit: number;
  readonly meaning: Meaning | null;
  readonly withoutWords: boolean;
}

interface FoundHits {
  readonly query: CompiledQuery;
  readonly hits: readonly Hit[];
  readonly candidates: SearchExplanation['candidates'];
  readonly admittedCount: number;
}

const NOTHING_FOUND = (query: CompiledQuery): FoundHits => ({
  query,
  hits: [],
  candidates: { words: 0, meaning: 0, fine: 0 },
  admittedCount: 0,
});

/** The arms that this question has (SE-29, SE-73). */
function modesOf({ query, meaning, withoutWords }: Search): string[] {
  const vector = meaning?.vectors.get(query.text) ?? null;
  if (meaning === null || vector === null) return ['words'];
  const hasFine = vector.tokens !== null && meaning.space.background.fine !== null;
  return [...(withoutWords ? [] : ['words']), 'meaning', ...(hasFine ? ['fine'] : [])];
}

/** Only where vectors are searched (SE-25). */
function vectorCounts({ db, meaning, rule }: Search) {
  if (meaning === null) return null;
  admit(db, rule.filter);
  return admittedRows(db, vectorMatrix(db, meaning.space), JSON.stringify(rule.filter));
}

function prepare(
  db: SqliteDatabase,
  request: QueryRequest,
  { meaning, withoutWords = false }: PreparedMeaning,
): Search {
  return {
    db,
    policy: request.policy ?? 'query',
    floor: request.policy === 'surface' ? undefined : request.floor,
    query: compileQuery(request.text, backgroundWeight),
    statistics: withoutWords ? statisticsWithoutFullText(db) : wordStatistics(db),
    rule: ruleOf(db, request, request.allProjects ?? false),
    limit: Math.min(MOST_HITS, Math.max(1, request.limit ?? DEFAULT_LIMIT)),
    meaning,
    withoutWords,
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
  return { query: scoring.query, hits, candidates: scoring.candidates, admittedCount };
}

/** A second pass with misspelled words replaced, only where the first found little (SE-19). */
function scoreWithRescue(search: Search, request: QueryRequest): Scoring {
  const { db, policy, floor, query, statistics, rule, meaning, withoutWords } = search;
  const archived =
    request.archived === true ? admittedArchive(db, rule, (name: MemoryName) => findRow(db, name) !== null) : [];
  const sentences = policy === 'surface' ? sentencesOf(request.text) : [];
  const filterKey = JSON.stringify(rule.filter);
  const asked = { policy, floor, query, sentences, archived, meaning, withoutWords, filterKey };
  const first = score(db, asked, statistics);
  if (withoutWords || (first.ranking.at(0)?.passing ?? 0) >= RESCUE_BELOW) return first;
  const terms = rescueSpelling(query.terms, {
    stemCount: statistics.stemCount,
    tokenCount: statistics.tokenCount,
    list: (start, shortest, longest) => listVocabulary(db, start, shortest, longest),
  });
  return terms === null ? first : score(db, { ...asked, query: { ...query, terms } }, statistics);
}

/** Other projects with hits, when there is none in scope; counts only, no content (SE-33). */
function findElsewhere(search: Search, request: QueryRequest): { project: string; hits: number }[] {
  if (!search.rule.hidesProjects || search.policy === 'surface') return [];
  const rule = ruleOf(search.db, request, true);
  admit(search.db, rule.filter);
  const { policy, query, meaning, withoutWords, statistics } = search;
  const asked = {
    policy,
    query,
    sentences: [],
    archived: [],
    meaning,
    withoutWords,
    filterKey: JSON.stringify(rule.filter),
  };
  const scoring = score(search.db, asked, statistics);
  const counts = new Map<string, number>();
  for (const { record } of judge({ ...search, project: request.project }, scoring, MOST_HITS)) {
    counts.set(record.project_slug, (counts.get(record.project_slug) ?? 0) + 1);
  }
  return [...counts].map(([project, hits]) => ({ project, hits })).sort((a, b) => b.hits - a.hits);
}

function explainSearch({ db, rule }: Search, found: FoundHits, timer: Stopwatch): SearchExplanation {
  return {
    candidates: found.candidates,
    admitted: found.admittedCount,
    excluded: countExcluded(db, rule.filter),
    times_ms: timer.laps,
  };
}
