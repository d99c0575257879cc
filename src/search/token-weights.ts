import type { SqliteDatabase } from '../store/native.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { FUNCTION_TOKEN_WEIGHT, readTokenRarity, scaledRarity, type TokenRarity } from './embed/token-rarity.ts';
import { ENOUGH_MEMORIES } from './term-weights.ts';
import { vectorMatrix } from './vector-matrix.ts';

let rarity: TokenRarity | null = null;

/** idf of a token from texts in general. @throws EngramError `model.missing`, `model.damaged` */
export function backgroundTokenWeight(id: number): number {
  rarity ??= readTokenRarity();
  return rarity.isFunction(id) ? FUNCTION_TOKEN_WEIGHT : rarity.background(id);
}

export function tokenText(id: number): string {
  rarity ??= readTokenRarity();
  return rarity.textOf(id);
}

/** idf of a token, half from the store's own texts once it has enough of them (SE-71). */
export function tokenWeight(db: SqliteDatabase, space: VectorSpace): (id: number) => number {
  const { tokenMemories, tokenCount } = vectorMatrix(db, space);
  if (tokenMemories < ENOUGH_MEMORIES) return backgroundTokenWeight;
  return (id) => {
    const background = backgroundTokenWeight(id);
    if (rarity?.isFunction(id) === true) return background;
    return (background + scaledRarity(tokenCount(id), tokenMemories)) / 2;
  };
}
