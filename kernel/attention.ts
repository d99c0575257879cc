// Self-attention of one text: every token looks at every token of the same text, once for each of the twelve heads.

import { HEAD, HEADS, HIDDEN, SCORES, TURNED_KEYS } from './shape';
import { exp, largestLane, sumLanes } from './lanes';

/** Bytes of a token's query, key and value, which lie behind each other. */
const STRIDE: i32 = 3 * HIDDEN * 4;
const KEY: i32 = HIDDEN * 4;
const VALUE: i32 = 2 * HIDDEN * 4;

/**
 * Multi-head attention.
 *
 * @param projected - queries, keys and values, float32 [tokens][3][HIDDEN]
 * @param output - float32 [tokens][HIDDEN]
 */
export function attention(projected: usize, output: usize, tokens: i32): void {
  for (let head = 0; head < HEADS; head++) {
    const offset = head * HEAD * 4;
    turnKeys(projected + offset + KEY, tokens);
    for (let token = 0; token < tokens; token++) {
      scoreKeys(projected + offset + token * STRIDE, tokens);
      softmax(tokens);
      mixValues(projected + offset + VALUE, output + offset + token * HIDDEN * 4, tokens);
    }
  }
}

/** How many keys are scored at once. */
const BLOCK: i32 = 16;

/** Keys [tokens][HEAD] become TURNED_KEYS [tokens / BLOCK][HEAD][BLOCK], zeros up to the end of the last block. */
function turnKeys(keys: usize, tokens: i32): void {
  const padded = (tokens + BLOCK - 1) & ~(BLOCK - 1);
  for (let token = 0; token < padded; token++) {
    const key = keys + token * STRIDE;
    const to = TURNED_KEYS + (token / BLOCK) * BLOCK * HEAD * 4 + (token % BLOCK) * 4;
    for (let d = 0; d < HEAD; d++) store<f32>(to + d * BLOCK * 4, token < tokens ? load<f32>(key + d * 4) : 0);
  }
}

/** SCORES [tokens] = query . key / sqrt HEAD. */
function scoreKeys(query: usize, tokens: i32): void {
  const factor = f32x4.splat(0.17677669529);
  let key: usize = TURNED_KEYS;
  for (let at = 0; at < tokens * 4; at += BLOCK * 4) {
    let a = f32x4.splat(0), b = f32x4.splat(0), c = f32x4.splat(0), d = f32x4.splat(0);
    for (let k = 0; k < HEAD * 4; k += 4) {
      const q = v128.load32_splat(query + k);
      a = f32x4.add(a, f32x4.mul(q, v128.load(key)));
      b = f32x4.add(b, f32x4.mul(q, v128.load(key, 16)));
      c = f32x4.add(c, f32x4.mul(q, v128.load(key, 32)));
      d = f32x4.add(d, f32x4.mul(q, v128.load(key, 48)));
      key += BLOCK * 4;
    }
    v128.store(SCORES + at, f32x4.mul(a, factor));
    v128.store(SCORES + at, f32x4.mul(b, factor), 16);
    v128.store(SCORES + at, f32x4.mul(c, factor), 32);
    v128.store(SCORES + at, f32x4.mul(d, factor), 48);
  }
}

/** SCORES [tokens] become shares of 1. */
function softmax(tokens: i32): void {
  const end = SCORES + ((tokens * 4 + 15) & ~15);
  for (let at: usize = SCORES + tokens * 4; at < end; at += 4) store<f32>(at, -1e30);
  let largest = v128.load(SCORES);
  for (let at: usize = SCORES; at < end; at += 16) largest = f32x4.pmax(largest, v128.load(at));
  const most = f32x4.splat(largestLane(largest));
  let sum = f32x4.splat(0);
  for (let at: usize = SCORES; at < end; at += 16) {
    const share = exp(f32x4.sub(v128.load(at), most));
    v128.store(at, share);
    sum = f32x4.add(sum, share);
  }
  const factor = f32x4.splat(1 / sumLanes(sum));
  for (let at: usize = SCORES; at < end; at += 16) v128.store(at, f32x4.mul(v128.load(at), factor));
}

/** `output` [HEAD] = the values [tokens][HEAD], each times its share. */
function mixValues(values: usize, output: usize, tokens: i32): void {
  let a = f32x4.splat(0), b = f32x4.splat(0), c = f32x4.splat(0), d = f32x4.splat(0);
  let e = f32x4.splat(0), f = f32x4.splat(0), g = f32x4.splat(0), h = f32x4.splat(0);
  let value = values;
  for (let at = 0; at < tokens * 4; at += 4) {
    const share = v128.load32_splat(SCORES + at);
    a = f32x4.add(a, f32x4.mul(share, v128.load(value)));
    b = f32x4.add(b, f32x4.mul(share, v128.load(value, 16)));
    c = f32x4.add(c, f32x4.mul(share, v128.load(value, 32)));
    d = f32x4.add(d, f32x4.mul(share, v128.load(value, 48)));
    e = f32x4.add(e, f32x4.mul(share, v128.load(value, 64)));
    f = f32x4.add(f, f32x4.mul(share, v128.load(value, 80)));
    g = f32x4.add(g, f32x4.mul(share, v128.load(value, 96)));
    h = f32x4.add(h, f32x4.mul(share, v128.load(value, 112)));
    value += STRIDE;
  }
  v128.store(output, a);
  v128.store(output, b, 16);
  v128.store(output, c, 32);
  v128.store(output, d, 48);
  v128.store(output, e, 64);
  v128.store(output, f, 80);
  v128.store(output, g, 96);
  v128.store(output, h, 112);
}
