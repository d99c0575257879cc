import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { findQueryVector, keepQueryVectors, type StoredQueryVector } from '../store/query-vectors.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { sha256 } from '../text/sha256.ts';
import { searchVector } from './embed/accept-vector.ts';
import type { Embedder, Embedding, TokenVectors } from './embed/embedder.ts';
import { tokenBytes, tokensOfBytes, vectorBytes, vectorOfBytes } from './embed/vector-bytes.ts';

/** A text that is asked, as the model sees it. */
export interface QueryVector {
  /** Norm 1. */
  readonly vector: Float32Array;
  readonly tokens: TokenVectors | null;
}

/**
 * The vectors of texts by text, null for one that the model cannot read (SE-29). Those asked before come from the
 * database, the others are embedded, at most `most` of them, and kept (SE-25, SE-28). A text without an entry was not
 * embedded.
 *
 * @throws EngramError `model.*`, `database.*`
 */
export async function queryVectors(
  store: Transactable,
  { space, dims }: VectorSpace,
  embedder: Embedder,
  texts: readonly string[],
  { most, nowMs }: { readonly most: number; readonly nowMs: number },
): Promise<ReadonlyMap<string, QueryVector | null>> {
  const found = new Map<string, QueryVector | null>();
  const missing: { text: string; textHash: string }[] = [];
  for (const text of new Set(texts)) {
    const textHash = sha256(text);
    const kept = findQueryVector(store.db, space, textHash);
    if (kept === null) missing.push({ text, textHash });
    else found.set(text, fromStore(kept));
  }
  const asked = missing.slice(0, most);
  if (asked.length === 0) return found;
  const embeddings = await embedder.embed(
    asked.map(({ text }) => text),
    'query',
  );
  const kept = asked.flatMap(({ text, textHash }, at) => {
    const vector = embeddings[at] === undefined ? null : accepted(embeddings[at], dims);
    if (vector === null) return [];
    found.set(text, vector === 'unreadable' ? null : vector);
    return [{ textHash, ...toStore(vector) }];
  });
  if (kept.length > 0) unlessBusy(() => keepQueryVectors(store, space, kept, nowMs));
  return found;
}

/** Whether asking this text costs no embedding. */
export function hasQueryVector(db: SqliteDatabase, space: string, text: string): boolean {
  return findQueryVector(db, space, sha256(text)) !== null;
}

/** What a question keeps for the next one may fail to be kept; the question is answered all the same. */
function unlessBusy(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isTransient(error)) throw error;
  }
}

/** Whether nothing is wrong but that the database cannot be written at this moment. */
export function isTransient(error: unknown): boolean {
  return error instanceof EngramError && (error.code === 'database.busy' || error.code === 'disk.full');
}

/** A vector that is none counts as one that could not be had (SE-24). */
function accepted(embedding: Embedding, dims: number): QueryVector | 'unreadable' | null {
  if (!embedding.isUnderstood) return 'unreadable';
  const vector = searchVector(embedding, dims);
  return typeof vector === 'string' ? null : { vector, tokens: embedding.tokens };
}

function fromStore({ vector, tokens }: StoredQueryVector): QueryVector | null {
  if (vector.length === 0) return null;
  return { vector: vectorOfBytes(vector), tokens: tokens === null ? null : tokensOfBytes(tokens) };
}

function toStore(vector: QueryVector | 'unreadable'): StoredQueryVector {
  if (vector === 'unreadable') return { vector: new Uint8Array(0), tokens: null };
  return {
    vector: vectorBytes(vector.vector),
    tokens: vector.tokens === null ? null : tokenBytes(vector.tokens),
  };
}
