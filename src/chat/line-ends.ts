const LF = 0x0a;
/** From here on it pays to look at four bytes at once. */
const LONG = 512;

/** How many line ends stand between two positions. */
export function countLineEnds(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  let count = 0;
  if (to - from >= LONG) {
    while ((bytes.byteOffset + at) % 4 !== 0) if (bytes[at++] === LF) count++;
    const words = (to - at) >> 2;
    count += countInWords(new Int32Array(bytes.buffer, bytes.byteOffset + at, words));
    at += words * 4;
  }
  for (; at < to; at++) if (bytes[at] === LF) count++;
  return count;
}

/** Four counts beside each other in one number, emptied before one of them is full. */
function countInWords(words: Int32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; ) {
    const end = Math.min(words.length, at + 255);
    let counts = 0;
    for (; at < end; at++) {
      // A byte of `other` is 0 where the line ends; only there the top bit stays clear.
      const other = (words[at] ?? 0) ^ 0x0a0a0a0a;
      counts = (counts + ((~(((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other) >>> 7) & 0x01010101)) | 0;
    }
    count += (counts & 0xff) + ((counts >>> 8) & 0xff) + ((counts >>> 16) & 0xff) + (counts >>> 24);
  }
  return count;
}
