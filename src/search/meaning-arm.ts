import { listVectors } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { admittedRows, possiblyNearest } from './nearest.ts';
import type { QueryVector } from './query-vectors.ts';
import { aboveBackground } from './relevance.ts';
import { vectorMatrix } from './vector-matrix.ts';

/** What a search by meaning needs: the space, and the vectors of what is asked, in that space. */
export interface Meaning {
  readonly space: VectorSpace;
  readonly vectors: ReadonlyMap<string, QueryVector | null>;
}

export interface MeaningFigures {
  /** Scalar product of the query's vector and the memory's mean vector, which is not scaled to norm 1. */
  readonly similarity: number;
  readonly norm: number;
  /** A; negative values order hits but count as 0 in every sum (SE-27). */
  readonly evidence: number;
}

/** The meaning arm over the admitted memories that have a vector, for a query and its sentences. */
export interface MeaningArm {
  /** The best by A, best first; those whose A is not above 0 are none. */
  nearest(query: QueryVector, count: number): number[];
  /** Null for a memory without a vector, and for one that was neither loaded nor nearest. */
  figuresOf(query: QueryVector, pk: number): MeaningFigures | null;
  /** Reads the vectors of these memories. */
  load(pks: readonly number[]): void;
}

/** Vectors by pk; null for a memory that has none. */
export type LoadedVectors = Map<number, { readonly norm: number; readonly vector: Uint8Array } | null>;

/**
 * @param filterKey - says which memories `admit` has admitted
 * @param vectors - what was read before; receives what is read now
 */
export function meaningArm(
  db: SqliteDatabase,
  { space }: Meaning,
  filterKey: string,
  vectors: LoadedVectors = new Map(),
): MeaningArm {
  const background = space.background.meaning;
  const { scan } = vectorMatrix(db, space);
  const load = (pks: readonly number[]) => {
    const missing = pks.filter((pk) => !vectors.has(pk));
    if (missing.length === 0) return;
    for (const pk of missing) vectors.set(pk, null);
    for (const { pk, norm, vector } of listVectors(db, space.space, missing)) {
      // One of another length is no hit (SE-28).
      if (vector.length === space.dims * 4 && Number.isFinite(norm)) vectors.set(pk, { norm, vector });
    }
  };
  const figuresOf = ({ vector: query }: QueryVector, pk: number): MeaningFigures | null => {
    const known = vectors.get(pk) ?? null;
    if (known === null) return null;
    const similarity = scan.exactDot(query, known.vector) * known.norm;
    return { similarity, norm: known.norm, evidence: aboveBackground(similarity, background) };
  };
  return {
    load,
    figuresOf,
    nearest: (query, count) => {
      const matrix = vectorMatrix(db, space);
      const rows = admittedRows(db, matrix, filterKey);
      const pks = possiblyNearest(matrix, rows, query.vector, count, background);
      load(pks);
      return pks
        .map((pk) => ({ pk, evidence: figuresOf(query, pk)?.evidence ?? 0 }))
        .filter(({ evidence }) => evidence > 0)
        .sort((one, other) => other.evidence - one.evidence || one.pk - other.pk)
        .slice(0, count)
        .map(({ pk }) => pk);
    },
  };
}
