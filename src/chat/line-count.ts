import { readProgram } from '../search/embed/model-files.ts';
import { type ChatBytes, readInto } from './chat-file.ts';
import { countLineEnds } from './line-ends.ts';

/** Where a line begins. */
export interface LinePlace {
  /** Byte offset behind `lines` line ends. */
  readonly offset: number;
  readonly lines: number;
}

/**
 * The place behind so many line ends; where the file has fewer, its end and how many it has. Reads the file up to there
 * and keeps nothing: 20 MB take a few milliseconds.
 *
 * @param lines - null: all of them
 */
export function findLine(file: ChatBytes, lines: number | null): LinePlace {
  if (lines === 0) return { offset: 0, lines: 0 };
  const counter = openCounter();
  let [offset, before] = [0, 0];
  while (offset < file.sizeBytes) {
    const length = readInto(file, counter.bytes, offset);
    if (length === 0) break;
    const found = counter.count(length);
    if (lines !== null && before + found >= lines) {
      return { offset: offset + behindLineEnd(counter.bytes, lines - before), lines };
    }
    offset += length;
    before += found;
  }
  return { offset, lines: before };
}

interface Counter {
  /** To be filled from its beginning. */
  readonly bytes: Uint8Array;
  /** Line ends among the first `length` bytes. */
  count(length: number): number;
}

/** Small enough to stay in the processor's cache between reading and counting. */
const PIECE_BYTES = 262_144;
const PAGE_BYTES = 65_536;

function openCounter(): Counter {
  const memory = new WebAssembly.Memory({ initial: PIECE_BYTES / PAGE_BYTES });
  const bytes = new Uint8Array(memory.buffer);
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readProgram('line-ends')), { env: { memory } });
    const { lineEnds } = exports as { readonly lineEnds: (at: number, length: number) => number };
    return {
      bytes,
      count(length) {
        const whole = Math.ceil(length / 16) * 16;
        bytes.fill(0, length, whole);
        return lineEnds(0, whole);
      },
    };
  } catch {
    // A package without its program only counts slowly.
    return { bytes, count: (length) => countLineEnds(bytes, 0, length) };
  }
}

function behindLineEnd(bytes: Uint8Array, nth: number): number {
  let at = 0;
  for (let left = nth; left > 0; left--) at = bytes.indexOf(0x0a, at) + 1;
  return at;
}
