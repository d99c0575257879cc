/** Slots of the hash table in the vocabulary's file, about half of them filled. */
export const SLOT_COUNT = 65_536;
export const VOCABULARY_SIZE = 30_522;

/** The token ids that mean something by themselves. */
export const SPECIAL = { unknown: 100, start: 101, end: 102 } as const;

/** What BERT's word pieces are looked up in. */
export interface Vocabulary {
  /**
   * Pieces of one word, longest first from its start, or `[UNK]` alone when a part of it is no piece.
   *
   * @param word - as `splitIntoWords` gives it
   * @param ids - receives the token ids
   */
  cut(word: string, ids: number[]): void;
  /** Text of a token; a piece inside a word begins with `##`. */
  textOf(id: number): string;
  /** Whether its text is a single character, told without making it. */
  isCharacter(id: number): boolean;
}

/** Reads the vocabulary from its file's content, whose form `scripts/model/vocabulary-file.ts` describes. */
export function readVocabulary(file: Uint8Array<ArrayBuffer>): Vocabulary {
  const slots = new Uint16Array(file.buffer, 0, SLOT_COUNT);
  const offsets = new Uint32Array(file.buffer, SLOT_COUNT * 2, VOCABULARY_SIZE + 1);
  const text = Buffer.from(file.buffer, SLOT_COUNT * 2 + (VOCABULARY_SIZE + 1) * 4);
  const bytes = new Uint8Array(LONGEST_WORD * 4);
  const hashes = new Uint32Array(LONGEST_WORD * 4);
  const encoder = new TextEncoder();

  /** Id of the piece that the word's bytes from `from` to `to` are, or -1. */
  const find = (hash: number, from: number, to: number): number => {
    const prefix = from === 0 ? 0 : 2;
    for (let slot = slotOf(hash); ; slot = (slot + 1) % SLOT_COUNT) {
      const id = (slots[slot] ?? 0) - 1;
      if (id === -1) return -1;
      let at = offsets[id] ?? 0;
      if ((offsets[id + 1] ?? 0) - at !== to - from + prefix) continue;
      if (prefix === 2 && (text[at++] !== HASH_SIGN || text[at++] !== HASH_SIGN)) continue;
      let place = from;
      while (place < to && text[at] === bytes[place]) {
        at++;
        place++;
      }
      if (place === to) return id;
    }
  };

  return {
    cut(word, ids) {
      const before = ids.length;
      const { read, written: length } = encoder.encodeInto(word, bytes);
      const isLong = read < word.length || (word.length > LONGEST_WORD && [...word].length > LONGEST_WORD);
      for (let from = 0; from < length && !isLong; ) {
        let hash = from === 0 ? FIRST_HASH : CONTINUATION_HASH;
        for (let at = from; at < length; at++) {
          hash = hashByte(hash, bytes[at] ?? 0);
          hashes[at] = hash;
        }
        let to = length;
        let id = -1;
        // No piece ends within a character.
        for (; to > from && id === -1; to--) {
          if (to < length && isInsideCharacter(bytes[to] ?? 0)) continue;
          id = find(hashes[to - 1] ?? 0, from, to);
          if (id !== -1) break;
        }
        if (id === -1) break;
        ids.push(id);
        from = to;
        if (from === length) return;
      }
      ids.length = before;
      if (length > 0) ids.push(SPECIAL.unknown);
    },
    isCharacter: (id) => {
      const from = offsets[id] ?? 0;
      return (offsets[id + 1] ?? from) - from === bytesOfCharacter(text[from] ?? 0);
    },
    textOf: (id) => text.toString('utf8', offsets[id], offsets[id + 1]),
  };
}

/** FNV-1a. */
export function hashBytes(bytes: Uint8Array): number {
  return bytes.reduce(hashByte, FIRST_HASH);
}

export function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOT_COUNT - 1);
}

function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193) >>> 0;
}

function isInsideCharacter(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Of the character that begins with this byte. */
function bytesOfCharacter(first: number): number {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** Characters; a longer word is unknown. */
const LONGEST_WORD = 100;
const HASH_SIGN = 35;
const FIRST_HASH = 0x811c9dc5;
const CONTINUATION_HASH = hashByte(hashByte(FIRST_HASH, HASH_SIGN), HASH_SIGN);
