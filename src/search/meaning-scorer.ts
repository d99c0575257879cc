import type { SqliteDatabase } from '../store/native.ts';
import { FINE_CANDIDATES, type FineFigures, type FineMemories, fineFigures, fineMemories } from './fine-arm.ts';
import { type Meaning, type MeaningFigures, meaningArm } from './meaning-arm.ts';
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
  const arm = meaningArm(db, meaning, filterKey);
  let memories: FineMemories = new Map();
  const fine = new Map<string, ReadonlyMap<number, FineFigures>>();
  const fineOf = (text: string) => {
    const known = fine.get(text);
    if (known !== undefined) return known;
    const asked = meaning.vectors.get(text) ?? null;
    const figures =
      asked === null ? new Map<number, FineFigures>() : fineFigures(db, meaning, asked, memories, text === query.text);
    fine.set(text, figures);
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
    fine: (text, pk) => fineOf(text).get(pk) ?? null,
    refine: (others) => {
      memories = fineMemories(db, meaning, [...new Set([...nearest, ...others])]);
      return memories.size;
    },
  };
}

const WORDS_ALONE: MeaningScorer = {
  vector: null,
  nearest: [],
  load: () => {},
  figures: () => null,
  fine: () => null,
  refine: () => 0,
};
