import type { MemoryName } from '../memory/slug.ts';
import type { ArchivedMemory } from '../store/archive.ts';
import { listArchived } from '../store/archive.ts';
import { type Candidate, listIndexed } from '../store/candidates.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { WordStatistics } from '../store/word-statistics.ts';
import type { CompiledQuery } from './compile-query.ts';
import { explainTokens, type TokenMatch } from './explain-tokens.ts';
import type { FineFigures } from './fine-arm.ts';
import type { Meaning, MeaningFigures } from './meaning-arm.ts';
import { meaningScorer } from './meaning-scorer.ts';
import type { ScopeRule } from './project-scope.ts';
import type { QueryVector } from './query-vectors.ts';
import { type Contender, type Ranking, rank } from './ranking.ts';
import { raterOf } from './rater.ts';
import type { ArmEvidence, Fusion, Identity, Policy } from './relevance.ts';
import {
  findWordsCandidates,
  searchedTexts,
  searchedTextsOf,
  type WordsEvidence,
  type WordsScale,
  wordsScale,
} from './words-arm.ts';

/** A candidate with its evidence and relevance, before rows and gates. */
export interface Scored {
  /** pk of a live memory, or the tombstone of an archived one. */
  readonly memory: number | ArchivedMemory;
  readonly words: WordsEvidence;
  /** Null without a vector of the query or of the memory. */
  readonly meaning: MeaningFigures | null;
  /** Null beyond the candidates of SE-72, and without token vectors. */
  readonly fine: FineFigures | null;
  /** Evidence by which the arms were fused. */
  readonly arms: ArmEvidence;
  readonly fusion: Fusion;
  readonly identity: Identity;
  /** R of the whole text. */
  readonly relevance: number;
  /** R that the floors look at, and the sentence it comes from where that is not the whole text (SE-74). */
  readonly passing: number;
  readonly sentence: string | null;
}

/** A part of a query that is asked on its own. */
export interface Sentence {
  readonly text: string;
  readonly query: CompiledQuery;
}

export interface Scoring {
  readonly query: CompiledQuery;
  readonly scale: WordsScale;
  /** Memories that each arm found for the whole text. */
  readonly candidates: { readonly words: number; readonly meaning: number; readonly fine: number };
  /** Null: words alone. */
  readonly vector: QueryVector | null;
  /** What each token of the query found in a memory that has token vectors. */
  explainTokens(memory: Scored['memory']): TokenMatch[];
  /** By `passing`. Those that no gate can let through may be missing. */
  readonly ranking: Ranking<Scored>;
}

/** What is asked of the admitted memories. */
export interface Asked {
  /** Whose gates the memories are to pass, and how they are ranked: `surface` by how sure it is (SE-34). */
  readonly policy: Policy;
  /** Instead of that of the policy, where somebody else decides what applies (AG-16); 0: all are ranked. */
  readonly floor?: number | undefined;
  readonly query: CompiledQuery;
  readonly sentences: readonly Sentence[];
  /** Tombstones that are asked too; words alone find them. */
  readonly archived: readonly ArchivedMemory[];
  /** Null: words alone. */
  readonly meaning: Meaning | null;
  /** Full text cannot be read: meaning alone (`fts_damaged`). */
  readonly withoutWords?: boolean;
  /** Says which memories `admit` has admitted. */
  readonly filterKey: string;
}

/**
 * Scores the admitted memories that hold a term of the query or are near to it in meaning. Taking texts apart costs most
 * of a search by words, so only those are taken apart whose bound comes near the places that are asked for.
 */
export function score(db: SqliteDatabase, asked: Asked, statistics: WordStatistics): Scoring {
  const { query, archived, meaning } = asked;
  const scale = wordsScale(query, statistics);
  const ofMeaning = meaningScorer(db, asked);
  const found = asked.withoutWords ? [] : findWordsCandidates(db, query, scale.weights, statistics.tokenCount);
  ofMeaning.load(found.map(({ pk }) => pk));
  const memories = [
    ...searchedTexts(db, withNearest(db, found, ofMeaning.nearest)),
    ...archived.map((memory) => [memory, searchedTextsOf(memory.record)] as const),
  ];
  const rater = raterOf(asked, scale, statistics, ofMeaning, memories);
  const fineCount = ofMeaning.refine(rater.bestByWords());
  const contenders: Contender<Scored>[] = [];
  for (let at = 0; at < memories.length; at++) {
    const atMost = rater.atMost(at);
    if (rater.mayPass(at, atMost)) contenders.push({ atMost, evaluate: () => rater.rate(at) });
  }
  const { vector } = ofMeaning;
  const tokens = vector?.tokens ?? null;
  return {
    query,
    scale,
    candidates: { words: rater.wordsCount(), meaning: ofMeaning.nearest.length, fine: fineCount },
    vector,
    explainTokens: (memory) =>
      meaning === null || tokens === null || typeof memory !== 'number'
        ? []
        : explainTokens(db, meaning, tokens, memory),
    ranking: rank(contenders, ({ passing }) => passing),
  };
}

/** The candidates of both searches, so that each gets the evidence of both arms. */
function withNearest(
  db: SqliteDatabase,
  found: readonly Candidate[],
  nearest: readonly number[],
): readonly Candidate[] {
  const known = new Set(found.map(({ pk }) => pk));
  const others = nearest.filter((pk) => !known.has(pk));
  return others.length === 0 ? found : [...found, ...listIndexed(db, others)];
}

/** The tombstones that `--archived` admits: the newest of each name that has no live memory (SE-31). */
export function admittedArchive(
  db: SqliteDatabase,
  rule: ScopeRule,
  isLive: (name: MemoryName) => boolean,
): ArchivedMemory[] {
  const seen = new Set<MemoryName>();
  return listArchived(db).filter((memory) => {
    if (memory.origin === 'renamed' || seen.has(memory.name) || isLive(memory.name)) return false;
    seen.add(memory.name);
    return rule.admits(memory.name, memory.record);
  });
}
