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
  /**
   * L0: the sum over the query's tokens of weight times the largest cosine to a token of the memory, over the sum of the
   * weights. At most 1; 0 when one of them has no tokens.
   *
   * @param packed - the memory's token vectors
   */
  explained(packed: Uint8Array): number;
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
  let queryTokens = 0;
  return {
    setQuery({ ids, packed }, weightOf) {
      queryTokens = Math.min(CAPACITY, ids.length);
      bytes.set(packed.subarray(0, queryTokens * program.packedBytes.value), program.query.value);
      for (let token = 0; token < queryTokens; token++) weights[token] = weightOf(ids[token] ?? 0, token);
      program.setQuery(queryTokens);
    },
    explained(packed) {
      const tokens = Math.min(CAPACITY, Math.floor(packed.length / program.packedBytes.value));
      bytes.set(packed.subarray(0, tokens * program.packedBytes.value), program.candidate.value);
      return program.explained(queryTokens, tokens);
    },
  };
}

/** What `kernel/late-interaction.ts` exports. */
interface LateInteractionProgram {
  readonly query: WebAssembly.Global;
  readonly candidate: WebAssembly.Global;
  readonly weights: WebAssembly.Global;
  readonly packedBytes: WebAssembly.Global;
  readonly end: WebAssembly.Global;
  setQuery(tokens: number): void;
  explained(queryTokens: number, memoryTokens: number): number;
}
