import type { WordStatistics } from '../store/word-statistics.ts';
import { FIELDS, type FieldTexts } from '../text/index-text.ts';
import type { CompiledQuery } from './compile-query.ts';
import { FINE_CANDIDATES } from './fine-arm.ts';
import type { SearchedTexts } from './match-terms.ts';
import type { MeaningScorer } from './meaning-scorer.ts';
import { rank } from './ranking.ts';
import {
  type ArmEvidence,
  type Fusion,
  fuse,
  type Identity,
  leastPassing,
  relevanceOf,
  SHORT_QUERY_TERMS,
} from './relevance.ts';
import type { Asked, Scored } from './score.ts';
import { standsIn } from './verbatim.ts';
import {
  type EvidenceFinder,
  evidenceFinder,
  NO_EVIDENCE,
  type WordsEvidence,
  type WordsScale,
  wordsScale,
} from './words-arm.ts';

/** Rates memories, which are named by their place among those given. */
export interface Rater {
  /** What `passing` does not exceed; 0 without evidence. Asked after L is known (`MeaningScorer.refine`). */
  atMost(memory: number): number;
  /** False when no gate lets a memory with that bound through. */
  mayPass(memory: number, atMost: number): boolean;
  /** Null without evidence. */
  rate(memory: number): Scored | null;
  /** Memories that seem to hold a term of the query. */
  wordsCount(): number;
  /** pks of the live memories with the most evidence of words, so many as get L for it (SE-72). */
  bestByWords(): number[];
}

/**
 * Relevance of memories from the evidence of all arms, with bounds that cost little: meaning and token vectors are
 * cheap to ask, so only the words of a text are bounded before it is taken apart.
 */
export function raterOf(
  asked: Asked,
  scale: WordsScale,
  statistics: WordStatistics,
  ofMeaning: MeaningScorer,
  memories: readonly (readonly [Scored['memory'], SearchedTexts])[],
): Rater {
  const { query, policy } = asked;
  // Tombstones are in no index: what it lacks they may still hold.
  const countOf = asked.archived.length > 0 ? () => 1 : statistics.tokenCount;
  const partOf = (part: { readonly text: string; readonly query: CompiledQuery }, scale: WordsScale) =>
    ratedText(part, ofMeaning, asked.withoutWords ? NO_EVIDENCE : evidenceFinder(part.query, scale, countOf), memories);
  const whole = partOf({ text: query.text, query }, scale);
  const parts = asked.sentences.map((part) => partOf(part, wordsScale(part.query, statistics)));
  const least = asked.floor ?? leastPassing(policy);
  const everyTermCounts = policy === 'query' && query.terms.length <= SHORT_QUERY_TERMS;
  // `surface` asks how sure it is that any memory applies; which one fits best is another question (SE-34).
  const passingFusion = (arms: ArmEvidence, sure = arms.words) =>
    fuse(policy === 'query' ? arms : { ...arms, words: arms.words === null ? null : sure, coverage: null });
  /** Frequency counts against long texts, so a sentence deep in one has next to no evidence (Q18). */
  const verbatimAt = (at: number): boolean => {
    const texts = memories[at]?.[1].texts;
    if (texts === undefined || query.terms.length <= SHORT_QUERY_TERMS || !whole.mayHoldEveryTerm(at)) return false;
    return FIELDS.some((field) => standsIn(query.text, texts[field]));
  };
  return {
    atMost: (at) => {
      const texts = memories[at]?.[1].texts;
      if (texts === undefined) return 0;
      const identity = {
        equal: equals(query, texts),
        wholeIdentifier: isOneIdentifier(query),
        otherIdentifier: false,
        verbatim: verbatimAt(at),
      };
      let most = whole.atMost(at, identity, passingFusion);
      // A memory without evidence of the whole text is no hit, whatever a sentence says.
      if (most === 0) return 0;
      for (const part of parts) most = Math.max(most, part.atMost(at, NO_IDENTITY, passingFusion));
      return most;
    },
    mayPass: (at, atMost) => atMost > 0 && (atMost >= least || (everyTermCounts && whole.mayHoldEveryTerm(at))),
    rate: (at) => {
      const [memory, searched] = memories[at] ?? [];
      if (memory === undefined || searched === undefined) return null;
      const words = whole.wordsOf(at);
      const figures = whole.figuresOf(at, words.evidence);
      if (figures.fusion === null || figures.fusion.fused === 0) return null;
      const identity = { ...identityOf(query, words, searched), verbatim: verbatimAt(at) };
      const { fusion } = figures;
      const relevance = relevanceOf(fusion.fused, identity, fusion.table);
      let [passing, sentence]: [number, string | null] = [
        relevanceOfFusion(passingFusion(figures.arms, words.sure), identity),
        null,
      ];
      for (const part of parts) {
        const ofPart = part.relevanceAt(at);
        if (ofPart > passing) [passing, sentence] = [ofPart, part.text];
      }
      return { memory, words, ...figures, fusion, identity, relevance, passing, sentence };
    },
    wordsCount: () => memories.filter((_, at) => whole.mostWords(at) > 0).length,
    bestByWords: () => {
      const contenders = memories.flatMap(([memory], at) => {
        const atMost = typeof memory === 'number' ? whole.mostWords(at) : 0;
        const evaluate = () => ({ memory, evidence: whole.wordsOf(at).evidence });
        return atMost === 0 ? [] : [{ atMost, evaluate }];
      });
      const ranking = rank(contenders, ({ evidence }) => evidence);
      const best: number[] = [];
      for (let place = 0; place < FINE_CANDIDATES; place++) {
        const one = ranking.at(place);
        if (one === null || one.evidence === 0) break;
        if (typeof one.memory === 'number') best.push(one.memory);
      }
      return best;
    },
  };
}

