// The shape of all-MiniLM-L6-v2, a BERT encoder, and where each thing lies in the memory that the host provides.

export const LAYERS: i32 = 6;
export const HIDDEN: i32 = 384;
export const HEADS: i32 = 12;
export const HEAD: i32 = HIDDEN / HEADS;
export const INNER: i32 = 1536;
/** Directions that a token vector keeps (SE-70). */
export const DIRECTIONS: i32 = 96;
/** Most tokens of one call, all its texts together; also the model's window, so that one text always fits. Divides by four. */
export const CAPACITY: i32 = 256;

/** Bytes of a linear layer: int8 weights of all outputs and inputs (their order: linear.ts), a float32 scale an output, a float32 bias an output. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function linearBytes(outputs: i32, inputs: i32): i32 {
  return outputs * inputs + outputs * 8;
}

/** Bytes of a layer norm: float32 gain [HIDDEN], float32 bias [HIDDEN]. */
export const NORM_BYTES: i32 = HIDDEN * 8;

export const LAYER_BYTES: i32 =
  3 * HIDDEN * (HIDDEN + 8) + // query, key and value, one under the other
  HIDDEN * (HIDDEN + 8) + // output of the attention
  NORM_BYTES +
  INNER * (HIDDEN + 8) +
  HIDDEN * (INNER + 8) +
  NORM_BYTES;

/** Six layers, then the layer norm of the embeddings. */
export const WEIGHT_BYTES: i32 = LAYERS * LAYER_BYTES + NORM_BYTES;
export const POSITION_BYTES: i32 = CAPACITY * HIDDEN * 4;
export const PROJECTION_BYTES: i32 = DIRECTIONS * (HIDDEN + 8);
/** An embedding row: a float32 scale, then int8 values [HIDDEN]. */
export const ROW_BYTES: i32 = 4 + HIDDEN;

// What the host fills.
export const WEIGHTS: usize = 1024;
export const POSITIONS: usize = WEIGHTS + WEIGHT_BYTES;
export const PROJECTION: usize = POSITIONS + POSITION_BYTES;
export const LENGTHS: usize = PROJECTION + PROJECTION_BYTES;
export const STAGED_ROWS: usize = LENGTHS + CAPACITY * 4;

// What the kernel works in; 64 = a cache line.
/** float32 [tokens][HIDDEN]: the hidden states, and the last ones when a call is done. */
export const STATES: usize = (STAGED_ROWS + CAPACITY * ROW_BYTES + 63) & ~63;
/** float32 [tokens][INNER]: queries, keys and values of the attention; the inner layer; projected tokens. */
export const WIDE: usize = STATES + CAPACITY * HIDDEN * 4;
/** float32 [tokens][HIDDEN]: what an attention or a layer adds to the states. */
export const CHANGE: usize = WIDE + CAPACITY * INNER * 4;
/** int16 [tokens][INNER] and float32 [tokens]: the input of a matrix product. */
export const QUANTISED: usize = CHANGE + CAPACITY * HIDDEN * 4;
export const QUANTISED_SCALES: usize = QUANTISED + CAPACITY * INNER * 2;
/** float32 [CAPACITY][HEAD]: the keys of one head, turned. */
export const TURNED_KEYS: usize = QUANTISED_SCALES + CAPACITY * 4;
/** float32 [CAPACITY]: attention of one token to all. */
export const SCORES: usize = TURNED_KEYS + HEAD * CAPACITY * 4;
/** float32 [texts][HIDDEN]: the unit vectors. */
export const VECTORS: usize = SCORES + CAPACITY * 4;
/** The same of the states before the last layer. */
export const LOWER_VECTORS: usize = VECTORS + CAPACITY * HIDDEN * 4;
/** int8 [tokens][DIRECTIONS / 2]: the token vectors, two values a byte. */
export const TOKEN_VECTORS: usize = LOWER_VECTORS + CAPACITY * HIDDEN * 4;
/** Where a host that embeds many texts may put the whole table of embedding rows. */
export const TABLE: usize = TOKEN_VECTORS + CAPACITY * (DIRECTIONS / 2);
