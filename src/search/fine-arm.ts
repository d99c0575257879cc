import { listTokens } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { type LateInteraction, openLateInteraction } from './embed/late-interaction.ts';
import { packedTokens } from './embed/vector-bytes.ts';
import type { Meaning } from './meaning-arm.ts';
import type { QueryVector } from './query-vectors.ts';
import { aboveBackground } from './relevance.ts';
import { queryWeight, tokenWeight } from './token-weights.ts';

export interface FineFigures {
  /** L0. */
  readonly explained: number;
  /** L, 0 or more. */
  readonly evidence: number;
}

/** So many of the best by A and of the best by E get L (SE-72). */
export const FINE_CANDIDATES = 60;

/**
 * The fine arm for one text over the given memories (SE-71): its figures by pk. None where the provider gives no token
 * vectors (SE-73).
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export function fineFigures(
  db: SqliteDatabase,
  { space }: Meaning,
  { tokens }: QueryVector,
  memories: FineMemories,
): ReadonlyMap<number, FineFigures> {
  const figures = new Map<number, FineFigures>();
  const { fine } = space.background;
  if (tokens === null || fine === null || memories.size === 0) return figures;
  interaction ??= openLateInteraction();
  interaction.setQuery(tokens, queryWeight(tokens.ids, tokenWeight(db, space)));
  for (const [pk, packed] of memories) {
    const explained = interaction.explained(packed);
    figures.set(pk, { explained, evidence: Math.max(0, aboveBackground(explained, fine)) });
  }
  return figures;
}

/** Packed token vectors by pk. */
export type FineMemories = ReadonlyMap<number, Uint8Array>;

export function fineMemories(db: SqliteDatabase, { space }: Meaning, pks: readonly number[]): FineMemories {
  if (space.background.fine === null) return new Map();
  return new Map(listTokens(db, space.space, pks).map(({ pk, tokens }) => [pk, packedTokens(tokens)]));
}

let interaction: LateInteraction | null = null;
