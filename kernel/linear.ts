// Linear layers: int16 activations times int8 weights, summed in int32, then float32. Integer sums are exact, so a
// token's result does not depend on its neighbours. A lane sums inputs / 4 products of at most 127 * 32,767: 1.6e9 of
// 2.1e9 for 1,536 inputs. More inputs would overflow.
//
// The innermost loop takes two outputs and four tokens at a time: eight sums, four activations and two weights are all the
// registers there are. So that it reads straight on, weights lie in pairs of outputs and activations in fours of tokens,
// eight inputs of each in turn: weights [outputs / 2][inputs / 8][2][8], activations [tokens / 4][inputs / 8][4][8].

import { QUANTISED, QUANTISED_SCALES, linearBytes } from './shape';
import { largestLane, round } from './lanes';

/**
 * Writes each row's `inputs` values as int16 to QUANTISED, with the row's scale in QUANTISED_SCALES: the largest
 * magnitude becomes 32,767.
 */
export function quantise(rows: usize, tokens: i32, inputs: i32): void {
  for (let token = 0; token < tokens; token++) {
    const row = rows + token * inputs * 4;
    const end = row + inputs * 4;
    let largest = f32x4.splat(0);
    for (let at = row; at < end; at += 16) largest = f32x4.pmax(largest, f32x4.abs(v128.load(at)));
    const most = max<f32>(largestLane(largest), 1e-20);
    store<f32>(QUANTISED_SCALES + token * 4, most / 32767);
    const factor = f32x4.splat(32767 / most);
    let to: usize = QUANTISED + (token >> 2) * inputs * 8 + (token & 3) * 16;
    for (let at = row; at < end; at += 32) {
      const low = round(f32x4.mul(v128.load(at), factor));
      const high = round(f32x4.mul(v128.load(at, 16), factor));
      v128.store(to, i16x8.narrow_i32x4_s(low, high));
      to += 64;
    }
  }
}

/**
 * The matrix product: `output` [tokens][outputs] = QUANTISED [tokens][inputs] x weights + bias, all tokens of two outputs
 * after the other, so that weights are read once and activations stay in the cache. Fills rows up to a multiple of four.
 *
 * @param layer - address of the layer's weights, scales and biases
 * @returns the address behind them
 */
export function linear(layer: usize, output: usize, tokens: i32, outputs: i32, inputs: i32): usize {
  const scales = layer + outputs * inputs;
  const biases = scales + outputs * 4;
  for (let each = 0; each < outputs; each += 2) {
    twoOutputs(layer + each * inputs, scales + each * 4, biases + each * 4, output + each * 4, tokens, outputs * 4, inputs);
  }
  return layer + linearBytes(outputs, inputs);
}

/**
 * Two columns of the product. Exported so that it stays a function of its own: V8 moves a function to optimised code
 * between two calls, never within one, and a process that embeds one text should get there early.
 */
export function twoOutputs(
  weights: usize,
  scales: usize,
  biases: usize,
  output: usize,
  tokens: i32,
  stride: i32,
  inputs: i32,
): void {
  const scale = v128.load64_splat(scales);
  const bias = v128.load64_splat(biases);
  const end = weights + inputs * 2;
  let activations: usize = QUANTISED;
  for (let token = 0; token < tokens; token += 4) {
    let a0 = i32x4.splat(0), a1 = i32x4.splat(0);
    let b0 = i32x4.splat(0), b1 = i32x4.splat(0);
    let c0 = i32x4.splat(0), c1 = i32x4.splat(0);
    let d0 = i32x4.splat(0), d1 = i32x4.splat(0);
    for (let at = weights; at < end; at += 16) {
      const first = v128.load8x8_s(at);
      const second = v128.load8x8_s(at, 8);
      const a = v128.load(activations);
      a0 = i32x4.add(a0, i32x4.dot_i16x8_s(first, a));
      a1 = i32x4.add(a1, i32x4.dot_i16x8_s(second, a));
      const b = v128.load(activations, 16);
      b0 = i32x4.add(b0, i32x4.dot_i16x8_s(first, b));
      b1 = i32x4.add(b1, i32x4.dot_i16x8_s(second, b));
      const c = v128.load(activations, 32);
      c0 = i32x4.add(c0, i32x4.dot_i16x8_s(first, c));
      c1 = i32x4.add(c1, i32x4.dot_i16x8_s(second, c));
      const d = v128.load(activations, 48);
      d0 = i32x4.add(d0, i32x4.dot_i16x8_s(first, d));
      d1 = i32x4.add(d1, i32x4.dot_i16x8_s(second, d));
      activations += 64;
    }
    const sums = QUANTISED_SCALES + token * 4;
    storePairs(sumEach(a0, a1, b0, b1), scale, bias, sums, output, stride);
    storePairs(sumEach(c0, c1, d0, d1), scale, bias, sums + 8, output + stride * 2, stride);
    output += stride * 4;
  }
}

/** Scales the sums of two tokens, adds the bias and stores two outputs of each. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function storePairs(sums: v128, scale: v128, bias: v128, scales: usize, output: usize, stride: i32): void {
  const pair = v128.load64_splat(scales);
  const ofTokens = v128.shuffle<i32>(pair, pair, 0, 0, 1, 1);
  const result = f32x4.add(f32x4.mul(sums, f32x4.mul(scale, ofTokens)), bias);
  v128.store64_lane(output, result, 0);
  v128.store64_lane(output + stride, result, 1);
}

/** The sums of four vectors of int32, as float32 in one. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function sumEach(a: v128, b: v128, c: v128, d: v128): v128 {
  a = f32x4.convert_i32x4_s(a);
  b = f32x4.convert_i32x4_s(b);
  c = f32x4.convert_i32x4_s(c);
  d = f32x4.convert_i32x4_s(d);
  const ab = f32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3));
}
