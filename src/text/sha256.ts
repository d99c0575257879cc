/**
 * SHA-256 of a text's UTF-8 as 64 hex digits, as `contentHash` gives it. For short texts in a process that hashes nothing
 * else: loading Node's hashing takes longer than most of a query, this takes a tenth of a millisecond.
 */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  padded.setUint32(padded.byteLength - 4, bytes.length << 3);
  const state = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  const schedule = new Int32Array(ROUNDS);
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) {
    for (let word = 0; word < 16; word++) schedule[word] = padded.getInt32(at + word * 4);
    mixIn(schedule, state);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const BLOCK_BYTES = 64;
const ROUNDS = 64;
const PRIMES = firstPrimes(ROUNDS);
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));

/** One block; the names are those of FIPS 180-4. */
function mixIn(w: Int32Array, state: Int32Array): void {
  for (let t = 16; t < ROUNDS; t++) {
    const [before15, before2] = [w[t - 15] ?? 0, w[t - 2] ?? 0];
    const sigma0 = rotated(before15, 7) ^ rotated(before15, 18) ^ (before15 >>> 3);
    const sigma1 = rotated(before2, 17) ^ rotated(before2, 19) ^ (before2 >>> 10);
    w[t] = sigma1 + (w[t - 7] ?? 0) + sigma0 + (w[t - 16] ?? 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < ROUNDS; t++) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + (CONSTANTS[t] ?? 0) + (w[t] ?? 0)) | 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fractional part. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}
