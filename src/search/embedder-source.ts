import type { SqliteDatabase } from '../store/native.ts';
import { activeSpace } from '../store/vector-spaces.ts';
import { openBuiltIn } from './embed/built-in.ts';
import type { Embedder, EmbedderIdentity } from './embed/embedder.ts';
import type { OpenAiSettings } from './embed/openai.ts';

/** Who embeds: the model of the package, or a server that speaks `/v1/embeddings` (SE-20). */
export type EmbeddingSettings =
  | { readonly provider: 'built-in' }
  | ({
      readonly provider: 'openai';
      /** Where the key is looked up. */
      readonly environment: Readonly<Record<string, string | undefined>>;
    } & OpenAiSettings);

/** An identity whose number of values may not be known before the server was asked. */
export type ConfiguredIdentity = Omit<EmbedderIdentity, 'dims'> & { readonly dims: number | null };

/** Why a question is answered by words alone although there may be a model (SE-49). */
export type WithoutMeaning = 'model_changed' | 'vectors_partial';

/** The configured embedder, opened when it is needed. */
export interface EmbedderSource {
  readonly identity: ConfiguredIdentity;
  /**
   * For work on many texts; a server may have to be asked for its number of values.
   *
   * @throws EngramError `model.*`
   */
  open(db: SqliteDatabase): Promise<Embedder>;
  /**
   * For somebody who waits for an answer. Asks nobody, and never leads to vectors of another provider being dropped: words
   * answer alone until `embed apply`, a sync or the like has switched (SE-26).
   *
   * @throws EngramError `model.refused` where the key is missing
   */
  openForQuestion(db: SqliteDatabase): Promise<Embedder | WithoutMeaning>;
  /**
   * Looks whether the model is whole, and whether a server answers.
   *
   * @throws EngramError `model.*`
   */
  check(db: SqliteDatabase): Promise<void>;
}

/** @throws EngramError `config.invalid` for an address that is not allowed */
export async function embedderSource(settings: EmbeddingSettings): Promise<EmbedderSource> {
  if (settings.provider === 'built-in') {
    return { ...fixedSource(openBuiltIn()), check: async () => (await import('./embed/model-files.ts')).verifyModel() };
  }
  const { openAiIdentity, openOpenAi } = await import('./embed/openai.ts');
  const identity = { ...openAiIdentity(settings), dims: settings.dims };
  const knownDims = (db: SqliteDatabase) => {
    const active = activeSpace(db);
    return active !== null && isOf(active, identity) ? active.dims : null;
  };
  const { environment, timeoutMs } = settings;
  const open = (dims: number | null, firstAnswerMs?: number) =>
    openOpenAi(settings, { environment, knownDims: dims, ...(firstAnswerMs === undefined ? {} : { firstAnswerMs }) });
  return {
    identity,
    open: (db) => open(knownDims(db)),
    openForQuestion: async (db) => {
      const dims = knownDims(db);
      if (dims !== null) return open(dims);
      return activeSpace(db) === null ? 'vectors_partial' : 'model_changed';
    },
    // Without a number of values opening it asks the server already.
    check: async (db) => void (await (await open(knownDims(db), timeoutMs)).embed([PLAIN_WORD], 'query')),
  };
}

/** A source that is ready: a newer version of its model takes over in the middle of a question, at no cost. */
export function fixedSource(embedder: Embedder): EmbedderSource {
  return {
    identity: embedder.identity,
    open: async () => embedder,
    openForQuestion: async (db) => {
      const active = activeSpace(db);
      return active === null || active.provider === embedder.identity.provider ? embedder : 'model_changed';
    },
    check: async () => void (await embedder.embed([PLAIN_WORD], 'query')),
  };
}

const PLAIN_WORD = 'memory';

/** Whether vectors of this identity are what the configured embedder gives. */
export function isOf(identity: EmbedderIdentity, configured: ConfiguredIdentity): boolean {
  return (
    identity.provider === configured.provider &&
    identity.model === configured.model &&
    identity.revision === configured.revision &&
    identity.recipe === configured.recipe &&
    (configured.dims === null || identity.dims === configured.dims)
  );
}
