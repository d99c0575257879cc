// The forward pass of a BERT encoder over several texts in one call. The host writes weights, positions and projection to
// the addresses below, places each token with `placeToken`, writes the texts' lengths and calls `encode`.

import * as shape from './shape';
import { attention } from './attention';
import { gelu } from './gelu';
import { addTo, layerNorm } from './layer-norm';
import { linear, quantise } from './linear';
import { poolMean, projectTokens, scaleToUnit } from './pooling';
import { CHANGE, HIDDEN, INNER, LAYERS, LAYER_BYTES, LENGTHS, LOWER_VECTORS, STATES, VECTORS, WEIGHTS, WIDE } from './shape';

export { twoOutputs } from './linear';
export const weights: usize = shape.WEIGHTS;
export const weightBytes: i32 = shape.WEIGHT_BYTES;
export const positions: usize = shape.POSITIONS;
export const projection: usize = shape.PROJECTION;
export const lengths: usize = shape.LENGTHS;
export const stagedRows: usize = shape.STAGED_ROWS;
export const states: usize = shape.STATES;
export const vectors: usize = shape.VECTORS;
export const lowerVectors: usize = shape.LOWER_VECTORS;
export const tokenVectors: usize = shape.TOKEN_VECTORS;
export const table: usize = shape.TABLE;

/**
 * The embedding of a token: its row plus that of its position, to which the converter added the token type.
 *
 * @param slot - place among all tokens of the call
 * @param row - address of the token's embedding row
 * @param position - place in its own text
 */
export function placeToken(slot: i32, row: usize, position: i32): void {
  const scale = v128.load32_splat(row);
  const from = row + 4;
  const place = shape.POSITIONS + position * HIDDEN * 4;
  const to = STATES + slot * HIDDEN * 4;
  for (let k = 0; k < HIDDEN; k += 8) {
    const values = v128.load8x8_s(from + k);
    const low = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(values)), scale);
    const high = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(values)), scale);
    v128.store(to + k * 4, f32x4.add(low, v128.load(place + k * 4)));
    v128.store(to + k * 4, f32x4.add(high, v128.load(place + k * 4, 16)), 16);
  }
}

/** Encodes the placed tokens of `texts` texts, whose lengths are at LENGTHS, int32. Fills STATES, VECTORS, LOWER_VECTORS, TOKEN_VECTORS. */
export function encode(texts: i32): void {
  let tokens = 0;
  for (let text = 0; text < texts; text++) tokens += load<i32>(LENGTHS + text * 4);
  layerNorm(WEIGHTS + LAYERS * LAYER_BYTES, STATES, tokens);
  let layer: usize = WEIGHTS;
  for (let each = 1; each < LAYERS; each++) layer = encoderLayer(layer, texts, tokens);
  poolEach(LOWER_VECTORS, texts);
  encoderLayer(layer, texts, tokens);
  poolEach(VECTORS, texts);
  scaleToUnit(STATES, tokens);
  projectTokens(STATES, WIDE, shape.TOKEN_VECTORS, tokens);
}

/** The vector of each text from the states as they are. */
function poolEach(vectors: usize, texts: i32): void {
  let slot = 0;
  for (let text = 0; text < texts; text++) {
    const length = load<i32>(LENGTHS + text * 4);
    poolMean(STATES + slot * HIDDEN * 4, vectors + text * HIDDEN * 4, length);
    slot += length;
  }
}

/** One layer: attention and a feed-forward network, each added to the states and normalised. Returns the next one's address. */
function encoderLayer(layer: usize, texts: i32, tokens: i32): usize {
  quantise(STATES, tokens, HIDDEN);
  layer = linear(layer, WIDE, tokens, 3 * HIDDEN, HIDDEN);
  attendWithin(texts);
  quantise(CHANGE, tokens, HIDDEN);
  layer = linear(layer, CHANGE, tokens, HIDDEN, HIDDEN);
  addTo(STATES, CHANGE, tokens);
  layer = layerNorm(layer, STATES, tokens);

  quantise(STATES, tokens, HIDDEN);
  layer = linear(layer, WIDE, tokens, INNER, HIDDEN);
  gelu(WIDE, tokens * INNER);
  quantise(WIDE, tokens, INNER);
  layer = linear(layer, CHANGE, tokens, HIDDEN, INNER);
  addTo(STATES, CHANGE, tokens);
  return layerNorm(layer, STATES, tokens);
}

/** Attention, each text for itself, from WIDE to CHANGE. */
function attendWithin(texts: i32): void {
  let slot = 0;
  for (let text = 0; text < texts; text++) {
    const length = load<i32>(LENGTHS + text * 4);
    attention(WIDE + slot * 3 * HIDDEN * 4, CHANGE + slot * HIDDEN * 4, length);
    slot += length;
  }
}
