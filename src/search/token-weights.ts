import { changeStamp } from '../store/change-stamp.ts';
import { eachTokens } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { FUNCTION_TOKEN_WEIGHT, readTokenRarity, scaledRarity, type TokenRarity } from './embed/token-rarity.ts';
import { tokenIds } from './embed/vector-bytes.ts';
import { ENOUGH_MEMORIES } from './term-weights.ts';

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
export function tokenWeight(db: SqliteDatabase, space: string): (id: number) => number {
  const { memories, counts } = tokenCounts(db, space);
  if (memories < ENOUGH_MEMORIES) return backgroundTokenWeight;
  return (id) => {
    const background = backgroundTokenWeight(id);
    if (rarity?.isFunction(id) === true) return background;
    return (background + scaledRarity(counts[id] ?? 0, memories)) / 2;
  };
}

interface TokenCounts {
  readonly memories: number;
  /** Memories that hold a token, by its id. */
  readonly counts: Uint32Array;
}

/** Kept until the database changes. */
function tokenCounts(db: SqliteDatabase, space: string): TokenCounts {
  const stamp = `${changeStamp(db)} ${space}`;
  const kept = countsAt.get(db);
  if (kept?.stamp === stamp) return kept.counts;
  const counts = new Uint32Array(65_536);
  const last = new Uint32Array(65_536);
  let memories = 0;
  eachTokens(db, space, (tokens) => {
    memories += 1;
    for (const id of tokenIds(tokens)) {
      if (last[id] === memories) continue;
      last[id] = memories;
      counts[id] = (counts[id] ?? 0) + 1;
    }
  });
  const found = { memories, counts };
  countsAt.set(db, { stamp, counts: found });
  return found;
}

const countsAt = new WeakMap<SqliteDatabase, { readonly stamp: string; readonly counts: TokenCounts }>();
