import { embedTokenised, tokenise } from './embed-texts.ts';
import type { Embedder, EmbedderIdentity } from './embedder.ts';
import { CAPACITY, DIMENSIONS, type Encoder, loadEncoder } from './encoder.ts';
import { MODEL_DIRECTORY, MODEL_FILES, readModelFile } from './model-files.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

/** all-MiniLM-L6-v2 as the package ships it (SE-20). */
export const BUILT_IN_IDENTITY: EmbedderIdentity = {
  provider: 'built-in',
  model: 'all-MiniLM-L6-v2',
  revision: MODEL_FILES.weights.sha256.slice(0, 12),
  dims: DIMENSIONS,
  // The kernel's arithmetic; the directions of token vectors; the centre of second vectors.
  recipe: `2:${MODEL_FILES.directions.sha256.slice(0, 12)}:${MODEL_FILES.lowerCentre.sha256.slice(0, 12)}`,
};

/** An embedder for few texts: queries and single memories. For many see `bulk.ts`. */
export interface BuiltInEmbedder extends Embedder {
  /** Threads load the model while the caller goes on. */
  prepare(): void;
}

/**
 * Opens the built-in model. Nothing is read before `prepare` or the first `embed`. `embed` runs on the caller's thread.
 *
 * @param directory - where the model lies, for tests
 */
export function openBuiltIn(directory: string = MODEL_DIRECTORY): BuiltInEmbedder {
  let loading: Promise<Encoder> | null = null;
  let vocabulary: Vocabulary | null = null;
  const load = () => {
    loading ??= loadEncoder({ directory, wholeTable: false });
    return loading;
  };
  return {
    identity: BUILT_IN_IDENTITY,
    window: CAPACITY,
    prepare() {
      load().catch(() => undefined);
    },
    async embed(texts, kind) {
      const encoder = load();
      // While the weights are read.
      encoder.catch(() => undefined);
      vocabulary ??= readVocabulary(readModelFile(directory, 'vocabulary'));
      const tokenised = tokenise(texts, vocabulary);
      return embedTokenised(tokenised, kind, await encoder, vocabulary);
    },
  };
}
