/** Scalar product of `one` and the values of `other` from `start` on. Four sums at a time, which a core adds at once. */
export function dot(one: Float32Array, other: Float32Array, start = 0): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = one.length - (one.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += (one[i] ?? 0) * (other[start + i] ?? 0);
    b += (one[i + 1] ?? 0) * (other[start + i + 1] ?? 0);
    c += (one[i + 2] ?? 0) * (other[start + i + 2] ?? 0);
    d += (one[i + 3] ?? 0) * (other[start + i + 3] ?? 0);
  }
  for (let i = whole; i < one.length; i++) a += (one[i] ?? 0) * (other[start + i] ?? 0);
  return a + b + c + d;
}
