import { DIRECTIONS, HIDDEN, PROJECTION } from './shape';
import { largestLane, sumLanes } from './lanes';
import { linear, quantise } from './linear';

/** The vector of a text: the mean of its states [tokens][HIDDEN], scaled to norm 1. */
export function poolMean(states: usize, vector: usize, tokens: i32): void {
  let squares = f32x4.splat(0);
  for (let at = 0; at < HIDDEN * 4; at += 16) {
    let sum = f32x4.splat(0);
    for (let token = 0; token < tokens; token++) sum = f32x4.add(sum, v128.load(states + token * HIDDEN * 4 + at));
    v128.store(vector + at, sum);
    squares = f32x4.add(squares, f32x4.mul(sum, sum));
  }
  const factor = f32x4.splat(1 / sqrt<f32>(sumLanes(squares)));
  for (let at = 0; at < HIDDEN * 4; at += 16) v128.store(vector + at, f32x4.mul(v128.load(vector + at), factor));
}

/** Scales each row of `states` [tokens][HIDDEN] to norm 1, so that tokens are compared by their direction alone. */
export function scaleToUnit(states: usize, tokens: i32): void {
  for (let token = 0; token < tokens; token++) {
    const row = states + token * HIDDEN * 4;
    let squares = f32x4.splat(0);
    for (let at = 0; at < HIDDEN * 4; at += 16) squares = f32x4.add(squares, f32x4.mul(v128.load(row + at), v128.load(row + at)));
    const factor = f32x4.splat(1 / sqrt<f32>(sumLanes(squares)));
    for (let at = 0; at < HIDDEN * 4; at += 16) v128.store(row + at, f32x4.mul(v128.load(row + at), factor));
  }
}

/**
 * Token vectors (SE-70): unit states [tokens][HIDDEN] centred and projected onto DIRECTIONS, then as integers from -7 to 7,
 * two a byte, the lower half first. Their length needs no keeping: only the angle between two of them counts.
 *
 * @param projected - room for float32 [tokens][DIRECTIONS], tokens up to a multiple of four
 * @param packed - int8 [tokens][DIRECTIONS / 2]
 */
export function projectTokens(states: usize, projected: usize, packed: usize, tokens: i32): void {
  quantise(states, tokens, HIDDEN);
  // The centre is in the biases.
  linear(PROJECTION, projected, tokens, DIRECTIONS, HIDDEN);
  for (let token = 0; token < tokens; token++) packToken(projected + token * DIRECTIONS * 4, packed + token * (DIRECTIONS / 2));
}

function packToken(row: usize, packed: usize): void {
  let largest = f32x4.splat(0);
  for (let at = 0; at < DIRECTIONS * 4; at += 16) largest = f32x4.pmax(largest, f32x4.abs(v128.load(row + at)));
  const factor: f32 = 7 / max<f32>(largestLane(largest), 1e-20);
  for (let at = 0; at < DIRECTIONS / 2; at++) {
    const low = <i32>nearest<f32>(load<f32>(row + at * 8) * factor);
    const high = <i32>nearest<f32>(load<f32>(row + at * 8, 4) * factor);
    store<i8>(packed + at, <i8>((low & 15) | (high << 4)));
  }
}
