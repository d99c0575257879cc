import { hashBytes, SLOT_COUNT, slotOf } from '../../src/search/embed/vocabulary.ts';

/**
 * The vocabulary as a file with its own hash table, so that loading it is one read: uint16 slots [SLOT_COUNT] with token
 * id + 1 or 0, uint32 offsets [tokens + 1], then the tokens' UTF-8, one behind the other.
 *
 * @param tokens - by id
 */
export function vocabularyFile(tokens: readonly string[]): Uint8Array {
  const encoded = tokens.map((token) => new TextEncoder().encode(token));
  const slots = new Uint16Array(SLOT_COUNT);
  const offsets = new Uint32Array(tokens.length + 1);
  encoded.forEach((bytes, id) => {
    offsets[id + 1] = (offsets[id] ?? 0) + bytes.length;
    let slot = slotOf(hashBytes(bytes));
    while (slots[slot] !== 0) slot = (slot + 1) % SLOT_COUNT;
    slots[slot] = id + 1;
  });
  return Buffer.concat([Buffer.from(slots.buffer), Buffer.from(offsets.buffer), ...encoded]);
}
