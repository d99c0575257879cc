const LF = 0x0a;

/** How many line ends stand between two positions. */
export function countLineEnds(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i] === LF) count++;
  return count;
}
