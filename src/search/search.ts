import { EngramError } from '../errors.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import { patientFor, type Transactable } from '../store/transaction.ts';
import { activeSpace, type VectorSpace } from '../store/vector-spaces.ts';
import { cutSecrets } from '../text/secrets.ts';
import type { QueryAnswer } from './answer.ts';
import { askedTexts } from './asked-texts.ts';
import type { Embedder } from './embed/embedder.ts';
import { embedMissing } from './embed-missing.ts';
import { type EmbedderSource, isOf } from './embedder-source.ts';
import type { PreparedMeaning } from './prepared-meaning.ts';
import { type QueryRequest, runQuery } from './query.ts';
import { hasQueryVector, isTransient, queryVectors } from './query-vectors.ts';
import { openSpace } from './space.ts';
import { monotonicMs } from './stopwatch.ts';
import { loadTokenWeights } from './token-weights.ts';
import { hasEveryVector, keepVectorBlocks } from './vector-matrix.ts';

/** What a question keeps for the next one is worth no longer wait for who writes the database; embedding it again takes less. */
const PATIENCE_MS = 50;
/** Texts that one question embeds at most, its own included, and for how long it begins new ones (SE-25). */
const MOST_TEXTS = 32;
const LONGEST_MS = 300;

/**
 * `runQuery` by words, meaning and token vectors: embeds the question unless it was asked before, and a few memories
 * whose vector is missing (SE-25). Without a model words answer alone (`no_model`).
 *
 * @throws EngramError `database.*`
 */
export async function search(
  store: Transactable,
  request: QueryRequest,
  source: EmbedderSource,
  nowMs: number,
): Promise<QueryAnswer> {
  const patient = patientFor(store, PATIENCE_MS);
  // No memory holds one, and the answer repeats what was asked (D14).
  const asked = { ...request, text: cutSecrets(request.text) };
  return runQuery(store, asked, await prepareMeaning(patient, asked, source, nowMs));
}

/**
 * Begins to load the model for a question that is asked soon, unless its vector is kept: threads read the weights while the
 * caller looks whether files have changed. Nothing goes wrong here that the question would not say.
 */
export async function anticipate(store: Transactable, text: string, source: EmbedderSource): Promise<void> {
  const [asked] = askedTexts({ text: cutSecrets(text) });
  if (asked === undefined) return;
  try {
    const embedder = await source.openForQuestion(store.db);
    const active = activeSpace(store.db);
    const isKept = active !== null && isOf(active, source.identity) && hasQueryVector(store.db, active.space, asked);
    if (!isKept && typeof embedder !== 'string') embedder.prepare?.();
  } catch {
    // The question itself meets it again.
  }
}

async function prepareMeaning(
  store: Transactable,
  request: QueryRequest,
  source: EmbedderSource,
  nowMs: number,
): Promise<PreparedMeaning> {
  const startedMs = monotonicMs();
  const texts = askedTexts(request);
  if (texts.length === 0) return { meaning: null, degraded: [] };
  try {
    const embedder = await source.openForQuestion(store.db);
    if (embedder === 'off') return { meaning: null, degraded: [] };
    if (typeof embedder === 'string') return { meaning: null, degraded: [embedder] };
    const space = await openedSpace(store, embedder);
    if (space === null) return { meaning: null, degraded: ['vectors_partial'] };
    const vectors = await queryVectors(store, space, embedder, texts, { most: MOST_TEXTS, nowMs });
    // A model whose answer is no vector is as good as none; a text that it cannot read has an entry.
    if (texts[0] !== undefined && !vectors.has(texts[0])) return NO_MODEL;
    if (space.background.fine !== null) loadTokenWeights();
    if (request.embedsMissing !== false && !hasEveryVector(store, space)) {
      const byWords = () => runQuery(store, request, { meaning: null, degraded: [] }).hits.map(({ name }) => name);
      await embedAFew(store, space, embedder, nowMs, MOST_TEXTS - texts.length, startedMs + LONGEST_MS, byWords);
    }
    return { meaning: { space, vectors }, degraded: [] };
  } catch (error) {
    if (isModelError(error)) return NO_MODEL;
    throw translateSqliteError(error);
  }
}

/** Null where the first question to a model finds the database busy: the next one opens its space. */
async function openedSpace(store: Transactable, embedder: Embedder): Promise<VectorSpace | null> {
  try {
    return await openSpace(store, embedder);
  } catch (raw) {
    const error = translateSqliteError(raw);
    if (isTransient(error)) return null;
    throw error;
  }
}

const NO_MODEL: PreparedMeaning = { meaning: null, degraded: ['no_model'] };

/**
 * Two texts a memory, those that words find first: they are what the question is about. Where they cannot be embedded or
 * written now, the vectors stay missing.
 */
async function embedAFew(
  store: Transactable,
  space: VectorSpace,
  embedder: Embedder,
  nowMs: number,
  mostTexts: number,
  deadlineMs: number,
  foundByWords: () => readonly string[],
): Promise<void> {
  const among = foundByWords();
  const leftMs = Math.floor(deadlineMs - monotonicMs());
  if (leftMs <= 0) return;
  const limits = { deadlineMs, batch: 2, signal: AbortSignal.timeout(leftMs) };
  const most = Math.floor(mostTexts / 2);
  try {
    const { embedded, failed, unreadable } = await embedMissing(store, space, embedder, nowMs, {
      ...limits,
      limit: most,
      among,
    });
    await embedMissing(store, space, embedder, nowMs, { ...limits, limit: most - embedded - failed - unreadable });
    keepVectorBlocks(store, space);
  } catch (error) {
    if (!isTransient(error) && !isModelError(error)) throw error;
  }
}

/** Whether nothing is wrong but that there is no usable model, so that words answer alone (SE-49). */
export function isModelError(error: unknown): error is EngramError {
  return error instanceof EngramError && error.code.startsWith('model.');
}
