import { listTokens } from '../store/embeddings.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { dot } from './embed/dot.ts';
import { PACKED_BYTES, type TokenVectors } from './embed/embedder.ts';
import { tokensOfBytes } from './embed/vector-bytes.ts';
import type { Meaning } from './meaning-arm.ts';
import { queryWeight, tokenText, tokenWeight } from './token-weights.ts';

/** What one token of the query found in a memory (SE-48). */
export interface TokenMatch {
  readonly token: string;
  readonly idf: number;
  /** The nearest token of the memory. */
  readonly found: string;
  readonly cosine: number;
}

/** For each token of `query` the nearest one of the memory; L0 is the mean of the cosines, weighted by idf (SE-71). */
export function explainTokens(
  db: SqliteDatabase,
  { space }: Pick<Meaning, 'space'>,
  query: TokenVectors,
  pk: number,
): TokenMatch[] {
  const [stored] = listTokens(db, space.space, [pk]);
  if (stored === undefined) return [];
  const memory = tokensOfBytes(stored.tokens);
  const [ours, theirs] = [unitVectors(query), unitVectors(memory)];
  const weightOf = queryWeight(query.ids, tokenWeight(db, space));
  return ours.map((vector, at) => {
    let [best, cosine] = [0, -1];
    for (const [place, other] of theirs.entries()) {
      const value = dot(vector, other);
      if (value > cosine) [best, cosine] = [place, value];
    }
    const id = query.ids[at] ?? 0;
    return { token: tokenText(id), idf: weightOf(id, at), found: tokenText(memory.ids[best] ?? 0), cosine };
  });
}

function unitVectors({ ids, packed }: TokenVectors): Float32Array[] {
  return Array.from(ids, (_, token) => {
    const vector = Float32Array.from({ length: 2 * PACKED_BYTES }, (_, at) => {
      const byte = packed[token * PACKED_BYTES + (at >> 1)] ?? 0;
      const half = at % 2 === 0 ? byte & 15 : byte >> 4;
      return half > 7 ? half - 16 : half;
    });
    const norm = Math.sqrt(dot(vector, vector)) || 1;
    return vector.map((value) => value / norm);
  });
}
