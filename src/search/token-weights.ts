import type { SqliteDatabase } from '../store/native.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { FUNCTION_TOKEN_WEIGHT, readTokenRarity, scaledRarity, type TokenRarity } from './embed/token-rarity.ts';
import { TOKEN_IDS } from './embed/vector-scan.ts';
import { ENOUGH_MEMORIES } from './term-weights.ts';
import { type VectorMatrix, vectorMatrix } from './vector-matrix.ts';

let rarity: TokenRarity | null = null;

/** Reads what tokens count, before anything depends on it. @throws EngramError `model.missing`, `model.damaged` */
export function loadTokenWeights(): void {
  rarity ??= readTokenRarity();
}

/** idf of a token from texts in general. @throws EngramError `model.missing`, `model.damaged` */
export function backgroundTokenWeight(id: number): number {
  rarity ??= readTokenRarity();
  return rarity.isFunction(id) ? FUNCTION_TOKEN_WEIGHT : rarity.background(id);
}

/** Whether a token says something by itself: a stop word or punctuation of a query covers nothing of a memory. */
export function isContentToken(id: number): boolean {
  rarity ??= readTokenRarity();
  return !rarity.isFunction(id);
}

export function tokenText(id: number): string {
  rarity ??= readTokenRarity();
  return rarity.textOf(id);
}

/** idf of a token, half from the store's own texts once it has enough of them (SE-71). */
export function tokenWeight(db: SqliteDatabase, space: VectorSpace): (id: number) => number {
  const matrix = vectorMatrix(db, space);
  const known = weightsIn.get(matrix);
  if (known !== undefined) return known;
  const weightOf = matrix.tokenMemories < ENOUGH_MEMORIES ? backgroundTokenWeight : keptByToken(weightAmong(matrix));
  weightsIn.set(matrix, weightOf);
  return weightOf;
}

const weightsIn = new WeakMap<VectorMatrix, (id: number) => number>();

function weightAmong({ tokenCount, tokenMemories }: VectorMatrix): (id: number) => number {
  return (id) => {
    const background = backgroundTokenWeight(id);
    if (rarity?.isFunction(id) === true) return background;
    return (background + scaledRarity(tokenCount(id), tokenMemories)) / 2;
  };
}

/** Memories share most of their tokens. */
function keptByToken(weightOf: (id: number) => number): (id: number) => number {
  const known = new Float64Array(TOKEN_IDS).fill(Number.NaN);
  return (id) => {
    const weight = known[id] ?? Number.NaN;
    if (!Number.isNaN(weight)) return weight;
    const found = weightOf(id);
    known[id] = found;
    return found;
  };
}

/**
 * What each token of a query counts: a word counts once, as the mean of its pieces, into however many the vocabulary cuts
 * it (SE-71).
 *
 * @param ids - the query's tokens in order
 */
export function queryWeight(
  ids: ArrayLike<number>,
  weightOf: (id: number) => number,
): (id: number, at: number) => number {
  const pieces = new Uint16Array(ids.length);
  for (let first = 0, next = 0; first < ids.length; first = next) {
    next = first + 1;
    while (next < ids.length && tokenText(ids[next] ?? 0).startsWith(INSIDE_A_WORD)) next++;
    pieces.fill(next - first, first, next);
  }
  return (id, at) => weightOf(id) / (pieces[at] ?? 1);
}

/** Begins the text of a token that is the rest of a word. */
const INSIDE_A_WORD = '##';
