import type { EmbeddingRow } from '../store/embeddings.ts';
import { searchVector } from './embed/accept-vector.ts';
import type { Embedding } from './embed/embedder.ts';
import { tokenBytes, vectorBytes } from './embed/vector-bytes.ts';
import type { EmbeddedText } from './embedded-text.ts';

/** Opposite vectors have no mean. */
const LEAST_NORM = 1e-6;

/** The mean of two unit vectors, as one of norm 1 and the norm it had (SE-22). Opposite ones have none. */
export function meanVector(
  one: Float32Array,
  other: Float32Array,
): { readonly vector: Float32Array<ArrayBuffer>; readonly norm: number } | string {
  const mean = Float32Array.from(one, (value, at) => (value + (other[at] ?? 0)) / 2);
  const norm = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  return norm <= LEAST_NORM
    ? 'situation and record have opposite vectors'
    : { vector: mean.map((value) => value / norm), norm };
}

/** The row of a memory from the embeddings of its situation and its record. */
export function embeddingRow(
  memory: { readonly pk: number; readonly failures: number },
  { hash }: EmbeddedText,
  [situation, record]: readonly [Embedding, Embedding],
  dims: number,
): EmbeddingRow {
  const row = { pk: memory.pk, textHash: hash };
  if (!record.isUnderstood || !situation.isUnderstood) return { ...row, result: { state: 'unreadable' } };
  const failed = (error: string): EmbeddingRow => ({
    ...row,
    result: { state: 'failed', error, failures: memory.failures + 1 },
  });
  const [one, other] = [searchVector(situation, dims), searchVector(record, dims)];
  if (typeof one === 'string') return failed(one);
  if (typeof other === 'string') return failed(other);
  const mean = meanVector(one, other);
  if (typeof mean === 'string') return failed(mean);
  const tokens = record.tokens === null ? null : tokenBytes(record.tokens);
  return { ...row, result: { state: 'ready', vector: vectorBytes(mean.vector), norm: mean.norm, tokens } };
}
