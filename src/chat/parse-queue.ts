import { countLineEnds } from './line-ends.ts';

/** Bytes that wait until it pays to look at them together with those before. */
export interface ByteQueue {
  /** Takes a copy of `more` and returns true, or returns false: it is time to `join`. */
  postpone(more: Uint8Array): boolean;
  /** `held`, then what waits, then `more`. */
  join(held: Buffer, more: Uint8Array): Buffer;
  /** So many bytes are held because they were not understood. */
  hold(heldBytes: number): void;
  readonly sizeBytes: number;
  readonly lineEnds: number;
}

/** Blocks that are shorter are looked at again with every piece. */
const SHORT_BLOCK_BYTES = 65_536;

/**
 * A long block that comes in many pieces is looked at again each time its length has doubled: not for each piece, which
 * would take the square of its length.
 */
export function createByteQueue(): ByteQueue {
  let waiting: Buffer[] = [];
  let sizeBytes = 0;
  let wantedBytes = 0;
  return {
    postpone(more) {
      if (sizeBytes + more.length >= wantedBytes) return false;
      waiting.push(Buffer.from(more));
      sizeBytes += more.length;
      return true;
    },
    join(held, more) {
      const last = Buffer.from(more.buffer, more.byteOffset, more.length);
      const joined = held.length + sizeBytes === 0 ? last : Buffer.concat([held, ...waiting, last]);
      waiting = [];
      sizeBytes = 0;
      return joined;
    },
    hold(heldBytes) {
      wantedBytes = heldBytes > SHORT_BLOCK_BYTES ? heldBytes : 0;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    get lineEnds() {
      return waiting.reduce((sum, bytes) => sum + countLineEnds(bytes, 0, bytes.length), 0);
    },
  };
}
