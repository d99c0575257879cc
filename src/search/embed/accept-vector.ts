import type { Embedding } from './embedder.ts';

const LEAST_NORM = 1e-6;

/** Scales a vector of a provider to norm 1, or says why it is none (SE-24). */
export function acceptVector(vector: Float32Array, dims: number): Float32Array<ArrayBuffer> | string {
  if (vector.length !== dims) return `the model gave ${vector.length} values instead of ${dims}`;
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum)) return 'the model gave values that are no numbers';
  const norm = Math.sqrt(sum);
  if (norm <= LEAST_NORM) return 'the model gave a vector without length';
  return Float32Array.from(vector, (value) => value / norm);
}

/**
 * The vector by which a text is found (SE-22): the direction halfway between the model's vector and its second one, which
 * says more of the words themselves; without a second one the vector itself. Norm 1. Or why there is none (SE-24).
 */
export function searchVector({ vector, lower, fault }: Embedding, dims: number): Float32Array<ArrayBuffer> | string {
  if (fault !== undefined) return fault;
  const unit = acceptVector(vector, dims);
  if (typeof unit === 'string' || lower === undefined) return unit;
  return acceptVector(
    unit.map((value, at) => value + (lower[at] ?? 0)),
    dims,
  );
}
