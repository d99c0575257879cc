import { EngramError } from '../../errors.ts';
import { contentHash } from '../../text/content-hash.ts';
import { acceptVector } from './accept-vector.ts';
import { apiKey } from './api-key.ts';
import { openServer, type Patience, type Server, type Vectors } from './ask-server.ts';
import type { Embedder, EmbedderIdentity, Embedding } from './embedder.ts';
import { endpoint } from './endpoint.ts';

/** What the configuration says about a server that speaks `/v1/embeddings`. */
export interface OpenAiSettings {
  readonly url: string;
  readonly model: string;
  /** Name of the environment variable that holds the key; null where the server wants none. */
  readonly apiKeyEnv: string | null;
  readonly allowRemote: boolean;
  readonly allowHttp: boolean;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** Asked for; null for as many as the model gives by itself. */
  readonly dims: number | null;
  /** How long a question waits for its vector, all attempts together. */
  readonly timeoutMs: number;
}

export interface OpenAiOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The number of values, from earlier; where it is null the server is asked. */
  readonly knownDims: number | null;
  /** How long to wait for the answer that tells the number of values; 30,000 when not given: a server that was just
   * started reads its model first. */
  readonly firstAnswerMs?: number;
  /** First pause before a request is repeated; 500 when not given. */
  readonly pauseMs?: number;
  /** For one request with texts of memories; 120,000 when not given: a large model on a small machine is slow. */
  readonly requestMs?: number;
}

/** Texts of one request: what text-embeddings-inference takes at most. */
const BATCH_TEXTS = 32;
const BATCH_CHARACTERS = 100_000;
/** No model sees more of a text than this. */
const MOST_CHARACTERS = 32_768;
/** A text that is refused is sent again by half as long as it is longer than this: it may be too long for the model. */
const SURELY_SHORT = 500;
const ATTEMPTS = 6;
/** Requests at a time. A machine that computes for itself gains little by more. */
const LANES = { loopback: 2, remote: 4 };

/**
 * An embedder for OpenAI, Ollama, llama.cpp, LM Studio, text-embeddings-inference and every other server with
 * `POST /v1/embeddings` (SE-20). It has no token vectors, hence no fine arm (SE-73).
 *
 * A text that the server refuses, or for which it gives no usable vector, gets a `fault` among the documents and fails the
 * call among the queries. What has nothing to do with a text is thrown.
 *
 * @throws EngramError `config.invalid` for an address that is not allowed; and, where the number of values has to be asked
 *   for, `model.unreachable` (also while no time is left), `model.refused`, `model.answer`; these are what `embed` throws
 */
export async function openOpenAi(settings: OpenAiSettings, options: OpenAiOptions): Promise<Embedder> {
  const { pauseMs = 500, requestMs = 120_000, firstAnswerMs = 30_000 } = options;
  const target = endpoint(settings.url, settings);
  const server = openServer({
    ...settings,
    endpoint: target,
    apiKey: apiKey(settings.apiKeyEnv, options.environment, 'embed.api_key_env'),
    pauseMs,
  });
  const identity = openAiIdentity(settings);
  const dims = settings.dims ?? options.knownDims ?? (await askDims(server, settings, firstAnswerMs));
  const lanes = target.isLoopback ? LANES.loopback : LANES.remote;
  return {
    identity: { ...identity, dims },
    window: Number.POSITIVE_INFINITY,
    async embed(texts, kind, { signal, patient = false } = {}) {
      const isQuery = kind === 'query';
      const isAsked = isQuery && !patient;
      const patience: Patience = isAsked
        ? { requestMs: settings.timeoutMs, untilMs: performance.now() + settings.timeoutMs, attempts: ATTEMPTS, signal }
        : { requestMs, untilMs: Number.POSITIVE_INFINITY, attempts: ATTEMPTS, signal };
      const prefix = isQuery ? settings.queryPrefix : settings.documentPrefix;
      const results: Embedding[] = texts.map(() => NOT_UNDERSTOOD(dims));
      const queue = batches(
        texts.map((text) => (text.trim() === '' ? null : prefix + shortened(text, MOST_CHARACTERS))),
      );
      const work = async () => {
        for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
          const sent = batch.map(({ text }) => text);
          const answers = await embedBatch(server, sent, patience).catch((error) => {
            queue.length = 0;
            throw error;
          });
          for (const [place, { at }] of batch.entries()) results[at] = embedding(answers[place], dims, isAsked);
        }
      };
      await Promise.all(Array.from({ length: Math.min(lanes, queue.length) }, work));
      return results;
    },
  };
}

/**
 * What the vectors depend on, but for their number of values. The same model at another address is another one: nobody
 * says which weights a server has.
 *
 * @throws EngramError `config.invalid` for an address that is not allowed
 */
