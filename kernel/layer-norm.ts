import { HIDDEN, NORM_BYTES } from './shape';
import { sumLanes } from './lanes';

/**
 * Normalises each row of `rows` [tokens][HIDDEN] to mean 0 and variance 1, then applies gain and bias.
 *
 * @returns the address behind the gains and biases
 */
export function layerNorm(norm: usize, rows: usize, tokens: i32): usize {
  const width = <f32>HIDDEN;
  for (let token = 0; token < tokens; token++) {
    const row = rows + token * HIDDEN * 4;
    let sum = f32x4.splat(0);
    for (let at = 0; at < HIDDEN * 4; at += 16) sum = f32x4.add(sum, v128.load(row + at));
    const mean = f32x4.splat(sumLanes(sum) / width);
    let squares = f32x4.splat(0);
    for (let at = 0; at < HIDDEN * 4; at += 16) {
      const off = f32x4.sub(v128.load(row + at), mean);
      squares = f32x4.add(squares, f32x4.mul(off, off));
    }
    const factor = f32x4.splat(1 / sqrt<f32>(sumLanes(squares) / width + 1e-12));
    for (let at = 0; at < HIDDEN * 4; at += 16) {
      const unit = f32x4.mul(f32x4.sub(v128.load(row + at), mean), factor);
      const gain = v128.load(norm + at);
      const bias = v128.load(norm + at, HIDDEN * 4);
      v128.store(row + at, f32x4.add(f32x4.mul(unit, gain), bias));
    }
  }
  return norm + NORM_BYTES;
}

/** The residual connection: adds `change` to `rows`, both [tokens][HIDDEN]. */
export function addTo(rows: usize, change: usize, tokens: i32): void {
  const bytes = tokens * HIDDEN * 4;
  for (let at = 0; at < bytes; at += 16) {
    v128.store(rows + at, f32x4.add(v128.load(rows + at), v128.load(change + at)));
  }
}
