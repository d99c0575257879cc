import { type Candidate, listCandidates, listTexts, MOST_CANDIDATES } from '../store/candidates.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { WordStatistics } from '../store/word-statistics.ts';
import { FIELDS, type FieldTexts, fieldTexts, type MemoryTexts } from '../text/index-text.ts';
import type { TextAnalysis } from '../text/words.ts';
import {
  type CompiledQuery,
  everyTermMatch,
  phraseMatch,
  proseMatch,
  type TokenCount,
  termsMatch,
} from './compile-query.ts';
import {
  analysisOf,
  type FieldBound,
  type FieldLengths,
  type SearchedTexts,
  type TermMatch,
  termMatcher,
} from './match-terms.ts';
import type { Bounds } from './needles.ts';
import { ENOUGH_MEMORIES, type StoreFrequencies, termWeight } from './term-weights.ts';

/** What the words of one memory say for a query (SE-14 to SE-16). */
export interface WordsEvidence {
  readonly matches: readonly (TermMatch | null)[];
  /** M: sum of weight x best match. */
  readonly matched: number;
  readonly cover: number;
  /** E. */
  readonly evidence: number;
  /** E by frequencies that count against every length: what `surface` asks for (SE-15). At most `evidence`. */
  readonly sure: number;
}

/** The scale of one query: its terms' weights, and the lengths that frequency is measured against. */
export interface WordsScale {
  readonly weights: readonly number[];
  readonly totalWeight: number;
  readonly lengths: FieldLengths;
}

/** A phrase found for a query of stop words only (SE-18). */
const PHRASE_EVIDENCE = 0.6;
/** Terms of the pass that asks for all of them at once (SE-10). */
const HEAVIEST_TERMS = 3;

/**
 * The admitted memories that hold a term of the query literally, up to the limit of each table (SE-11); `admit` has
 * filled the set. None for a query without terms and phrase.
 */
export function findWordsCandidates(
  db: SqliteDatabase,
  query: CompiledQuery,
  weights: readonly number[],
  countOf: TokenCount,
): Candidate[] {
  const terms = query.terms
    .map((term, i) => ({ term, weight: weights[i] ?? 0 }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ term }) => term);
  const heaviest = terms.length > HEAVIEST_TERMS ? terms.slice(0, HEAVIEST_TERMS) : [];
  const searches = [
    ['fts_prose', query.phrase === null ? proseMatch(terms) : phraseMatch(query.phrase)],
    ['fts_terms', termsMatch(terms, countOf, MOST_CANDIDATES)],
    ['fts_terms', everyTermMatch(heaviest, countOf)],
  ] as const;
  const found = new Map<number, Candidate>();
  for (const [table, match] of searches) {
    if (match === null) continue;
    for (const candidate of listCandidates(db, table, match)) found.set(candidate.pk, candidate);
  }
  return [...found.values()];
}

export function wordsScale(query: CompiledQuery, statistics: WordStatistics): WordsScale {
  const weights = query.terms.map((term) => termWeight(term, statistics));
  return { weights, totalWeight: weights.reduce((sum, weight) => sum + weight, 0), lengths: fieldLengths(statistics) };
}

/** Finds the evidence of memories for one query. */
export interface EvidenceFinder {
  of(memory: SearchedTexts, atMost?: FieldBound): WordsEvidence;
  /** Evidence that each of these memories does not exceed, at a fraction of the cost. */
  bounds(memories: readonly FieldTexts[]): EvidenceBounds;
}

export interface EvidenceBounds {
  evidenceOf(memory: number): number;
  /** False when a term is surely not there. */
  mayHoldEveryTerm(memory: number): boolean;
  readonly fieldValue: Bounds['fieldValue'];
}

/**
 * Evidence by the code that built the index (SE-13).
 *
 * @param countOf - how many of the memories asked about hold a token of `fts_terms`
 */
export function evidenceFinder(query: CompiledQuery, scale: WordsScale, countOf: TokenCount): EvidenceFinder {
  const { phrase } = query;
  if (phrase !== null) return { of: (memory) => phraseEvidence(phrase, memory), bounds: () => PHRASE_BOUNDS };
  const matcher = termMatcher(query.terms, scale.lengths, countOf);
  return {
    of: (memory, atMost) => {
      const matches = matcher.match(memory, atMost);
      const sure = evidenceOfValues(
        matches.map((match) => match?.sureValue ?? 0),
        scale,
      );
      return { matches, ...evidenceOf(matches, scale), sure: sure.evidence };
    },
    bounds: (memories) => {
      const { valuesOf, fieldValue } = matcher.bounds(memories);
      return {
        evidenceOf: (memory) => evidenceOfValues(valuesOf(memory), scale).evidence,
        mayHoldEveryTerm: (memory) => !valuesOf(memory).includes(0),
        fieldValue,
      };
    },
  };
}

