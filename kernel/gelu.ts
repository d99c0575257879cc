import { exp } from './lanes';

/**
 * GELU, x * (1 + erf(x / sqrt 2)) / 2, in place. The error function is Abramowitz and Stegun 7.1.26, off by at most
 * 1.5e-7: with e = erfc(|x| / sqrt 2) the factor of x is e / 2 for negative x and 1 - e / 2 for the others.
 */
export function gelu(values: usize, count: i32): void {
  const one = f32x4.splat(1);
  const end = values + count * 4;
  for (let at = values; at < end; at += 16) {
    const x = v128.load(at);
    const z = f32x4.mul(f32x4.abs(x), f32x4.splat(0.70710678));
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(z, f32x4.splat(0.3275911))));
    let p = f32x4.splat(1.061405429);
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(-1.453152027));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(1.421413741));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(-0.284496736));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(0.254829592));
    const erfc = f32x4.mul(f32x4.mul(p, t), exp(f32x4.neg(f32x4.mul(z, z))));
    const half = f32x4.mul(erfc, f32x4.splat(0.5));
    const isPositive = f32x4.ge(x, f32x4.splat(0));
    v128.store(at, f32x4.mul(x, v128.bitselect(f32x4.sub(one, half), half, isPositive)));
  }
}
