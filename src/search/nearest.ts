import { listAdmitted } from '../store/admitted.ts';
import { changeStamp } from '../store/change-stamp.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { blockOf, type MatrixBlock, pkAt, type VectorMatrix } from './vector-matrix.ts';

/** Where the admitted memories lie in the matrix. */
export interface AdmittedRows {
  /** 1 for each row of the scan whose memory is admitted. */
  readonly isAdmitted: Uint8Array;
  /** Admitted memories whose vector is there, and all that the model could read (SE-25). */
  readonly present: number;
  readonly of: number;
}

/**
 * The rows of the memories that `admit` has admitted; kept until database or filter change.
 *
 * @param filterKey - says which those are
 */
export function admittedRows(db: SqliteDatabase, matrix: VectorMatrix, filterKey: string): AdmittedRows {
  const key = `${changeStamp(db)} ${filterKey}`;
  const kept = rowsAt.get(matrix);
  if (kept?.key === key) return kept.rows;
  const rows = findRows(listAdmitted(db), matrix);
  rowsAt.set(matrix, { key, rows });
  return rows;
}

const rowsAt = new WeakMap<VectorMatrix, { readonly key: string; readonly rows: AdmittedRows }>();

/** @param pks - rising */
function findRows(pks: readonly number[], { blocks }: VectorMatrix): AdmittedRows {
  let last = 0;
  for (const { first, rowCount } of blocks.values()) last = Math.max(last, first + rowCount);
  const isAdmitted = new Uint8Array(last);
  let [present, unreadable, row] = [0, 0, 0];
  let current = Number.NaN;
  let content: MatrixBlock | undefined;
  for (const pk of pks) {
    const { block, place } = blockOf(pk);
    if (current !== block) {
      current = block;
      content = blocks.get(block);
      row = 0;
    }
    if (content === undefined) continue;
    const { places, rowCount, first } = content;
    while (row < rowCount && (places[row] ?? 0) < place) row++;
    if (row < rowCount && places[row] === place) {
      isAdmitted[first + row] = 1;
      present++;
    } else if (content.unreadable.includes(place)) unreadable++;
  }
  return { isAdmitted, present, of: pks.length - unreadable };
}

/**
 * The admitted memories whose similarity may be among the `count` largest above `above`: all that are, and a few more,
 * since vectors are compared as integers. What that leaves out is bounded by the lengths that rounding took (Cauchy and
 * Schwarz), so none is missed.
 *
 * @param query - norm 1
 */
export function possiblyNearest(
  matrix: VectorMatrix,
  { isAdmitted }: AdmittedRows,
  query: Float32Array,
  count: number,
  above: number,
): number[] {
  const { scale, error } = matrix.scan.setQuery(query);
  const largest = largestOf(count, above);
  const found: { readonly pk: number; readonly most: number }[] = [];
  let least = above;
  for (const [block, content] of matrix.blocks) {
    const { first, rowCount, norms, scales, errors, places } = content;
    const products = matrix.scan.scan(first, rowCount);
    for (let row = 0; row < rowCount; row++) {
      if (isAdmitted[first + row] !== 1) continue;
      const norm = norms[row] ?? 0;
      const off = errors[row] ?? 0;
      const similarity = (products[row] ?? 0) * scale * (scales[row] ?? 0) * norm;
      const margin = (off + error * (1 + off)) * Math.abs(norm) * ABOVE_ROUNDING;
      // What the last of the largest is at least only rises: a row that does not reach it now never will.
      if (!(similarity + margin >= least)) continue;
      found.push({ pk: pkAt(block, places[row] ?? 0), most: similarity + margin });
      if (similarity - margin > least) least = largest.add(similarity - margin);
    }
  }
  return found.filter(({ most }) => most >= least).map(({ pk }) => pk);
}

/** Sums are rounded too. */
const ABOVE_ROUNDING = 1 + 1e-6;

/** The `count` largest of many values above `above`. */
function largestOf(count: number, above: number) {
  const values = new Float64Array(count).fill(above);
  return {
    /** Takes a value that is larger than the last of them; returns what the last of them is then. */
    add(value: number): number {
      let at = 1;
      while (at < count && (values[at] ?? 0) < value) at++;
      values.copyWithin(0, 1, at);
      values[at - 1] = value;
      return values[0] ?? above;
    },
  };
}
