// What is asked of the blocks of vectors: scalar products of one query with many vectors, all rounded to integers, and how
// many memories hold a token. A module of its own: a query whose vector is known needs this and not the encoder. The host
// chooses every address.

/**
 * Products of the query with `rows` vectors that lie one behind the other.
 *
 * @param query - int16 [width]
 * @param first - int8 [rows][width]
 * @param width - a multiple of 16; what a vector lacks to it is 0
 * @param products - int32 [rows]; the host sees to it that no product needs more
 */
export function scan(query: usize, first: usize, rows: i32, width: i32, products: usize): void {
  for (let row = 0; row < rows; row++) {
    store<i32>(products + row * 4, product(query, first, width));
    first += width;
  }
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function product(query: usize, vector: usize, width: i32): i32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>width; at += 16) {
    even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(vector + at), v128.load(query + at * 2)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(vector + at, 8), v128.load(query + at * 2, 16)));
  }
  const sums = i32x4.add(even, odd);
  const halves = i32x4.add(sums, v128.shuffle<i32>(sums, sums, 2, 3, 0, 1));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/**
 * Product of two float32 vectors, by the sums and in the order of `dot` in the sources: the same bits.
 *
 * @param one - float32 [dims], as is `other`
 */
export function exact(one: usize, other: usize, dims: i32): f64 {
  // a and b, c and d there.
  let first = f64x2.splat(0);
  let second = f64x2.splat(0);
  const whole: usize = <usize>(dims & ~3) * 4;
  for (let at: usize = 0; at < whole; at += 16) {
    const x = v128.load(one + at);
    const y = v128.load(other + at);
    first = f64x2.add(first, f64x2.mul(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y)));
    second = f64x2.add(second, f64x2.mul(f64x2.promote_low_f32x4(upper(x)), f64x2.promote_low_f32x4(upper(y))));
  }
  let a = f64x2.extract_lane(first, 0);
  for (let at: usize = whole; at < <usize>dims * 4; at += 4) a += <f64>load<f32>(one + at) * <f64>load<f32>(other + at);
  return a + f64x2.extract_lane(first, 1) + f64x2.extract_lane(second, 0) + f64x2.extract_lane(second, 1);
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function upper(x: v128): v128 {
  return v128.shuffle<i32>(x, x, 2, 3, 2, 3);
}

/**
 * Adds the counts of one block to those of all.
 *
 * @param tokens - uint16 [ids], and behind them uint16 [ids]: how many memories of the block hold each
 * @param counts - uint32, one for each id that there may be
 */
export function tally(tokens: usize, ids: i32, counts: usize): void {
  const blockCounts = tokens + <usize>ids * 2;
  for (let at: usize = 0; at < <usize>ids * 2; at += 2) {
    const place = counts + (<usize>load<u16>(tokens + at) << 2);
    store<u32>(place, load<u32>(place) + <u32>load<u16>(blockCounts + at));
  }
}
