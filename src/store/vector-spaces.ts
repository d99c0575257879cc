import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';

/** A space of vectors: those of one identity may be compared, no others (SE-21). */
export interface VectorSpace extends SpaceIdentity {
  /** Hash of the identity. */
  readonly space: string;
  /** Mean similarity of unrelated texts (SE-27), and what their tokens give; null where there are no token vectors. */
  readonly background: { readonly meaning: number; readonly fine: FineBackground | null };
}

/** Means over unrelated texts: L0, and the same the other way round (SE-71). */
export interface FineBackground {
  readonly explained: number;
  readonly covered: number;
}

export interface SpaceIdentity {
  readonly provider: string;
  readonly model: string;
  readonly revision: string;
  readonly dims: number;
  readonly recipe: string;
}

/** The one space that is queried. */
export function activeSpace(db: SqliteDatabase): VectorSpace | null {
  const row = oneRow<SpaceIdentity & { space: string; meaning: number | null; fine: string | null }>(
    db,
    `SELECT space, provider, model, revision, dims, recipe, background AS meaning,
       (SELECT value FROM meta WHERE key = 'fine-background:' || space) AS fine
     FROM vector_spaces WHERE active = 1`,
  );
  if (row === null || row.meaning === null) return null;
  const { meaning, fine: text, ...identity } = row;
  const fine = text === null ? null : parseFine(text);
  // Measured by other rules: whoever opens the space measures again.
  return fine === undefined ? null : { ...identity, background: { meaning, fine } };
}

function parseFine(text: string): FineBackground | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('explained' in value && 'covered' in value)) return undefined;
  const { explained, covered } = value;
  return typeof explained === 'number' && typeof covered === 'number' ? { explained, covered } : undefined;
}

/** Whether vectors of `space` may be written still: another process may have switched the model meanwhile (SE-26). */
export function isActiveSpace(db: SqliteDatabase, space: string): boolean {
  return oneRow(db, 'SELECT 1 FROM vector_spaces WHERE space = ? AND active = 1', space) !== null;
}

/** Makes `space` the active one and drops every other with its vectors (SE-26). */
export function activateSpace(store: Transactable, { background, ...space }: VectorSpace): void {
  immediately(store, () => {
    const { db } = store;
    run(db, 'DELETE FROM embeddings WHERE space <> ?', space.space);
    run(db, 'DELETE FROM query_vectors WHERE space <> ?', space.space);
    run(db, `DELETE FROM meta WHERE key LIKE 'fine-background:%'`);
    run(db, 'DELETE FROM vector_spaces');
    run(
      db,
      `INSERT INTO vector_spaces(space, provider, model, revision, dims, recipe, background, active)
       VALUES (?, ?, ?, ?, ?, ?, ?, 1)`,
      space.space,
      space.provider,
      space.model,
      space.revision,
      space.dims,
      space.recipe,
      background.meaning,
    );
    if (background.fine === null) return;
    run(
      db,
      'INSERT INTO meta(key, value) VALUES (?, ?)',
      `fine-background:${space.space}`,
      JSON.stringify(background.fine),
    );
  });
}
