import { closeSync, read } from 'node:fs';
import { PACKED_BYTES } from './embedder.ts';
import { damaged, openModelFile, readModelFile, readModelPart, readProgram } from './model-files.ts';

/** Most tokens of one pass, all its texts together, and of one text. */
export const CAPACITY = 256;
export const DIMENSIONS = 384;

/** The model, running. It keeps one block of memory and does one pass at a time. */
export interface Encoder {
  /**
   * Encodes texts in one pass.
   *
   * @param texts - token ids of each, at most CAPACITY of them together
   */
  encode(texts: readonly (readonly number[])[]): EncodedText[];
}

export interface EncodedText {
  /** DIMENSIONS values, norm 1. */
  readonly vector: Float32Array<ArrayBuffer>;
  /** The same of the states before the last layer, without what all texts have in common; DIMENSIONS values, norm 1. */
  readonly lower: Float32Array<ArrayBuffer>;
  /** A packed token vector for each token. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** The last hidden states, each scaled to norm 1, [tokens][DIMENSIONS]; good until the next pass. */
  readonly states: Float32Array<ArrayBuffer>;
}

export interface EncoderOptions {
  readonly directory: string;
  /** Reads the whole table of embeddings at once, 12 MB, instead of a row for each token. For many texts. */
  readonly wholeTable: boolean;
}

/**
 * Loads the model: the weights are read straight into WebAssembly's memory by threads while others compile the program.
 * The caller's thread is free meanwhile.
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export async function loadEncoder({ directory, wholeTable }: EncoderOptions): Promise<Encoder> {
  const descriptor = openModelFile(directory, 'weights');
  const memory = new WebAssembly.Memory({ initial: wholeTable ? PAGES_WITH_TABLE : PAGES });
  const reading = readWeights(descriptor, memory);
  const compiling = WebAssembly.compile(readProgram('encoder'));
  const [module] = await Promise.all([compiling, reading]);
  const program = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as EncoderProgram;
  checkPlaces(program);
  new Uint8Array(memory.buffer).set(readModelFile(directory, 'directions'), program.projection.value);
  const rows = wholeTable ? readTable(descriptor, memory, program) : readRowsOneByOne(descriptor, memory, program);
  const positions = readPositions(descriptor, memory, program);
  if (wholeTable) {
    positions(CAPACITY);
    closeSync(descriptor);
  }
  const centre = new Float32Array(readModelFile(directory, 'lowerCentre').buffer);
  return { encode: (texts) => encode(texts, memory, program, { rows, positions, centre }) };
}

/** What `kernel/encoder.ts` exports. */
interface EncoderProgram {
  readonly weights: WebAssembly.Global;
  readonly weightBytes: WebAssembly.Global;
  readonly positions: WebAssembly.Global;
  readonly projection: WebAssembly.Global;
  readonly lengths: WebAssembly.Global;
  readonly stagedRows: WebAssembly.Global;
  readonly states: WebAssembly.Global;
  readonly vectors: WebAssembly.Global;
  readonly lowerVectors: WebAssembly.Global;
  readonly tokenVectors: WebAssembly.Global;
  readonly table: WebAssembly.Global;
  placeToken(slot: number, row: number, position: number): void;
  encode(texts: number): void;
}

// Known before the program is, so that reading need not wait for it; `checkPlaces` compares them.
const WEIGHTS_AT = 1024;
const WEIGHT_BYTES = 10_822_656;
const POSITION_BYTES = CAPACITY * DIMENSIONS * 4;
const TABLE_IN_FILE = WEIGHT_BYTES + POSITION_BYTES;
const ROW_BYTES = 4 + DIMENSIONS;
const TABLE_BYTES = 30_522 * ROW_BYTES;
const PAGE_BYTES = 65_536;
const PAGES = 240;
const PAGES_WITH_TABLE = PAGES + Math.ceil(TABLE_BYTES / PAGE_BYTES);

function checkPlaces({ weights, weightBytes, table }: EncoderProgram): void {
  const fits = table.value <= PAGES * PAGE_BYTES;
  if (weights.value !== WEIGHTS_AT || weightBytes.value !== WEIGHT_BYTES || !fits) {
    throw damaged('the encoder', 'its program and this version of engram do not belong together');
  }
}

