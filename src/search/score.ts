import type { MemoryName } from '../memory/slug.ts';
import type { ArchivedMemory } from '../store/archive.ts';
import { listArchived } from '../store/archive.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { WordStatistics } from '../store/word-statistics.ts';
import type { CompiledQuery, TokenCount } from './compile-query.ts';
import type { SearchedTexts } from './match-terms.ts';
import type { ScopeRule } from './project-scope.ts';
import { type Identity, relevanceOf } from './relevance.ts';
import {
  findWordsCandidates,
  searchedTexts,
  searchedTextsOf,
  type WordsEvidence,
  type WordsScale,
  wordsEvidence,
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
  readonly scored: readonly Scored[];
}

/** Scores the admitted memories that hold a term of `query`, and the given tombstones. */
export function score(
  db: SqliteDatabase,
  query: CompiledQuery,
  statistics: WordStatistics,
  sentences: readonly Sentence[],
  archived: readonly ArchivedMemory[],
): Scoring {
  const scale = wordsScale(query, statistics);
  // Tombstones are in no index: what it lacks they may still hold.
  const countOf = archived.length > 0 ? () => 1 : statistics.tokenCount;
  const rate = rater({ query, scale, sentences }, statistics, countOf);
  const scored: Scored[] = [];
  const candidates = findWordsCandidates(db, query, scale.weights, statistics.tokenCount);
  for (const [pk, texts] of searchedTexts(db, candidates)) {
    const rated = rate(texts);
    if (rated !== null) scored.push({ memory: pk, ...rated });
  }
  for (const memory of archived) {
    const rated = rate(searchedTextsOf(memory.record));
    if (rated !== null) scored.push({ memory, ...rated });
  }
  return { query, scale, scored };
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

type Rated = Omit<Scored, 'memory'>;

interface Asked {
  readonly query: CompiledQuery;
  readonly scale: WordsScale;
  readonly sentences: readonly Sentence[];
}

function rater(
  { query, scale, sentences }: Asked,
  statistics: WordStatistics,
  countOf: TokenCount,
): (texts: SearchedTexts) => Rated | null {
  const whole = wordsEvidence(query, scale, countOf);
  const parts = sentences.map((part) => ({
    text: part.text,
    rate: wordsEvidence(part.query, wordsScale(part.query, statistics), countOf),
  }));
  return (texts) => {
    const words = whole(texts);
    if (words.evidence === 0) return null;
    const identity = identityOf(query, words, texts);
    const relevance = relevanceOf(words.evidence, identity);
    let [passing, sentence]: [number, string | null] = [relevance, null];
    for (const part of parts) {
      const ofPart = relevanceOf(part.rate(texts).evidence, NO_IDENTITY);
      if (ofPart > passing) [passing, sentence] = [ofPart, part.text];
    }
    return { words, identity, relevance, passing, sentence };
  };
}

const NO_IDENTITY: Identity = { equal: false, wholeIdentifier: false };

function identityOf(query: CompiledQuery, { matches }: WordsEvidence, { texts }: SearchedTexts): Identity {
  const [match] = matches;
  const one = query.terms.length === 1 && query.terms[0]?.kind === 'identifier' && query.stopWords.length === 0;
  return {
    equal: texts.situation === query.text || texts.entity === query.text || texts.content === query.text,
    wholeIdentifier: one && match?.form === 'identifier' && match.field !== 'content',
  };
}
