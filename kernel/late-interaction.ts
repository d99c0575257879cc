// Late interaction (SE-71): how much of a query each memory explains, token by token, and how much of the memory the
// query covers. A module of its own, because a query whose vectors are known needs this and not the encoder.

const DIRECTIONS: i32 = 96;
const PACKED: i32 = DIRECTIONS / 2;
/** Bytes of a packed token vector. */
export const packedBytes: i32 = PACKED;
const UNPACKED: i32 = DIRECTIONS;
/** Most tokens of a text. */
const CAPACITY: i32 = 256;

/** Token vectors of the query and of the memory, packed [tokens][PACKED]; what the host fills. */
export const query: usize = 1024;
export const candidate: usize = query + CAPACITY * PACKED;
/** float32 [tokens]: what each token of the query counts. */
export const weights: usize = candidate + CAPACITY * PACKED;
/** uint8 [tokens]: 1 for those tokens of the query that may cover a token of a memory. */
export const covering: usize = weights + CAPACITY * 4;
/** float32 [tokens]: what each token of the memory counts. */
export const candidateWeights: usize = covering + CAPACITY;
/** float32 [tokens]: each query token's largest cosine to a token of the memory. */
export const cosines: usize = candidateWeights + CAPACITY * 4;
/** float32 [tokens]: each memory token's largest cosine to a covering token of the query. */
const COVERED: usize = cosines + CAPACITY * 4;
/** int8 [tokens][DIRECTIONS]: unpacked, the even values before the odd ones; and 1 / norm of each. */
const QUERY: usize = COVERED + CAPACITY * 4;
const QUERY_FACTORS: usize = QUERY + CAPACITY * UNPACKED;
const MEMORY: usize = QUERY_FACTORS + CAPACITY * 4;
const MEMORY_FACTORS: usize = MEMORY + CAPACITY * UNPACKED;
/** Bytes of memory that the module needs. */
export const end: usize = MEMORY_FACTORS + CAPACITY * 4;

/** Takes over the query's `tokens` token vectors. */
export function setQuery(tokens: i32): void {
  unpack(query, QUERY, QUERY_FACTORS, tokens);
}

/**
 * Sum over the query's tokens of weight times the largest cosine to one of the memory's tokens, over the sum of the
 * weights. 0 where one of them has no tokens.
 */
export function explained(queryTokens: i32, memoryTokens: i32): f64 {
  unpack(candidate, MEMORY, MEMORY_FACTORS, memoryTokens);
  for (let each = 0; each < memoryTokens; each++) store<f32>(COVERED + each * 4, -f32.MAX_VALUE);
  let sum: f64 = 0;
  let total: f64 = 0;
  for (let token = 0; token < queryTokens; token++) {
    const factor = load<f32>(QUERY_FACTORS + token * 4);
    const cosine = largestCosine(QUERY + token * UNPACKED, factor, load<u8>(covering + token) != 0, memoryTokens);
    store<f32>(cosines + token * 4, cosine);
    const weight = <f64>load<f32>(weights + token * 4);
    sum += weight * <f64>cosine;
    total += weight;
  }
  return total > 0 && memoryTokens > 0 ? sum / total : 0;
}

/**
 * After `explained`: the sum over the memory's tokens of weight times the largest cosine to a covering token of the query,
 * over the sum of the weights. 0 where one of them has no tokens.
 */
export function covered(memoryTokens: i32): f64 {
  let sum: f64 = 0;
  let total: f64 = 0;
  for (let each = 0; each < memoryTokens; each++) {
    const weight = <f64>load<f32>(candidateWeights + each * 4);
    const cosine = load<f32>(COVERED + each * 4);
    if (cosine > -f32.MAX_VALUE) sum += weight * <f64>cosine;
    total += weight;
  }
  return total > 0 ? sum / total : 0;
}

/** The largest cosine of a query token to a token of the memory; takes note of it for those that it covers. */
function largestCosine(token: usize, factor: f32, covers: bool, memoryTokens: i32): f32 {
  let largest: f32 = memoryTokens > 0 ? -f32.MAX_VALUE : 0;
  let other: usize = MEMORY;
  for (let each = 0; each < memoryTokens; each++) {
    const cosine = <f32>dot(token, other) * load<f32>(MEMORY_FACTORS + each * 4) * factor;
    largest = max(largest, cosine);
    const place = COVERED + each * 4;
    if (covers) store<f32>(place, max(load<f32>(place), cosine));
    other += UNPACKED;
  }
  return largest;
}

function dot(a: usize, b: usize): i32 {
  let sum = i32x4.splat(0);
  for (let at = 0; at < UNPACKED; at += 16) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_s(a + at), v128.load8x8_s(b + at)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_s(a + at, 8), v128.load8x8_s(b + at, 8)));
  }
  const halves = i32x4.add(sum, v128.shuffle<i32>(sum, sum, 2, 3, 0, 1));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/** Two values a byte become a byte each, the same way for every token, so that products do not change. */
function unpack(packed: usize, to: usize, factors: usize, tokens: i32): void {
  for (let token = 0; token < tokens; token++) {
    for (let at = 0; at < PACKED; at += 16) {
      const pair = v128.load(packed + at);
      v128.store(to + at * 2, i8x16.shr_s(i8x16.shl(pair, 4), 4));
      v128.store(to + at * 2, i8x16.shr_s(pair, 4), 16);
    }
    const squares = dot(to, to);
    store<f32>(factors + token * 4, squares > 0 ? 1 / sqrt<f32>(<f32>squares) : 0);
    packed += PACKED;
    to += UNPACKED;
  }
}
