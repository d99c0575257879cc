/**
 * The vectors in an answer of `/v1/embeddings`, in the order of the texts that were sent, or why it is no such answer.
 * Values that are no numbers become NaN; what a vector is worth is for `acceptVector` to say.
 *
 * @param count - texts that were sent
 */
export function parseVectors(body: string, count: number): Float32Array<ArrayBuffer>[] | string {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return 'it is no JSON';
  }
  const data = property(answer, 'data');
  if (!Array.isArray(data)) return 'it has no list "data"';
  if (data.length !== count) return `it has ${data.length} vectors for ${count} texts`;
  const places = placesOf(data);
  if (places === null) return 'its vectors are not numbered from 0 on';
  const vectors: Float32Array<ArrayBuffer>[] = new Array(count);
  for (const [at, item] of data.entries()) {
    const vector = vectorOf(property(item, 'embedding'));
    if (vector === null) return 'it has a vector that is neither a list nor base64';
    vectors[places[at] ?? at] = vector;
  }
  return vectors;
}

/** What a server says went wrong, null where it says nothing that can be understood. */
export function parseErrorMessage(body: string): string | null {
  try {
    const answer: unknown = JSON.parse(body);
    const error = property(answer, 'error') ?? answer;
    const message = typeof error === 'string' ? error : (property(error, 'message') ?? property(answer, 'detail'));
    return typeof message === 'string' && message.trim() !== '' ? message : null;
  } catch {
    return null;
  }
}

/** Servers that number nothing answer in order. Null where numbers are missing, doubled or out of range. */
function placesOf(data: readonly unknown[]): number[] | null {
  const places = data.map((item) => property(item, 'index'));
  if (places.every((place) => place === undefined)) return data.map((_, at) => at);
  const seen = new Set(places.filter((place) => Number.isInteger(place) && isWithin(place as number, data.length)));
  return seen.size === data.length ? (places as number[]) : null;
}

function isWithin(place: number, length: number): boolean {
  return place >= 0 && place < length;
}

function vectorOf(value: unknown): Float32Array<ArrayBuffer> | null {
  if (typeof value === 'string') return fromBase64(value);
  if (!Array.isArray(value)) return null;
  return Float32Array.from(value, (each) => (typeof each === 'number' ? each : Number.NaN));
}

/** Floats of four bytes, the lowest first. */
function fromBase64(text: string): Float32Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) return null;
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