/** One text that is asked of the memories: the whole query or one of its sentences. */
function ratedText(
  { text, query }: { readonly text: string; readonly query: CompiledQuery },
  ofMeaning: MeaningScorer,
  finder: EvidenceFinder,
  memories: readonly (readonly [Scored['memory'], SearchedTexts])[],
) {
  const bounds = finder.bounds(memories.map(([, { texts }]) => texts));
  const found: WordsEvidence[] = [];
  const wordsOf = (at: number): WordsEvidence => {
    const known = found[at];
    if (known !== undefined) return known;
    const texts = memories[at]?.[1] ?? NO_TEXTS;
    const words = finder.of(texts, (field, term) => bounds.fieldValue(at, field, term));
    found[at] = words;
    return words;
  };
  const figuresOf = (at: number, evidence: number) => {
    const memory = memories[at]?.[0];
    const meaning = typeof memory === 'number' ? ofMeaning.figures(query.text, memory) : null;
    const fine = typeof memory === 'number' ? ofMeaning.fine(query.text, memory) : null;
    // A query without terms has no words arm, unless it is a phrase that was found (SE-18, SE-34).
    const hasWords = finder !== NO_EVIDENCE && (query.terms.length > 0 || evidence > 0 || meaning === null);
    const arms: ArmEvidence = {
      words: hasWords ? evidence : null,
      meaning: meaning?.evidence ?? null,
      fine: fine?.evidence ?? null,
      coverage: fine?.coverage ?? null,
    };
    return { meaning, fine, arms, fusion: fuse(arms) };
  };
  return {
    text,
    wordsOf,
    figuresOf,
    mostWords: bounds.evidenceOf,
    mayHoldEveryTerm: bounds.mayHoldEveryTerm,
    relevanceAt: (at: number) => relevanceOfFusion(figuresOf(at, wordsOf(at).sure).fusion, NO_IDENTITY),
    /** A phrase that is not there leaves its arm out of the mean, so that no bound of evidence is one of relevance. */
    atMost: (at: number, identity: Identity, fusionOf: (arms: ArmEvidence) => Fusion | null) =>
      query.phrase === null ? relevanceOfFusion(fusionOf(figuresOf(at, bounds.evidenceOf(at)).arms), identity) : 1,
  };
}

const NO_TEXTS: SearchedTexts = { texts: { situation: '', entity: '', content: '' }, analysed: {} };
export const NO_IDENTITY: Identity = {
  equal: false,
  wholeIdentifier: false,
  otherIdentifier: false,
  verbatim: false,
};

function relevanceOfFusion(fusion: Fusion | null, identity: Identity): number {
  return fusion === null || fusion.fused === 0 ? 0 : relevanceOf(fusion.fused, identity, fusion.table);
}

function identityOf(
  query: CompiledQuery,
  { matches }: WordsEvidence,
  { texts }: SearchedTexts,
): Omit<Identity, 'verbatim'> {
  const [match] = matches;
  return {
    equal: equals(query, texts),
    wholeIdentifier: isOneIdentifier(query) && match?.form === 'identifier' && match.field !== 'content',
    otherIdentifier: isOneIdentifier(query) && match?.form !== 'identifier',
  };
}

function equals({ text }: CompiledQuery, { situation, entity, content }: FieldTexts): boolean {
  return situation === text || entity === text || content === text;
}

function isOneIdentifier({ terms, stopWords }: CompiledQuery): boolean {
  return terms.length === 1 && terms[0]?.kind === 'identifier' && stopWords.length === 0;
}
