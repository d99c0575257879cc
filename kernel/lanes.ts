// What several steps need of four float32 at once. Every sum has a fixed order, so the same input gives the same bits.
// `pmax` and `pmin` are single instructions where `max` and `min` take care of NaN first; nothing here is NaN.

/** Sum of the four lanes. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function sumLanes(x: v128): f32 {
  const halves = f32x4.add(x, v128.shuffle<i32>(x, x, 2, 3, 0, 1));
  return f32x4.extract_lane(f32x4.add(halves, v128.shuffle<i32>(halves, halves, 1, 0, 3, 2)), 0);
}

/** Largest of the four lanes. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function largestLane(x: v128): f32 {
  const halves = f32x4.pmax(x, v128.shuffle<i32>(x, x, 2, 3, 0, 1));
  return f32x4.extract_lane(f32x4.pmax(halves, v128.shuffle<i32>(halves, halves, 1, 0, 3, 2)), 0);
}

/** 1.5 * 2^23: a float32 of this size has no digits after the point, so adding it rounds, and leaves the integer in the bits. */
const ROUNDER: f32 = 12582912;

/** The nearest integers, halves to even, as int32. Magnitudes below 2^22. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function round(x: v128): v128 {
  return i32x4.sub(f32x4.add(x, f32x4.splat(ROUNDER)), f32x4.splat(ROUNDER));
}

/** e^x, relative error below 2e-7; below -87 as at -87, so next to nothing. Cephes' polynomial: e^x = 2^n * e^rest. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function exp(x: v128): v128 {
  x = f32x4.pmin(f32x4.pmax(x, f32x4.splat(-87)), f32x4.splat(88));
  const rounded = f32x4.add(f32x4.mul(x, f32x4.splat(1.44269504)), f32x4.splat(ROUNDER));
  const n = f32x4.sub(rounded, f32x4.splat(ROUNDER));
  // ln 2 in two parts, of which the first is exact.
  x = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  x = f32x4.sub(x, f32x4.mul(n, f32x4.splat(-2.1219444e-4)));
  let p = f32x4.splat(1.98756915e-4);
  p = f32x4.add(f32x4.mul(p, x), f32x4.splat(1.39819995e-3));
  p = f32x4.add(f32x4.mul(p, x), f32x4.splat(8.33345191e-3));
  p = f32x4.add(f32x4.mul(p, x), f32x4.splat(4.16657959e-2));
  p = f32x4.add(f32x4.mul(p, x), f32x4.splat(0.166666655));
  p = f32x4.add(f32x4.mul(p, x), f32x4.splat(0.5));
  const rest = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(p, x), x), x), f32x4.splat(1));
  // The lowest bits of `rounded` are n, which becomes the exponent of 2^n.
  const power = i32x4.shl(i32x4.add(rounded, i32x4.splat(127)), 23);
  return f32x4.mul(rest, power);
}
