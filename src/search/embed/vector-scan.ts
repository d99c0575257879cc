import { readProgram } from './model-files.ts';

/** Many vectors of integers, and their scalar products with one query, of `dims` values each; and counts of tokens. */
export interface VectorScan {
  /** Makes room for so many rows; what was written stays. */
  reserve(rows: number): void;
  /** Writes rows from row `first` on: integers from -127 to 127, `dims` of each. */
  write(first: number, values: Uint8Array): void;
  setQuery(query: Float32Array): ScanQuery;
  /** What `dot` gives for these two, to the last bit. `vector` is the bytes of float32 values. */
  exactDot(query: Float32Array, vector: Uint8Array): number;
  /** Products of the query with `count` rows from `first` on; good until the next call. */
  scan(first: number, count: number): Int32Array;
  /**
   * How often each token comes in all blocks together, by its id.
   *
   * @param blocks - of each the ids that it has, and behind them how often each comes
   */
  tally(blocks: Iterable<Uint16Array>): Uint32Array;
}

/** A query as integers. */
export interface ScanQuery {
  /** What a product is multiplied by, besides the row's own scale. */
  readonly scale: number;
  /** Length of what rounding took from the query. */
  readonly error: number;
}

/** @throws EngramError `model.missing` */
export function openVectorScan(dims: number): VectorScan {
  const width = Math.ceil(dims / LANES) * LANES;
  const exactQueryAt = QUERY_AT + width * 2;
  const exactVectorAt = exactQueryAt + width * 4;
  const valuesAt = exactVectorAt + width * 4;
  const memory = new WebAssembly.Memory({ initial: pagesFor(valuesAt) });
  const module = new WebAssembly.Module(readProgram('nearest'));
  const program = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as NearestProgram;
  let room = 0;
  let exactQuery: Float32Array | null = null;
  let bytes = new Uint8Array(memory.buffer);
  return {
    reserve(rows) {
      if (rows <= room) return;
      room = Math.max(rows, Math.ceil(room * 1.25));
      const pages = pagesFor(valuesAt + room * (width + 4));
      memory.grow(Math.max(0, pages - memory.buffer.byteLength / PAGE_BYTES));
      bytes = new Uint8Array(memory.buffer);
    },
    write(first, values) {
      const target = new Uint8Array(memory.buffer, valuesAt + first * width);
      if (dims === width) return target.set(values);
      for (let row = 0; row * dims < values.length; row++) {
        target.set(values.subarray(row * dims, (row + 1) * dims), row * width);
      }
    },
    setQuery(query) {
      let largest = 0;
      for (const value of query) largest = Math.max(largest, Math.abs(value));
      // No sum of products of two integers exceeds an int32.
      const scale = largest / Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * dims)));
      const integers = new Int16Array(memory.buffer, QUERY_AT, width).fill(0);
      let squares = 0;
      for (let at = 0; at < dims && scale > 0; at++) {
        const value = query[at] ?? 0;
        const integer = Math.round(value / scale);
        integers[at] = integer;
        squares += (value - integer * scale) ** 2;
      }
      return { scale, error: Math.sqrt(squares) };
    },
    exactDot(query, vector) {
      if (exactQuery !== query) new Float32Array(memory.buffer, exactQueryAt, dims).set(query);
      exactQuery = query;
      bytes.set(vector, exactVectorAt);
      return program.exact(exactQueryAt, exactVectorAt, dims);
    },
    scan(first, count) {
      const productsAt = valuesAt + room * width;
      program.scan(QUERY_AT, valuesAt + first * width, count, width, productsAt);
      return new Int32Array(memory.buffer, productsAt, count);
    },
    tally(blocks) {
      const counts = new Uint32Array(memory.buffer, COUNTS_AT, TOKEN_IDS).fill(0);
      const staged = new Uint16Array(memory.buffer, BLOCK_COUNTS_AT, 2 * TOKEN_IDS);
      for (const tokens of blocks) {
        const ids = Math.min(TOKEN_IDS, tokens.length >> 1);
        staged.set(tokens.subarray(0, 2 * ids));
        program.tally(BLOCK_COUNTS_AT, ids, COUNTS_AT);
      }
      return counts.slice();
    },
  };
}

const LANES = 16;
const PAGE_BYTES = 65_536;
/** Ids are stored in two bytes. */
export const TOKEN_IDS = 65_536;
/** Below lies what the program itself may need. */
const COUNTS_AT = 1024;
const BLOCK_COUNTS_AT = COUNTS_AT + TOKEN_IDS * 4;
const QUERY_AT = BLOCK_COUNTS_AT + TOKEN_IDS * 4;

function pagesFor(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES);
}

/** What `kernel/nearest.ts` exports. */
interface NearestProgram {
  exact(one: number, other: number, dims: number): number;
  scan(query: number, first: number, rows: number, width: number, products: number): void;
  tally(tokens: number, ids: number, counts: number): void;
}
