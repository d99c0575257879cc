import type { BlockContent, BlockMember } from '../store/embedding-blocks.ts';
import { tokenIds, vectorOfBytes } from './embed/vector-bytes.ts';

/** Which form `packBlock` gives; blocks of another one are made anew. */
export const BLOCK_FORM = 1;

/** The vectors of a block's memories, rounded to integers. Row by row in the order of pk. */
export interface VectorBlock {
  readonly rowCount: number;
  /** Place of each row's memory in the block, rising. */
  readonly places: Uint8Array;
  /** Norm of the mean, which the similarity is multiplied by (SE-22). */
  readonly norms: Float64Array;
  /** What a row's integers are multiplied by. */
  readonly scales: Float32Array;
  /** Length of what rounding took from a row's vector, or a little more. */
  readonly errors: Float32Array;
  /** Integers from -127 to 127, `dims` of each row. */
  readonly values: Uint8Array;
  readonly unreadable: Uint8Array;
  /** Memories with token vectors. */
  readonly tokenMemories: number;
  /** The ids of their tokens, and behind them how many of them hold each. */
  readonly tokens: Uint16Array;
}

/** Bytes of a row besides its values: norm, scale, error, place. */
const ROW_BYTES = 8 + 4 + 4 + 1;
const LARGEST = 127;

/** The content of a block from the embeddings of its memories. A vector of another length or not finite is left out (SE-28). */
export function packBlock(members: readonly BlockMember[], dims: number): BlockContent {
  const rows = members.flatMap(({ place, state, norm, vector }) => {
    if (state !== 'ready' || norm === null || !Number.isFinite(norm) || vector?.length !== dims * 4) return [];
    const unit = vectorOfBytes(vector);
    return unit.every(Number.isFinite) ? [{ place, norm, ...rounded(unit) }] : [];
  });
  const unreadable = members.filter(({ state }) => state === 'unreadable');
  return {
    vectors: bytesOf(
      Float64Array.from(rows, ({ norm }) => norm),
      Float32Array.from(rows, ({ scale }) => scale),
      Float32Array.from(rows, ({ error }) => error),
      Uint8Array.from(rows, ({ place }) => place),
      ...rows.map(({ values }) => values),
    ),
    unreadable: Uint8Array.from(unreadable, ({ place }) => place),
    ...countTokens(members),
  };
}

export function readBlock(stored: BlockContent, dims: number): VectorBlock {
  const rowCount = Math.floor(stored.vectors.length / (ROW_BYTES + dims));
  // A copy: what comes from the database may lie anywhere, and these want to lie at multiples of their sizes.
  const head = new Uint8Array(stored.vectors.subarray(0, rowCount * ROW_BYTES)).buffer;
  return {
    rowCount,
    norms: new Float64Array(head, 0, rowCount),
    scales: new Float32Array(head, rowCount * 8, rowCount),
    errors: new Float32Array(head, rowCount * 12, rowCount),
    places: new Uint8Array(head, rowCount * 16, rowCount),
    values: stored.vectors.subarray(rowCount * ROW_BYTES),
    unreadable: stored.unreadable,
    tokenMemories: stored.tokenMemories,
    tokens: new Uint16Array(new Uint8Array(stored.tokens).buffer),
  };
}

/** A vector as integers, what they are multiplied by, and the length of the difference. */
function rounded(vector: Float32Array): { values: Uint8Array; scale: number; error: number } {
  const values = new Int8Array(vector.length);
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = Math.fround(largest / LARGEST);
  let squares = 0;
  for (let at = 0; at < vector.length && scale > 0; at++) {
    const value = vector[at] ?? 0;
    const integer = Math.max(-LARGEST, Math.min(LARGEST, Math.round(value / scale)));
    values[at] = integer;
    squares += (value - integer * scale) ** 2;
  }
  return { values: new Uint8Array(values.buffer), scale, error: Math.sqrt(squares) * ABOVE_ROUNDING };
}

/** What is kept as float32 must not become less than it was. */
const ABOVE_ROUNDING = 1 + 1e-6;

/** How many of the memories hold each token (SE-71). */
function countTokens(members: readonly BlockMember[]): Pick<BlockContent, 'tokenMemories' | 'tokens'> {
  const counts = new Map<number, number>();
  const withTokens = members.flatMap(({ tokens }) => (tokens === null ? [] : [tokens]));
  for (const tokens of withTokens)
    for (const id of new Set(tokenIds(tokens))) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ids = Uint16Array.from(counts.keys()).sort();
  return {
    tokenMemories: withTokens.length,
    tokens: bytesOf(
      ids,
      ids.map((id) => counts.get(id) ?? 0),
    ),
  };
}

function bytesOf(...parts: readonly (Float64Array | Float32Array | Uint16Array | Uint8Array)[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return bytes;
}