/** For a search without words: none have evidence. */
export const NO_EVIDENCE: EvidenceFinder = {
  of: () => ({ matches: [], matched: 0, cover: 0, evidence: 0, sure: 0 }),
  bounds: () => ({ evidenceOf: () => 0, mayHoldEveryTerm: () => false, fieldValue: () => 0 }),
};

const PHRASE_BOUNDS: EvidenceBounds = {
  evidenceOf: () => PHRASE_EVIDENCE,
  mayHoldEveryTerm: () => false,
  fieldValue: () => Number.POSITIVE_INFINITY,
};

/** M, cover and E of the matches of a query's terms (SE-16). */
export function evidenceOf(
  matches: readonly (TermMatch | null)[],
  scale: WordsScale,
): Omit<WordsEvidence, 'matches' | 'sure'> {
  return evidenceOfValues(
    matches.map((match) => match?.value ?? 0),
    scale,
  );
}

function evidenceOfValues(values: readonly number[], { weights, totalWeight }: WordsScale) {
  let matched = 0;
  for (let i = 0; i < values.length; i++) matched += (weights[i] ?? 0) * (values[i] ?? 0);
  const cover = totalWeight === 0 ? 0 : Math.min(1, matched / totalWeight);
  return { matched, cover, evidence: cover ** 0.75 * (1 - Math.exp(-matched / 2)) };
}

/**
 * The analysed texts of candidates, each with its pk; one deleted meanwhile is left out. They are kept by the hash of the
 * texts, since analysing costs more than all the rest.
 */
export function searchedTexts(
  db: SqliteDatabase,
  candidates: readonly Candidate[],
): (readonly [number, SearchedTexts])[] {
  const kept = analysedAt.get(db) ?? new Map<number, Kept>();
  analysedAt.set(db, kept);
  if (kept.size + candidates.length > MOST_KEPT) kept.clear();
  const hashes = new Map(candidates.map(({ pk, textHash }) => [pk, textHash]));
  const missing = candidates.filter(({ pk, textHash }) => kept.get(pk)?.textHash !== textHash).map(({ pk }) => pk);
  for (const row of missing.length === 0 ? [] : listTexts(db, missing)) {
    kept.set(row.pk, { textHash: hashes.get(row.pk) ?? '', searched: searchedTextsOf(row) });
  }
  return candidates.flatMap(({ pk, textHash }) => {
    const known = kept.get(pk);
    return known?.textHash === textHash ? [[pk, known.searched] as const] : [];
  });
}

export function searchedTextsOf(memory: MemoryTexts): SearchedTexts {
  return { texts: fieldTexts(memory), analysed: {} };
}

interface Kept {
  readonly textHash: string;
  readonly searched: SearchedTexts;
}

/** About 3 kB each. */
const MOST_KEPT = 20_000;
const analysedAt = new WeakMap<SqliteDatabase, Map<number, Kept>>();

/** Below 20 memories means would jump with each new one, so lengths of ordinary memories stand in (SE-15). */
function fieldLengths(statistics: StoreFrequencies & Pick<WordStatistics, 'meanTokens'>): FieldLengths {
  return statistics.liveCount < ENOUGH_MEMORIES
    ? { lengthOf: wordCount, average: { situation: 12, entity: 12, content: 60 } }
    : { lengthOf: tokenCount, average: statistics.meanTokens };
}

function wordCount({ words, bigrams, singles }: TextAnalysis): number {
  return words.length + (bigrams.length > 0 ? bigrams.length : singles.length);
}

/** As many tokens as the row of `fts_terms` has, so that length and mean are of one measure. */
function tokenCount({ words, subWords, identifiers, joined, folded, bigrams, singles }: TextAnalysis): number {
  const marked = identifiers.length + joined.length + folded.length + bigrams.length + singles.length;
  return words.length + subWords.length + marked;
}

function phraseEvidence(phrase: readonly string[], memory: SearchedTexts): WordsEvidence {
  const found = FIELDS.some((field) => holdsPhrase(analysisOf(memory, field).words, phrase));
  const evidence = found ? PHRASE_EVIDENCE : 0;
  return { matches: [], matched: 0, cover: found ? 1 : 0, evidence, sure: evidence };
}

function holdsPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  return words.some((_, at) => phrase.every((word, i) => words[at + i] === word));
}
