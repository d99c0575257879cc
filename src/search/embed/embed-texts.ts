import { type Embedding, PACKED_BYTES, type TextKind, type TokenVectors } from './embedder.ts';
import { CAPACITY, type EncodedText, type Encoder } from './encoder.ts';
import { isFunctionToken } from './function-tokens.ts';
import { encodeText } from './tokens.ts';
import { isUnderstood } from './understood.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A text with its token ids, cut at the window. */
export interface TokenisedText {
  readonly text: string;
  readonly ids: readonly number[];
}

export function tokenise(texts: readonly string[], vocabulary: Vocabulary): TokenisedText[] {
  return texts.map((text) => ({ text, ids: encodeText(text, vocabulary, CAPACITY) }));
}

/** Embeds texts in order, as many in one pass as fit: a matrix product over few tokens costs more a token. */
export function embedTokenised(
  texts: readonly TokenisedText[],
  kind: TextKind,
  encoder: Encoder,
  vocabulary: Vocabulary,
): Embedding[] {
  return passes(texts).flatMap((pass) => {
    const encoded = encoder.encode(pass.map(({ ids }) => ids));
    return encoded.map((each, at) => embedding(pass[at] ?? NOTHING, each, kind, vocabulary));
  });
}

const NOTHING: TokenisedText = { text: '', ids: [] };

function passes(texts: readonly TokenisedText[]): TokenisedText[][] {
  const all: TokenisedText[][] = [];
  let room = 0;
  for (const each of texts) {
    if (each.ids.length > room) {
      all.push([]);
      room = CAPACITY;
    }
    all.at(-1)?.push(each);
    room -= each.ids.length;
  }
  return all;
}

function embedding(
  { text, ids }: TokenisedText,
  encoded: EncodedText,
  kind: TextKind,
  vocabulary: Vocabulary,
): Embedding {
  return {
    vector: encoded.vector,
    lower: encoded.lower,
    tokens: tokenVectors(ids, encoded.packed, kind, vocabulary),
    isUnderstood: isUnderstood(text, ids),
  };
}

/** Without the two tokens at the ends; of a document those that carry meaning, or all where none does. */
function tokenVectors(
  ids: readonly number[],
  packed: Uint8Array,
  kind: TextKind,
  vocabulary: Vocabulary,
): TokenVectors {
  const inner = Array.from({ length: Math.max(0, ids.length - 2) }, (_, at) => at + 1);
  const meaning = inner.filter((at) => kind === 'query' || !isFunctionToken(vocabulary.textOf(ids[at] ?? 0)));
  const kept = meaning.length > 0 ? meaning : inner;
  const rows = new Uint8Array(kept.length * PACKED_BYTES);
  kept.forEach((at, place) => {
    rows.set(packed.subarray(at * PACKED_BYTES, (at + 1) * PACKED_BYTES), place * PACKED_BYTES);
  });
  return { ids: Uint16Array.from(kept, (at) => ids[at] ?? 0), packed: rows };
}
