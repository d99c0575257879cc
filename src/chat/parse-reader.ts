import { countLineEnds } from './line-ends.ts';
import type { MessageHead } from './message.ts';
import { type Block, closingOf, isComplete, isEnded, isHeadless, readHead, scanBlock } from './parse-block.ts';
import { isTornHeader, scanLine } from './parse-lines.ts';
import { createByteQueue } from './parse-queue.ts';
import {
  type ChatBorder,
  type ChatReader,
  type DamagedRange,
  type MakeMessage,
  type Moment,
  type Reading,
  type SightingVisit,
  type Unjudged,
  WHOLE_TAIL,
} from './parse-reading.ts';
import { findHeaderWithFrom, swallowsBlock } from './parse-resync.ts';
import { judgeBlock, suspectNext } from './parse-suspicion.ts';
import { LF, newLine } from './parse-values.ts';

/** Bytes that are not understood yet. */
type Rest =
  | { readonly kind: 'between' }
  | { readonly kind: 'block'; readonly block: Block }
  /** Damage from `start` on; no header ends it yet. */
  | { readonly kind: 'damage'; readonly start: number };

/** An unfinished block that did not grow for so long is damage (CH-21). */
const UNFINISHED_LIMIT_MS = 10_000;

const NOTHING: Buffer = Buffer.alloc(0);

