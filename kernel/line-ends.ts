// How many line ends stand in some bytes. A module of its own: a chat file is counted through from its beginning to find
// the line at which somebody goes on, and nothing else of the kernel is needed for that.

const LF: i8 = 10;
/** Lanes of 8 bits that count at most one each round. */
const ROUNDS = 255;

/** @param length - of the bytes at `at`; a multiple of 16, what is filled up holds no line end */
export function lineEnds(at: usize, length: usize): u32 {
  const end = at + length;
  const lineEnd = i8x16.splat(LF);
  let count: u32 = 0;
  while (at < end) {
    const stop = min(end, at + 16 * ROUNDS);
    let found = i8x16.splat(0);
    // A lane that is equal is -1.
    for (; at < stop; at += 16) found = i8x16.sub(found, i8x16.eq(v128.load(at), lineEnd));
    const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(found));
    count += i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1);
    count += i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  }
  return count;
}
