import type { Clock } from '../clock.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import type { Transactable } from '../store/transaction.ts';
import type { EmbedderSource } from './embedder-source.ts';
import type { FillOptions } from './fill-embeddings.ts';

const LONGEST_NEW_MS = 2000;

/** What may be embedded in an open store; its parts are loaded when they are needed. @param current - the store by now */
export function embeddingWork(
  current: () => Transactable & { readonly readOnly: boolean },
  source: EmbedderSource,
  clock: Clock,
) {
  const embed = async (options?: FillOptions) => {
    const store = current();
    if (store.readOnly) return null;
    const { fillEmbeddings } = await import('./fill-embeddings.ts');
    try {
      return await fillEmbeddings(store, await source.open(store.db, options?.ask), clock(), options);
    } catch (error) {
      throw translateSqliteError(error);
    }
  };
  const embedNew = async () => {
    const store = current();
    if (store.readOnly) return null;
    const [{ fillEmbeddings }, { isModelError }] = await Promise.all([
      import('./fill-embeddings.ts'),
      import('./search.ts'),
    ]);
    try {
      const embedder = await source.openForQuestion(store.db);
      if (typeof embedder !== 'string') await fillEmbeddings(store, embedder, clock(), { longestMs: LONGEST_NEW_MS });
      return null;
    } catch (error) {
      if (isModelError(error)) return error;
      throw translateSqliteError(error);
    }
  };
  const embedding = async () => {
    const { embeddingStatus } = await import('./embedding-status.ts');
    return embeddingStatus(current(), source);
  };
  return { embed, embedNew, embedding };
}