/** @param sightings - null: messages are made */
export function createReader<M extends MessageHead>(
  from: ChatBorder,
  make: MakeMessage<M>,
  sightings: SightingVisit | null = null,
): ChatReader<M> {
  const line = newLine();
  const { visit, skimmer } = sightings ?? { visit: null, skimmer: null };
  const queue = createByteQueue();
  let bytes = NOTHING;
  /** Offset of `bytes[0]` in the file. */
  let base = from.offset;
  /** Where `bytes` are read on; blank lines may lie between the border and it. */
  let at = 0;
  let borderAt = 0;
  /** Line ends before `countedAt`, which is the border or before it. */
  let counted = from.cursor;
  let countedAt = 0;
  let { suspicion, reported } = from;
  let rest: Rest = { kind: 'between' };
  let unfinished: { readonly offset: number; readonly sinceMs: number } | null = null;
  let tail = WHOLE_TAIL;
  let messages: M[] = [];
  let damaged: DamagedRange[] = [];

  const lineEndsBefore = (position: number): number => counted + countLineEnds(bytes, countedAt, position);

  function advanceTo(position: number): void {
    borderAt = position;
    at = position;
  }

  function report(start: number, end: number, reason: string): void {
    if (reported === base + start) return;
    let last = end;
    while (last > start && (bytes[last - 1] === LF || bytes[last - 1] === 0x0d)) last--;
    damaged.push({ first: lineEndsBefore(start) + 1, last: lineEndsBefore(last) + 1, reason });
  }

  function lose(start: number, end: number, reason: string): void {
    report(start, end, reason);
    reported = null;
    advanceTo(end);
  }

  /**
   * @param suspect - null: to be judged by the blocks before
   * @returns why it is no message, or null when it was delivered
   */
  function deliver(block: Block, suspect: boolean | null, nowMs: number): string | null {
    const head = readHead(bytes, block);
    if (typeof head === 'string') return head;
    let made: Unjudged<M> | string | null = null;
    if (visit === null) {
      const lineEnds = lineEndsBefore(block.start);
      const cursor = lineEnds + countLineEnds(bytes, block.start, block.valuesEnd);
      const place = { line: lineEnds + 1, cursor, start: base + block.start, end: base + block.valuesEnd };
      made = make(bytes, block, head, place);
      if (typeof made === 'string') return made;
      counted = cursor;
      countedAt = block.valuesEnd;
    }
    let judged = suspect;
    if (judged === null) {
      ({ suspect: judged, after: suspicion } = judgeBlock(suspicion, head.fields.ts, block.canonical, nowMs));
    }
    if (made === null) visit?.(head.fields, judged);
    else {
      made.suspect = judged;
      messages.push(made as Unjudged<M> & M);
    }
    reported = null;
    advanceTo(block.valuesEnd);
    return null;
  }

  function close(block: Block, end: number, nowMs: number): void {
    const reason = deliver(block, null, nowMs);
    if (reason === null) at = end;
    else lose(block.start, end, reason);
  }

  /**
   * A message that was whole before other text followed it. It may be the beginning of a text that ends too early, so it is
   * suspect; not before a header that was torn off, which tells nothing about it.
   */
  function salvage(block: Block): boolean {
    return isComplete(block) && deliver(block, !isTornHeader(bytes, block.stopAt), 0) === null;
  }

  /** Open damage: goes on at the next header that `from =` follows, even one in a string (CH-19). */
  function resynchronise(start: number, block: Block | null): boolean {
    if (block !== null && !swallowsBlock(bytes, block) && salvage(block)) return true;
    const header = findHeaderWithFrom(bytes, block === null ? start : block.body);
    if (header === null) {
      rest = { kind: 'damage', start };
      return false;
    }
    lose(start, header, 'text outside strings');
    suspicion = suspectNext(suspicion);
    return true;
  }

  /** What is plain needs no judgement, unless there was damage before. */
  function skim(nowMs: number): boolean {
    const skimmed = suspicion.since === null ? (skimmer?.skim(at, nowMs) ?? null) : null;
    if (skimmed === null) return false;
    counted = lineEndsBefore(at) + skimmed.lineEnds;
    countedAt = skimmed.valuesEnd;
    for (const sighting of skimmed.seen) visit?.(sighting, false);
    suspicion = { lastTs: skimmed.lastTs, since: null };
    reported = null;
    borderAt = skimmed.valuesEnd;
    at = skimmed.next;
    return true;
  }

  /** Reads on while it is clear what the bytes are. */
  function readOn(nowMs: number): void {
    rest = { kind: 'between' };
    skimmer?.load(bytes);
    if (base + at === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
    for (let goesOn = true; goesOn; ) {
      scanLine(bytes, at, line);
      if (line.kind === 'blank' || (line.kind === 'pair' && !isHeadless(bytes, line))) at = line.next;
      else if (line.kind === 'partial') goesOn = false;
      else if (line.kind === 'header') goesOn = skim(nowMs) || readBlock(nowMs);
      else goesOn = resynchronise(at, null);
    }
  }

  function readBlock(nowMs: number): boolean {
    const block = scanBlock(bytes, at, line.next, line);
    if (block.stop === 'partial') {
      rest = { kind: 'block', block };
      return false;
    }
    if (block.stop === 'other' || swallowsBlock(bytes, block)) return resynchronise(block.start, block);
    close(block, block.stopAt, nowMs);
    return true;
  }

  /** Decides about the rest. @returns whether there is more to read then */
  function settleRest({ nowMs, unchangedMs }: Moment): boolean {
    if (rest.kind === 'between') return false;
    if (rest.kind === 'damage') {
      report(rest.start, bytes.length, 'text outside strings');
      reported = base + rest.start;
      return false;
    }
    const { block } = rest;
    if (isEnded(block, unchangedMs)) {
      close(block, block.valuesEnd, nowMs);
      return true;
    }
    const offset = base + block.start;
    if (unfinished?.offset !== offset) unfinished = { offset, sinceMs: nowMs };
    const header = block.open === null ? null : findHeaderWithFrom(bytes, block.body);
    tail = { closing: closingOf(block), unfinished: true, hidesHeader: header !== null };
    if (Math.max(unchangedMs, nowMs - unfinished.sinceMs) < UNFINISHED_LIMIT_MS) return false;
    if (header !== null) {
      lose(block.start, header, 'a string that does not end');
      suspicion = suspectNext(suspicion);
      tail = WHOLE_TAIL;
      return true;
    }
    report(block.start, bytes.length, block.open === null ? 'no text' : 'a string that does not end');
    reported = offset;
    return false;
  }

  /** Keeps a copy of what is not understood yet. */
  function take(): Reading<M> {
    const reading = { messages, damaged };
    [messages, damaged] = [[], []];
    counted = lineEndsBefore(borderAt);
    countedAt = 0;
    bytes = Buffer.from(bytes.subarray(borderAt));
    base += borderAt;
    at -= borderAt;
    borderAt = 0;
    queue.hold(bytes.length);
    return reading;
  }

  return {
    feed(more, nowMs) {
      if (queue.postpone(more)) return { messages: [], damaged: [] };
      bytes = queue.join(bytes, more);
      readOn(nowMs);
      return take();
    },
    end(moment) {
      bytes = queue.join(bytes, NOTHING);
      tail = WHOLE_TAIL;
      do readOn(moment.nowMs);
      while (settleRest(moment));
      return take();
    },
    get border() {
      return { offset: base + borderAt, cursor: lineEndsBefore(borderAt), suspicion, reported };
    },
    get offset() {
      return base + bytes.length + queue.sizeBytes;
    },
    get lineEnds() {
      return lineEndsBefore(bytes.length) + queue.lineEnds;
    },
    get tail() {
      return tail;
    },
  };
}
