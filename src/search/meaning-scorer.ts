import { changeStamp } from '../store/change-stamp.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { FINE_CANDIDATES, type FineFigures, type FineMemory, fineFigures, fineMemories } from './fine-arm.ts';
import { type LoadedVectors, type Meaning, type MeaningFigures, meaningArm } from './meaning-arm.ts';
import type { QueryVector } from './query-vectors.ts';

/** Both arms that need the model, for a query and its sentences. Texts without a vector have no figures. */
export interface MeaningScorer {
  /** Of the whole query. */
  readonly vector: QueryVector | null;
  /** The nearest memories to the whole query, best first (SE-72). */
  readonly nearest: readonly number[];
  /** Makes these memories known to `figures`, which knows the nearest ones already. */
  load(pks: readonly number[]): void;
  figures(text: string, pk: number): MeaningFigures | null;
  /** Null until `refine` has named its memory. */
  fine(text: string, pk: number): FineFigures | null;
  /** Gives L to the nearest and to these; returns how many have token vectors. */
  refine(others: readonly number[]): number;
}

export function meaningScorer(
  db: SqliteDatabase,
  {
    query,
    meaning,
    filterKey,
  }: { readonly query: { readonly text: string }; meaning: Meaning | null; filterKey: string },
): MeaningScorer {
  const vector = meaning?.vectors.get(query.text) ?? null;
  if (meaning === null || vector === null) return WORDS_ALONE;
  const known = knownFrom(db, meaning);
  const arm = meaningArm(db, meaning, filterKey, known.vectors);
  let refined = new Map<number, FineMemory>();
  const asked = new Set<string>();
  const fineOf = (text: string): ReadonlyMap<number, FineFigures> => {
    const figures = known.fine.get(text) ?? new Map<number, FineFigures>();
    if (asked.has(text)) return figures;
    asked.add(text);
    known.fine.set(text, figures);
    const vectorOfText = meaning.vectors.get(text) ?? null;
    if (vectorOfText === null) return figures;
    const missing = new Map([...refined].filter(([pk]) => !figures.has(pk)));
    const found = fineFigures(db, meaning, vectorOfText, missing, text === query.text);
    for (const [pk, each] of found) figures.set(pk, each);
    return figures;
  };
  const nearest = arm.nearest(vector, FINE_CANDIDATES);
  return {
    vector,
    nearest,
    load: arm.load,
    figures: (text, pk) => {
      const asked = meaning.vectors.get(text) ?? null;
      return asked === null ? null : arm.figuresOf(asked, pk);
    },
    fine: (text, pk) => (refined.has(pk) ? (fineOf(text).get(pk) ?? null) : null),
    refine: (others) => {
      const pks = [...new Set([...nearest, ...others])];
      const missing = pks.filter((pk) => !known.tokens.has(pk));
      for (const pk of missing) known.tokens.set(pk, null);
      for (const [pk, memory] of fineMemories(db, meaning, missing)) known.tokens.set(pk, memory);
      refined = new Map();
      for (const pk of pks) {
        const memory = known.tokens.get(pk) ?? null;
        if (memory !== null) refined.set(pk, memory);
      }
      return refined.size;
    },
  };
}

/**
 * What one question has found out about memories: it depends on them and on the texts alone, so that a second pass with
 * other words or among other memories need not find it out again.
 */
interface Known {
  readonly stamp: string;
  readonly db: SqliteDatabase;
  readonly vectors: LoadedVectors;
  readonly tokens: Map<number, FineMemory | null>;
  /** By text, then by pk. */
  readonly fine: Map<string, Map<number, FineFigures>>;
}

const knownOf = new WeakMap<Meaning, Known>();

function knownFrom(db: SqliteDatabase, meaning: Meaning): Known {
  const stamp = changeStamp(db);
  const known = knownOf.get(meaning);
  if (known?.stamp === stamp && known.db === db) return known;
  const made = { stamp, db, vectors: new Map(), tokens: new Map(), fine: new Map() };
  knownOf.set(meaning, made);
  return made;
}

const WORDS_ALONE: MeaningScorer = {
  vector: null,
  nearest: [],
  load: () => {},
  figures: () => null,
  fine: () => null,
  refine: () => 0,
};