/** In as many parts as there may be cores for: copying into fresh memory is bound by page faults. */
async function readWeights(descriptor: number, memory: WebAssembly.Memory): Promise<void> {
  const bytes = new Uint8Array(memory.buffer, WEIGHTS_AT, WEIGHT_BYTES);
  const part = WEIGHT_BYTES / READERS;
  await Promise.all(
    Array.from({ length: READERS }, (_, each) =>
      readInto(descriptor, bytes.subarray(each * part, (each + 1) * part), each * part),
    ),
  );
}

const READERS = 2;

function readInto(descriptor: number, target: Uint8Array, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    read(descriptor, target, 0, target.length, position, (error, length) => {
      if (error !== null || length !== target.length)
        reject(damaged('the weights of the built-in model', 'they cannot be read', error));
      else resolve();
    });
  });
}

/** Gives the address of a token's embedding row, which must stay there until the pass is done. */
type RowFinder = (id: number, slot: number) => number;

function readTable(descriptor: number, memory: WebAssembly.Memory, { table }: EncoderProgram): RowFinder {
  readModelPart(descriptor, new Uint8Array(memory.buffer, table.value, TABLE_BYTES), TABLE_IN_FILE);
  return (id) => table.value + id * ROW_BYTES;
}

function readRowsOneByOne(descriptor: number, memory: WebAssembly.Memory, { stagedRows }: EncoderProgram): RowFinder {
  return (id, slot) => {
    const address = stagedRows.value + slot * ROW_BYTES;
    readModelPart(descriptor, new Uint8Array(memory.buffer, address, ROW_BYTES), TABLE_IN_FILE + id * ROW_BYTES);
    return address;
  };
}

/** Makes sure that the rows of the first `count` positions are in memory. */
type PositionReader = (count: number) => void;

function readPositions(descriptor: number, memory: WebAssembly.Memory, { positions }: EncoderProgram): PositionReader {
  let known = 0;
  return (count) => {
    if (count <= known) return;
    readModelPart(descriptor, new Uint8Array(memory.buffer, positions.value, count * DIMENSIONS * 4), WEIGHT_BYTES);
    known = count;
  };
}

interface ModelParts {
  readonly rows: RowFinder;
  readonly positions: PositionReader;
  /** Mean of the lower vectors of unrelated texts. */
  readonly centre: Float32Array;
}

function encode(
  texts: readonly (readonly number[])[],
  memory: WebAssembly.Memory,
  program: EncoderProgram,
  { rows: findRow, positions: readPositionsUpTo, centre }: ModelParts,
): EncodedText[] {
  const lengths = new Int32Array(memory.buffer, program.lengths.value, CAPACITY);
  let slot = 0;
  texts.forEach((ids, text) => {
    lengths[text] = ids.length;
    readPositionsUpTo(ids.length);
    ids.forEach((id, position) => {
      program.placeToken(slot, findRow(id, slot), position);
      slot++;
    });
  });
  program.encode(texts.length);
  let first = 0;
  return texts.map(({ length }, text) => {
    const vectorAt = program.vectors.value + text * DIMENSIONS * 4;
    const lowerAt = program.lowerVectors.value + text * DIMENSIONS * 4;
    const packedAt = program.tokenVectors.value + first * PACKED_BYTES;
    const statesAt = program.states.value + first * DIMENSIONS * 4;
    first += length;
    return {
      vector: new Float32Array(memory.buffer, vectorAt, DIMENSIONS).slice(),
      lower: centred(new Float32Array(memory.buffer, lowerAt, DIMENSIONS), centre),
      packed: new Uint8Array(memory.buffer, packedAt, length * PACKED_BYTES).slice(),
      states: new Float32Array(memory.buffer, statesAt, length * DIMENSIONS),
    };
  });
}

/** What remains of a vector without the centre, scaled to norm 1. */
function centred(vector: Float32Array, centre: Float32Array): Float32Array<ArrayBuffer> {
  const rest = Float32Array.from(vector, (value, at) => value - (centre[at] ?? 0));
  const norm = Math.sqrt(rest.reduce((sum, value) => sum + value * value, 0));
  return norm > 0 ? rest.map((value) => value / norm) : rest;
}
