import type { Embedder, Embedding } from '../../src/search/embed/embedder.ts';

/** Length of its vectors; unrelated texts are nearly orthogonal. */
const DIMS = 64;

export interface TestEmbedder {
  readonly embedder: Embedder;
  /** The texts it was given, in order. */
  readonly embedded: string[];
}

/** An embedder without token vectors that gives what `vectorOf` says of the texts it knows, and noise of each other one. */
export function noisyEmbedder(vectorOf: (text: string) => number[] | null = () => null): TestEmbedder {
  const embedded: string[] = [];
  const embedder: Embedder = {
    identity: { provider: 'test', model: 'test', revision: '1', dims: DIMS, recipe: '' },
    window: 256,
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map((text): Embedding => {
        const vector = Float32Array.from(vectorOf(text) ?? noiseOf(text));
        return { vector, tokens: null, isUnderstood: true };
      });
    },
  };
  return { embedder, embedded };
}

/** A vector of norm 1 that depends on the text alone. */
export function noiseOf(text: string): number[] {
  let state = [...text].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 2_147_483_647, 7);
  const values = Array.from({ length: DIMS }, () => {
    state = (state * 16_807 + 1) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  });
  const norm = Math.hypot(...values);
  return values.map((value) => value / norm);
}

/** A vector whose cosine to that of `text` is about `cosine`. */
export function near(text: string, cosine: number, other: string): number[] {
  const [one, two] = [noiseOf(text), noiseOf(other)];
  return one.map((value, at) => cosine * value + Math.sqrt(1 - cosine * cosine) * (two[at] ?? 0));
}