export function openAiIdentity(settings: OpenAiSettings): Omit<EmbedderIdentity, 'dims'> {
  const { url } = endpoint(settings.url, settings);
  return { provider: 'openai', model: settings.model, revision: revisionOf(url), recipe: recipeOf(settings) };
}

/** The address; of what stands behind its `?`, which may be a key, no more than tells it from another (D14). */
function revisionOf({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : `?${contentHash(search).slice(0, 12)}`}`;
}

/** Prefixes are part of what a vector depends on, and so is a number of values that was asked for (SE-20, SE-21). */
function recipeOf({ queryPrefix, documentPrefix, dims }: OpenAiSettings): string {
  return JSON.stringify({ version: 1, query: queryPrefix, document: documentPrefix, asked_dims: dims });
}

async function askDims(server: Server, { documentPrefix }: OpenAiSettings, requestMs: number): Promise<number> {
  const patience = { requestMs, untilMs: performance.now() + requestMs, attempts: ATTEMPTS };
  const [vector] = vectorsOf(await server.ask([documentPrefix + SHORT_TEXT], patience));
  const length = vector?.length ?? 0;
  const unit = acceptVector(vector ?? new Float32Array(), length);
  if (typeof unit !== 'string') return length;
  throw new EngramError('model.answer', `the server has no usable vector for a plain word: ${unit}`, {
    hint: 'Is this a model for embeddings?',
  });
}

const SHORT_TEXT = 'memory';

interface BatchText {
  readonly at: number;
  readonly text: string;
}

/** Texts without a place are left out. */
function batches(texts: readonly (string | null)[]): BatchText[][] {
  const all: BatchText[][] = [];
  let characters = 0;
  for (const [at, text] of texts.entries()) {
    if (text === null) continue;
    const last = all.at(-1);
    characters += text.length;
    if (last !== undefined && last.length < BATCH_TEXTS && characters <= BATCH_CHARACTERS) last.push({ at, text });
    else {
      all.push([{ at, text }]);
      characters = text.length;
    }
  }
  return all;
}

/** A vector, or why there is none for this text. */
type Answer = Float32Array<ArrayBuffer> | string;

async function embedBatch(server: Server, texts: readonly string[], patience: Patience): Promise<Answer[]> {
  const outcome = await server.ask(texts, patience);
  if (outcome.kind === 'vectors') return outcome.vectors;
  // One text that a server cannot digest fails the whole request; a server that digests nothing is at fault itself.
  if (!outcome.mayBeText || (await server.ask([SHORT_TEXT], { ...patience, attempts: 1 })).kind === 'error')
    throw outcome.error;
  return isolate(server, texts, { ...patience, attempts: 1 }, outcome.error);
}

/** Halves texts that failed together until each that is at fault stands alone. */
async function isolate(
  server: Server,
  texts: readonly string[],
  patience: Patience,
  error: EngramError,
): Promise<Answer[]> {
  const [text = ''] = texts;
  if (texts.length === 1 && text.length <= SURELY_SHORT) return [error.message];
  const half = Math.ceil(texts.length / 2);
  const parts =
    texts.length === 1 ? [[shortened(text, Math.ceil(text.length / 2))]] : [texts.slice(0, half), texts.slice(half)];
  const answers: Answer[] = [];
  for (const part of parts) {
    const outcome = await server.ask(part, patience);
    if (outcome.kind === 'vectors') answers.push(...outcome.vectors);
    else if (outcome.mayBeText) answers.push(...(await isolate(server, part, patience, outcome.error)));
    else throw outcome.error;
  }
  return answers;
}

function vectorsOf(outcome: Vectors): Float32Array<ArrayBuffer>[] {
  if (outcome.kind === 'vectors') return outcome.vectors;
  throw outcome.error;
}

/** Cut at a character. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

function embedding(answer: Answer | undefined, dims: number, isAsked: boolean): Embedding {
  const vector =
    answer === undefined || typeof answer === 'string' ? (answer ?? 'no answer') : acceptVector(answer, dims);
  if (typeof vector !== 'string') return { vector, tokens: null, isUnderstood: true };
  if (isAsked) {
    throw new EngramError('model.answer', `the question has no vector: ${vector}`, {
      hint: 'The configured model may have changed; see: engram embed status',
    });
  }
  return { vector: new Float32Array(), tokens: null, isUnderstood: true, fault: vector };
}

/** A text without a character to read (SE-29). */
const NOT_UNDERSTOOD = (dims: number): Embedding => ({
  vector: new Float32Array(dims),
  tokens: null,
  isUnderstood: false,
});
