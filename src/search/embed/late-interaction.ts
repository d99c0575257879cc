import type { TokenVectors } from './embedder.ts';
import { CAPACITY } from './encoder.ts';
import { damaged, readProgram } from './model-files.ts';

/** Compares one query with many memories, token by token (SE-71, SE-72). */
export interface LateInteraction {
  /**
   * Sets the query.
   *
   * @param weightOf - what the token at a place of the query counts, 0 or more
   */
  setQuery(query: TokenVectors, weightOf: (id: number, at: number) => number): void;
  /** Says which tokens of the query may cover a token of a memory; all of them until then. By id. */
  setCovering(covers: (id: number) => boolean): void;
  /**
   * L0: the sum over the query's tokens of weight times the largest cosine to a token of the memory, over the sum of the
   * weights. At most 1; 0 when one of them has no tokens.
   *
   * @param packed - the memory's token vectors
   */
  explained(packed: Uint8Array): number;
  /**
   * The other way round, of the memory that `explained` was asked about last: the sum over the memory's tokens of weight
   * times the largest cosine to a covering token of the query, over the sum of the weights.
   *
   * @param weights - of the memory's tokens in order
   */
  covered(weights: Float32Array): number;
}

/** @throws EngramError `model.missing`, `model.damaged` */
export function openLateInteraction(): LateInteraction {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const module = new WebAssembly.Module(readProgram('late-interaction'));
  const program = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as LateInteractionProgram;
  if (program.end.value > memory.buffer.byteLength)
    throw damaged('the late interaction', 'its program needs more memory');
  const bytes = new Uint8Array(memory.buffer);
  const weights = new Float32Array(memory.buffer, program.weights.value, CAPACITY);
  const covering = new Uint8Array(memory.buffer, program.covering.value, CAPACITY);
  const candidateWeights = new Float32Array(memory.buffer, program.candidateWeights.value, CAPACITY);
  let query: ArrayLike<number> = [];
  let queryTokens = 0;
  let memoryTokens = 0;
  return {
    setQuery({ ids, packed }, weightOf) {
      query = ids;
      queryTokens = Math.min(CAPACITY, ids.length);
      covering.fill(1);
      bytes.set(packed.subarray(0, queryTokens * program.packedBytes.value), program.query.value);
      for (let token = 0; token < queryTokens; token++) weights[token] = weightOf(ids[token] ?? 0, token);
      program.setQuery(queryTokens);
    },
    setCovering(covers) {
      for (let token = 0; token < queryTokens; token++) covering[token] = Number(covers(query[token] ?? 0));
      if (!covering.subarray(0, queryTokens).includes(1)) covering.fill(1);
    },
    explained(packed) {
      const tokens = Math.min(CAPACITY, Math.floor(packed.length / program.packedBytes.value));
      bytes.set(packed.subarray(0, tokens * program.packedBytes.value), program.candidate.value);
      memoryTokens = tokens;
      return program.explained(queryTokens, tokens);
    },
    covered(weights) {
      candidateWeights.set(weights.subarray(0, memoryTokens));
      return program.covered(memoryTokens);
    },
  };
}

/** What `kernel/late-interaction.ts` exports. */
interface LateInteractionProgram {
  readonly query: WebAssembly.Global;
  readonly candidate: WebAssembly.Global;
  readonly weights: WebAssembly.Global;
  readonly covering: WebAssembly.Global;
  readonly candidateWeights: WebAssembly.Global;
  readonly packedBytes: WebAssembly.Global;
  readonly end: WebAssembly.Global;
  setQuery(tokens: number): void;
  explained(queryTokens: number, memoryTokens: number): number;
  covered(memoryTokens: number): number;
}
