import { NO_IDENTITY } from '../../../src/search/rater.ts';
import { type ArmEvidence, fuse, interpolate, type KnotTable, relevanceOf } from '../../../src/search/relevance.ts';
import type { Candidate } from '../retrieval/set-store.ts';
import type { RetrievalSet } from '../retrieval/sets.ts';
import { eachQuestion, type TrialOptions } from '../retrieval/trials.ts';

export const TABLES = ['AELC', 'AEL', 'AE', 'ALC', 'AL', 'A', 'E'] as const satisfies readonly KnotTable[];

/** Knots by table; EVIDENCE_KNOTS says at which evidence. */
export type Tables = Readonly<Record<KnotTable, readonly number[]>>;

/** A hit, by evidence alone, so that its relevance can be told for any tables. */
export interface ObservedHit {
  readonly isRight: boolean;
  readonly hasRareIdentifier: boolean;
  readonly table: KnotTable;
  /** F of the whole text with coverage, which orders. */
  readonly fused: number;
  /** Table and F, without coverage, that the relevance of its best part stands for (SE-74). */
  readonly passingTable: KnotTable;
  readonly passingFused: number;
  /** Relevance that no table gives: SE-35. Null for all others. */
  readonly fixed: number | null;
}

export interface ObservedQuestion {
  readonly hits: readonly ObservedHit[];
  readonly isThin: boolean;
}

/** Hits of one set: for the tables, and question by question for the floor. */
export interface ObservedSet {
  readonly name: string;
  readonly queries: readonly ObservedQuestion[];
  readonly noMatch: readonly ObservedQuestion[];
  /** For each table the best hits of every question, as if the arms of that table were all. */
  readonly evidence: Readonly<Record<KnotTable, Evidence[]>>;
}

interface Evidence {
  readonly at: number;
  readonly isRight: boolean;
}

export async function observe(set: RetrievalSet, options: TrialOptions): Promise<ObservedSet> {
  const questions = { queries: [] as ObservedQuestion[], noMatch: [] as ObservedQuestion[] };
  const evidence: ObservedSet['evidence'] = { AELC: [], AEL: [], AE: [], ALC: [], AL: [], A: [], E: [] };
  await eachQuestion({ ...set, forbidden: [] }, options, (store, { text, right }, side) => {
    if (side === 'forbidden') return;
    const { candidates, isThin } = store.find(text);
    for (const table of TABLES) evidence[table].push(...bestHits(candidates, table, right));
    const hits = candidates.flatMap((candidate) => observedHit(candidate, right.has(candidate.id)) ?? []);
    questions[side].push({ hits, isThin });
  });
  return { name: set.name, ...questions, evidence };
}

/** R of a hit by other tables. */
export function relevanceBy(tables: Tables, { table, fused, fixed }: ObservedHit): number {
  return fixed ?? interpolate(tables[table], fused);
}

/** The relevance that the floor of `surface` looks at, by other tables. */
export function passingBy(tables: Tables, hit: ObservedHit): number {
  return Math.max(hit.fixed ?? 0, interpolate(tables[hit.passingTable], hit.passingFused));
}

/** As many as an answer of `query` has: what nobody is shown is no hit whose relevance could be right or wrong. */
const SHOWN = 10;

function bestHits(candidates: readonly Candidate[], table: KnotTable, right: ReadonlySet<string>): Evidence[] {
  const evidence = candidates.flatMap(({ id, arms }) => {
    const fusion = fuse(only(arms, table));
    return fusion?.table === table && fusion.fused > 0 ? [{ at: fusion.fused, isRight: right.has(id) }] : [];
  });
  return evidence.sort((a, b) => b.at - a.at).slice(0, SHOWN);
}

function only(arms: ArmEvidence, table: KnotTable): ArmEvidence {
  const { words, meaning, fine, coverage } = arms;
  return {
    ...arms,
    words: table.includes('E') ? words : null,
    meaning: table.includes('A') ? meaning : null,
    fine: table.includes('L') ? fine : null,
    coverage: table.includes('C') ? coverage : null,
  };
}

function observedHit(candidate: Candidate, isRight: boolean): ObservedHit | null {
  const { arms, table, relevance, passing, hasRareIdentifier } = candidate;
  const [fusion, sure] = [fuse(arms), fuse({ ...arms, coverage: null })];
  if (fusion === null || sure === null) return null;
  const { fused } = fusion;
  const isTabled = Math.abs(relevanceOf(fused, NO_IDENTITY, table) - relevance) < 1e-9;
  return {
    isRight,
    hasRareIdentifier,
    table,
    fused,
    passingTable: sure.table,
    passingFused: evidenceAt(passing, sure.table),
    fixed: isTabled ? null : relevance,
  };
}

/** The evidence that has this relevance today, found by halving: relevance rises with evidence. */
function evidenceAt(relevance: number, table: KnotTable): number {
  let [low, high] = [0, 1];
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2;
    if (relevanceOf(middle, NO_IDENTITY, table) < relevance) low = middle;
    else high = middle;
  }
  return high;
}
