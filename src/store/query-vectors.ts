import { withoutStamp } from './change-stamp.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';
import { isActiveSpace } from './vector-spaces.ts';

/** The vector of a query, as bytes; an empty one stands for a text that the model cannot read (SE-29). */
export interface StoredQueryVector {
  readonly vector: Uint8Array;
  readonly tokens: Uint8Array | null;
}

/** So many are kept, the oldest go first (SE-28). */
const MOST_QUERY_VECTORS = 1000;

export function findQueryVector(db: SqliteDatabase, space: string, textHash: string): StoredQueryVector | null {
  return oneRow<StoredQueryVector>(
    db,
    'SELECT vector, tokens FROM query_vectors WHERE text_hash = ? AND space = ?',
    textHash,
    space,
  );
}

/**
 * Keeps the vectors of queries by the hash of their texts, so that asking again costs no embedding (SE-28). Those of a
 * space that is no longer queried are dropped.
 */
export function keepQueryVectors(
  store: Transactable,
  space: string,
  vectors: readonly (StoredQueryVector & { readonly textHash: string })[],
  nowMs: number,
): void {
  const { db } = store;
  // They are nothing that other caches hang on, and nothing that a loss of power may not take: embedding brings them back.
  db.pragma('synchronous = NORMAL');
  try {
    withoutStamp(db, () =>
      immediately(store, () => {
        if (!isActiveSpace(db, space)) return;
        for (const { textHash, vector, tokens } of vectors) {
          run(
            db,
            `INSERT INTO query_vectors(text_hash, space, at_ms, vector, tokens) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT(text_hash, space) DO UPDATE SET at_ms = excluded.at_ms, vector = excluded.vector,
               tokens = excluded.tokens`,
            textHash,
            space,
            nowMs,
            vector,
            tokens,
          );
        }
        run(
          db,
          `DELETE FROM query_vectors WHERE rowid IN
             (SELECT rowid FROM query_vectors ORDER BY at_ms DESC, rowid DESC LIMIT -1 OFFSET ?)`,
          MOST_QUERY_VECTORS,
        );
      }),
    );
  } finally {
    db.pragma('synchronous = FULL');
  }
}
