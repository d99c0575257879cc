import type { MemoryName } from '../memory/slug.ts';
import type { ArchivedMemory } from '../store/archive.ts';
import { listArchived } from '../store/archive.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { WordStatistics } from '../store/word-statistics.ts';
import type { FieldTexts } from '../text/index-text.ts';
import type { CompiledQuery, TokenCount } from './compile-query.ts';
import type { FieldBound, SearchedTexts } from './match-terms.ts';
import type { Bounds } from './needles.ts';
import type { ScopeRule } from './project-scope.ts';
import { type Contender, type Ranking, rank } from './ranking.ts';
import { type Identity, leastPassing, type Policy, relevanceOf, SHORT_QUERY_TERMS } from './relevance.ts';
import {
  evidenceFinder,
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
  /** How many memories seem to hold a term of the query. */
  readonly candidateCount: number;
  /** By `passing`. Those that no gate can let through may be missing. */
  readonly ranking: Ranking<Scored>;
}

/** What is asked of the admitted memories. */
export interface Asked {
  /** Whose gates the memories are to pass; null: all are ranked. */
  readonly policy: Policy | null;
  readonly query: CompiledQuery;
  readonly sentences: readonly Sentence[];
  /** Tombstones that are asked too. */
  readonly archived: readonly ArchivedMemory[];
}

/**
 * Scores the admitted memories that hold a term of the query. Taking texts apart costs most of a search, so only those
 * are scored whose bound comes near the places that are asked for.
 */
export function score(db: SqliteDatabase, asked: Asked, statistics: WordStatistics): Scoring {
  const { query, archived } = asked;
  const scale = wordsScale(query, statistics);
  // Tombstones are in no index: what it lacks they may still hold.
  const countOf = archived.length > 0 ? () => 1 : statistics.tokenCount;
  const rater = raterOf(asked, scale, statistics, countOf);
  const candidates = findWordsCandidates(db, query, scale.weights, statistics.tokenCount);
  const memories = [
    ...searchedTexts(db, candidates),
    ...archived.map((memory) => [memory, searchedTextsOf(memory.record)] as const),
  ];
  const bounds = rater.bounds(memories.map(([, { texts }]) => texts));
  const contenders: Contender<Scored>[] = [];
  let candidateCount = 0;
  for (const [at, [memory, texts]] of memories.entries()) {
    const atMost = bounds.passing(at);
    if (atMost > 0) candidateCount++;
    if (bounds.mayPass(at, atMost)) {
      contenders.push({
        atMost,
        evaluate: () => rater.rate(memory, texts, (field, term) => bounds.fieldValue(at, field, term)),
      });
    }
  }
  return { query, scale, candidateCount, ranking: rank(contenders, (scored) => scored.passing) };
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

interface Rater {
  /** Null without evidence. */
  rate(memory: Scored['memory'], texts: SearchedTexts, atMost: FieldBound): Scored | null;
  bounds(memories: readonly FieldTexts[]): RatingBounds;
}

interface RatingBounds {
  /** What `passing` of the memory at a place does not exceed; 0 without evidence. */
  passing(memory: number): number;
  /** False when no gate lets a memory with that bound through. */
  mayPass(memory: number, atMost: number): boolean;
  /** What a term of the whole query is worth in a field at most. */
  readonly fieldValue: Bounds['fieldValue'];
}

function raterOf(asked: Asked, scale: WordsScale, statistics: WordStatistics, countOf: TokenCount): Rater {
  const { query, sentences, policy } = asked;
  const whole = evidenceFinder(query, scale, countOf);
  const parts = sentences.map((part) => ({
    text: part.text,
    evidence: evidenceFinder(part.query, wordsScale(part.query, statistics), countOf),
  }));
  const least = policy === null ? 0 : leastPassing(policy);
  const everyTermCounts = policy === 'query' && query.terms.length <= SHORT_QUERY_TERMS;
  return {
    rate: (memory, texts, atMost) => {
      const words = whole.of(texts, atMost);
      if (words.evidence === 0) return null;
      const identity = identityOf(query, words, texts);
      const relevance = relevanceOf(words.evidence, identity);
      let [passing, sentence]: [number, string | null] = [relevance, null];
      for (const part of parts) {
        const ofPart = relevanceOf(part.evidence.of(texts).evidence, NO_IDENTITY);
        if (ofPart > passing) [passing, sentence] = [ofPart, part.text];
      }
      return { memory, words, identity, relevance, passing, sentence };
    },
    bounds: (memories) => {
      const { evidenceOf, mayHoldEveryTerm, fieldValue } = whole.bounds(memories);
      const ofParts = parts.map((part) => part.evidence.bounds(memories));
      const wholeIdentifier = isOneIdentifier(query);
      return {
        passing: (memory) => {
          const evidence = evidenceOf(memory);
          const texts = memories[memory];
          if (evidence === 0 || texts === undefined) return 0;
          let most = relevanceOf(evidence, { equal: equals(query, texts), wholeIdentifier });
          for (const part of ofParts) most = Math.max(most, relevanceOf(part.evidenceOf(memory), NO_IDENTITY));
          return most;
        },
        mayPass: (memory, atMost) => atMost > 0 && (atMost >= least || (everyTermCounts && mayHoldEveryTerm(memory))),
        fieldValue,
      };
    },
  };
}

const NO_IDENTITY: Identity = { equal: false, wholeIdentifier: false };

function identityOf(query: CompiledQuery, { matches }: WordsEvidence, { texts }: SearchedTexts): Identity {
  const [match] = matches;
  return {
    equal: equals(query, texts),
    wholeIdentifier: isOneIdentifier(query) && match?.form === 'identifier' && match.field !== 'content',
  };
}

function equals({ text }: CompiledQuery, { situation, entity, content }: FieldTexts): boolean {
  return situation === text || entity === text || content === text;
}

function isOneIdentifier({ terms, stopWords }: CompiledQuery): boolean {
  return terms.length === 1 && terms[0]?.kind === 'identifier' && stopWords.length === 0;
}
