import type { SqliteDatabase } from '../store/native.ts';
import { FINE_CANDIDATES, type FineFigures, type FineMemories, fineFigures, fineMemories } from './fine-arm.ts';
import { type Meaning, type MeaningArm, type MeaningFigures, meaningArm } from './meaning-arm.ts';
import type { QueryVector } from './query-vectors.ts';

/** Both arms that need the model, for a query and its sentences. Texts without a vector have no figures. */
export interface MeaningScorer {
  /** Of the whole query. */
  readonly vector: QueryVector | null;
  /** The nearest memories to the whole query, best first (SE-72). */
  readonly nearest: readonly number[];
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
  const arms = new Map<string, MeaningArm | null>();
  const armOf = (text: string): MeaningArm | null => {
    const known = arms.get(text);
    if (known !== undefined) return known;
    const asked = meaning.vectors.get(text) ?? null;
    const arm = asked === null ? null : meaningArm(db, meaning, asked, filterKey);
    arms.set(text, arm);
    return arm;
  };
  let memories: FineMemories = new Map();
  const fine = new Map<string, ReadonlyMap<number, FineFigures>>();
  const fineOf = (text: string) => {
    const known = fine.get(text);
    if (known !== undefined) return known;
    const asked = meaning.vectors.get(text) ?? null;
    const figures = asked === null ? new Map<number, FineFigures>() : fineFigures(db, meaning, asked, memories);
    fine.set(text, figures);
    return figures;
  };
  const nearest = armOf(query.text)?.nearest(FINE_CANDIDATES) ?? [];
  return {
    vector,
    nearest,
    figures: (text, pk) => armOf(text)?.figuresOf(pk) ?? null,
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
  figures: () => null,
  fine: () => null,
  refine: () => 0,
};
