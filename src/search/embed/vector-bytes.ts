import { PACKED_BYTES, type TokenVectors } from './embedder.ts';

/** Bytes of a token in the database: its id, then its packed vector; all ids stand before all vectors. */
const TOKEN_BYTES = 2 + PACKED_BYTES;

export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** A copy, since bytes from the database may lie anywhere. */
export function vectorOfBytes(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(Math.floor(bytes.length / 4));
  new Uint8Array(vector.buffer).set(bytes.subarray(0, vector.length * 4));
  return vector;
}

export function tokenBytes({ ids, packed }: TokenVectors): Uint8Array {
  const bytes = new Uint8Array(ids.length * TOKEN_BYTES);
  bytes.set(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  bytes.set(packed, ids.byteLength);
  return bytes;
}

export function tokensOfBytes(bytes: Uint8Array): TokenVectors {
  return { ids: tokenIds(bytes), packed: packedTokens(bytes) as Uint8Array<ArrayBuffer> };
}

/** A copy. */
export function tokenIds(bytes: Uint8Array): Uint16Array<ArrayBuffer> {
  const ids = new Uint16Array(Math.floor(bytes.length / TOKEN_BYTES));
  new Uint8Array(ids.buffer).set(bytes.subarray(0, ids.length * 2));
  return ids;
}

export function packedTokens(bytes: Uint8Array): Uint8Array {
  const tokens = Math.floor(bytes.length / TOKEN_BYTES);
  return bytes.subarray(tokens * 2, tokens * TOKEN_BYTES);
}
