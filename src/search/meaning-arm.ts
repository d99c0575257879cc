import { changeStamp } from '../store/change-stamp.ts';
import { listAdmittedVectors } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { dot } from './embed/dot.ts';
import type { QueryVector } from './query-vectors.ts';
import { aboveBackground } from './relevance.ts';

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

/** The meaning arm for one query, over the admitted memories that have a vector. */
export interface MeaningArm {
  /** The best by A, best first; those whose A is not above 0 are none. */
  nearest(count: number): number[];
  figuresOf(pk: number): MeaningFigures | null;
}

/** @param filterKey - says which memories `admit` has admitted, so that their matrix may be kept */
export function meaningArm(
  db: SqliteDatabase,
  { space }: Meaning,
  { vector }: QueryVector,
  filterKey: string,
): MeaningArm {
  const matrix = matrixOf(db, space, filterKey);
  const background = space.background.meaning;
  const at = (row: number): MeaningFigures => {
    const norm = matrix.norms[row] ?? 0;
    const similarity = dot(vector, matrix.values, row * space.dims) * norm;
    return { similarity, norm, evidence: aboveBackground(similarity, background) };
  };
  return {
    nearest: (count) => {
      const all = matrix.pks.map((pk, row) => ({ pk, evidence: at(row).evidence }));
      const positive = all.filter(({ evidence }) => evidence > 0);
      return positive
        .sort((one, other) => other.evidence - one.evidence || one.pk - other.pk)
        .slice(0, count)
        .map(({ pk }) => pk);
    },
    figuresOf: (pk) => {
      const row = matrix.rows.get(pk);
      return row === undefined ? null : at(row);
    },
  };
}

interface Matrix {
  readonly pks: readonly number[];
  readonly rows: ReadonlyMap<number, number>;
  readonly norms: Float64Array;
  /** One unit vector after the other. */
  readonly values: Float32Array<ArrayBuffer>;
}

/** A vector of another length is no hit (SE-28). Kept until database or filter change. */
function matrixOf(db: SqliteDatabase, { space, dims }: VectorSpace, filterKey: string): Matrix {
  const key = `${changeStamp(db)} ${space} ${filterKey}`;
  const kept = matrices.get(db);
  if (kept?.key === key) return kept.matrix;
  const stored = listAdmittedVectors(db, space).filter(
    ({ vector, norm }) => vector.length === dims * 4 && Number.isFinite(norm),
  );
  const values = new Float32Array(stored.length * dims);
  const bytes = new Uint8Array(values.buffer);
  for (const [row, { vector }] of stored.entries()) bytes.set(vector, row * dims * 4);
  const matrix = {
    pks: stored.map(({ pk }) => pk),
    rows: new Map(stored.map(({ pk }, row) => [pk, row])),
    norms: Float64Array.from(stored, ({ norm }) => norm),
    values,
  };
  matrices.set(db, { key, matrix });
  return matrix;
}

const matrices = new WeakMap<SqliteDatabase, { readonly key: string; readonly matrix: Matrix }>();
