import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { activeSpace } from '../store/vector-spaces.ts';
import { openBuiltIn } from './embed/built-in.ts';
import type { Embedder, EmbedderIdentity } from './embed/embedder.ts';
import type { OpenAiSettings } from './embed/openai.ts';

/** Who embeds: the model of the package, a server that speaks `/v1/embeddings`, or by a person's choice nobody (SE-20). */
export type EmbeddingSettings =
  | { readonly provider: 'built-in' }
  | { readonly provider: 'none' }
  | ({
      readonly provider: 'openai';
      /** Where the key is looked up. */
      readonly environment: Readonly<Record<string, string | undefined>>;
    } & OpenAiSettings);

/** An identity whose number of values may not be known before the server was asked. */
export type ConfiguredIdentity = Omit<EmbedderIdentity, 'dims'> & { readonly dims: number | null };

/** Why a question is answered by words alone although there may be a model (SE-49); `off`: nobody wants another answer. */
export type WithoutMeaning = 'model_changed' | 'vectors_partial' | 'off';

/** The configured embedder, opened when it is needed. */
export interface EmbedderSource {
  readonly identity: ConfiguredIdentity;
  /**
   * For work on many texts; a server may have to be asked for its number of values.
   *
   * @param ask - asks it in any case: it may have got another model under the same name
   * @throws EngramError `model.*`
   */
  open(db: SqliteDatabase, ask?: boolean): Promise<Embedder>;
  /**
   * For somebody who waits for an answer. Asks nobody, and never leads to vectors of another provider being dropped: words
   * answer alone until `embed apply`, a sync or the like has switched (SE-26).
   *
   * @throws EngramError `model.refused` where the key is missing
   */
  openForQuestion(db: SqliteDatabase): Promise<Embedder | WithoutMeaning>;
  /**
   * Looks whether the model is whole, and whether a server answers, which the configured time is enough for.
   *
   * @throws EngramError `model.*`
   */
  check(db: SqliteDatabase): Promise<void>;
  /**
   * Embeds one word and returns what the vectors depend on; a server is given time to read its model.
   *
   * @throws EngramError `model.*`
   */
  probe(): Promise<EmbedderIdentity>;
}

/** @throws EngramError `config.invalid` for an address that is not allowed */
export async function embedderSource(settings: EmbeddingSettings): Promise<EmbedderSource> {
  if (settings.provider === 'none') return NOBODY;
  if (settings.provider === 'built-in') {
    const source = fixedSource(openBuiltIn());
    const check = async () => (await import('./embed/model-files.ts')).verifyModel();
    // Whoever embeds everything has the time to look whether the model is whole.
    const open: EmbedderSource['open'] = (db, ask = false) =>
      ask ? check().then(() => source.open(db)) : source.open(db);
    return { ...source, open, check, probe: () => check().then(source.probe) };
  }
  const { openAiIdentity, openOpenAi } = await import('./embed/openai.ts');
  let identity: ConfiguredIdentity = { ...openAiIdentity(settings), dims: settings.dims };
  const knownDims = (db: SqliteDatabase) => {
    const active = activeSpace(db);
    return active !== null && isOf(active, identity) ? active.dims : null;
  };
  const { environment, timeoutMs } = settings;
  const open = (dims: number | null, firstAnswerMs?: number) =>
    openOpenAi(settings, { environment, knownDims: dims, ...(firstAnswerMs === undefined ? {} : { firstAnswerMs }) });
  return {
    get identity() {
      return identity;
    },
    open: (db, ask = false) => open(ask ? null : knownDims(db)),
    openForQuestion: async (db) => {
      const dims = knownDims(db);
      if (dims !== null) return open(dims);
      return activeSpace(db) === null ? 'vectors_partial' : 'model_changed';
    },
    // Without a number of values opening it asks the server already.
    check: async (db) => void (await (await open(knownDims(db), timeoutMs)).embed([PLAIN_WORD], 'query')),
    probe: async () => {
      const found = await probed(await open(null));
      identity = found;
      return found;
    },
  };
}

const NO_IDENTITY: ConfiguredIdentity = { provider: 'none', model: 'none', revision: '', dims: null, recipe: '' };

function refuse(): never {
  throw new EngramError('model.off', 'the provider is none: memories are found by their words alone', {
    hint: 'Run: engram embed use built-in',
  });
}

const NOBODY: EmbedderSource = {
  identity: NO_IDENTITY,
  open: async () => refuse(),
  openForQuestion: async () => 'off',
  check: async () => {},
  probe: async () => refuse(),
};

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
    probe: () => probed(embedder),
  };
}

async function probed(embedder: Embedder): Promise<EmbedderIdentity> {
  const [embedding] = await embedder.embed([PLAIN_WORD], 'query', { patient: true });
  if (embedding?.fault === undefined) return embedder.identity;
  throw new EngramError('model.answer', `${embedder.identity.model}: ${embedding.fault}`, {
    hint: 'Is this a model for embeddings, and does it take embed.dims?',
  });
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
