import { readProgram } from '../search/embed/model-files.ts';
import type { PresenceEvidence, Skim, Skimmer } from './parse-reading.ts';
import { latestTime } from './parse-suspicion.ts';

/** Bytes that are looked at together; longer pieces are left to the reader. */
const MOST_BYTES = 1 << 20;
const PAGE_BYTES = 65_536;
/** Behind the bytes: what was found, the kinds of messages, and the table by which they are found again. */
const FOUND = MOST_BYTES + 256;
const KINDS = FOUND + 64;
const SLOTS = KINDS + 256 * 64;
const MEMORY_BYTES = SLOTS + 1024 * 4;

type PlainBlocks = (at: number, end: number, latest: number, found: number, slots: number) => number;

/**
 * Skims messages that are written as engram writes them, in WebAssembly: a process that has just started runs JavaScript
 * slowly. Null where the package has no program; presence is only slower then.
 */
export function openSkimmer(): Skimmer | null {
  if (opened === undefined) opened = startSkimmer();
  return opened;
}

/** One for the process: it is used without a pause, and gets faster with use. */
let opened: Skimmer | null | undefined;

function startSkimmer(): Skimmer | null {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(MEMORY_BYTES / PAGE_BYTES) });
  let plainBlocks: PlainBlocks;
  try {
    const module = new WebAssembly.Module(readProgram('chat-blocks'));
    ({ plainBlocks } = new WebAssembly.Instance(module, { env: { memory } }).exports as { plainBlocks: PlainBlocks });
  } catch {
    return null;
  }
  const bytes = Buffer.from(memory.buffer);
  const words = new Uint32Array(memory.buffer);
  let length = -1;
  return {
    load(piece) {
      length = piece.length <= MOST_BYTES ? piece.length : -1;
      if (length > 0) bytes.set(piece);
    },
    skim(at, nowMs) {
      if (length === -1 || plainBlocks(at, length, timeNumber(latestTime(nowMs)), FOUND, SLOTS) === 0) return null;
      return readFound(bytes, words);
    },
  };
}

/** The digits of a time down to its second, which are in the order of time. */
function timeNumber(timestamp: string): number {
  return Number(timestamp.slice(0, 19).replace(/\D/g, ''));
}

/** The layout is that of `kernel/chat-blocks.ts`. */
function readFound(bytes: Buffer, words: Uint32Array): Skim {
  const word = (at: number): number => words[at / 4] ?? 0;
  const text = (at: number, length: number): string => bytes.toString('latin1', at, at + length);
  const time = (at: number): string => text(at, '2026-04-03T14:30:00Z'.length);
  const seen = new Map<number, PresenceEvidence>();
  for (let entry = KINDS; entry < KINDS + word(FOUND + 16) * 64; entry += 64) {
    const from = text(word(entry + 4), word(entry + 8));
    const thread = text(word(entry + 12), word(entry + 16));
    const type = text(word(entry + 20), word(entry + 24));
    for (const place of [entry + 28, entry + 36, entry + 44]) {
      seen.set(word(place), { from, thread, type, ts: time(word(place + 4)) });
    }
  }
  return {
    next: word(FOUND),
    valuesEnd: word(FOUND + 4),
    lineEnds: word(FOUND + 8),
    lastTs: time(word(FOUND + 12)),
    seen: [...seen].sort(([one], [other]) => one - other).map(([, sighting]) => sighting),
  };
}
