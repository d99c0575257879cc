import { listTokens } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { FineBackground } from '../store/vector-spaces.ts';
import { type LateInteraction, openLateInteraction } from './embed/late-interaction.ts';
import { packedTokens, tokenIds } from './embed/vector-bytes.ts';
import type { Meaning } from './meaning-arm.ts';
import type { QueryVector } from './query-vectors.ts';
import { aboveBackground } from './relevance.ts';
import { isContentToken, queryWeight, tokenWeight } from './token-weights.ts';

export interface FineFigures {
  /** L0. */
  readonly explained: number;
  /** L, 0 or more. */
  readonly evidence: number;
  /** The other way round; null where nobody asked for it. */
  readonly coverage: Coverage | null;
}

/** How much of the memory the query covers. */
export interface Coverage {
  /** C0. */
  readonly covered: number;
  /** C, 0 or more. */
  readonly evidence: number;
  /** Of the memory. */
  readonly tokens: number;
}

/** So many of the best by A and of the best by E get L (SE-72). */
export const FINE_CANDIDATES = 60;

/**
 * The fine arm for one text over the given memories (SE-71): its figures by pk. None where the provider gives no token
 * vectors (SE-73).
 *
 * @param withCoverage - the other way round too, which only the order needs
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export function fineFigures(
  db: SqliteDatabase,
  { space }: Meaning,
  { tokens }: QueryVector,
  memories: FineMemories,
  withCoverage: boolean,
): ReadonlyMap<number, FineFigures> {
  const figures = new Map<number, FineFigures>();
  const { fine } = space.background;
  if (tokens === null || fine === null || memories.size === 0) return figures;
  interaction ??= openLateInteraction();
  const weightOf = tokenWeight(db, space);
  interaction.setQuery(tokens, queryWeight(tokens.ids, weightOf));
  if (withCoverage) interaction.setCovering(isContentToken);
  for (const [pk, { packed, ids }] of memories) {
    const explained = interaction.explained(packed);
    const evidence = Math.max(0, aboveBackground(explained, fine.explained));
    figures.set(pk, {
      explained,
      evidence,
      coverage: withCoverage ? coverageOf(interaction, ids, weightOf, fine) : null,
    });
  }
  return figures;
}

function coverageOf(
  { covered }: LateInteraction,
  ids: Uint16Array,
  weightOf: (id: number) => number,
  background: FineBackground,
): Coverage {
  // A loop: `from` goes through an iterator, which a cold process feels.
  const weights = new Float32Array(ids.length);
  for (let at = 0; at < ids.length; at++) weights[at] = weightOf(ids[at] ?? 0);
  const figure = covered(weights);
  return { covered: figure, evidence: Math.max(0, aboveBackground(figure, background.covered)), tokens: ids.length };
}

/** Tokens of a memory and their packed vectors. */
export interface FineMemory {
  readonly ids: Uint16Array;
  readonly packed: Uint8Array;
}

/** By pk. */
export type FineMemories = ReadonlyMap<number, FineMemory>;

export function fineMemories(db: SqliteDatabase, { space }: Meaning, pks: readonly number[]): FineMemories {
  if (space.background.fine === null || pks.length === 0) return new Map();
  return new Map(
    listTokens(db, space.space, pks).map(({ pk, tokens }) => [
      pk,
      { ids: tokenIds(tokens), packed: packedTokens(tokens) },
    ]),
  );
}

let interaction: LateInteraction | null = null;
