// Messages as engram and careful shells write them (CH-7), read for who wrote when. A module of its own, since presence takes
// a whole chat apart and a process that has just started runs JavaScript slowly. Whatever is not written exactly so ends the
// reading; the reader of the sources then decides. The host chooses every address.

import { lineEnds } from './line-ends';

/** What one call found, as u32: see `FOUND` in the sources. */
const NEXT = 0;
const VALUES_END = 4;
const LINE_ENDS = 8;
const LAST_TIME = 12;
const COUNT = 16;

/** A kind of message, as u32: the same name, thread and type. Each has its first message, its newest and its last one. */
const KIND_BYTES: usize = 64;
const KINDS: u32 = 256;
const SLOTS: u32 = 1024;
const HASH = 0;
const FROM = 4;
const THREAD = 12;
const TYPE = 20;
const FIRST = 28;
const NEWEST = 36;
const LAST = 44;
const NEWEST_KEY = 56;

const LONGEST: usize = 128;

// The fields of the block that is being read.
let hash: u32 = 0;
let timeKey: f64 = 0;
let fromAt: usize = 0;
let fromLength: usize = 0;
let threadAt: usize = 0;
let threadLength: usize = 0;
let typeAt: usize = 0;
let typeLength: usize = 0;
let timeAt: usize = 0;
let valuesEnd: usize = 0;

/**
 * Reads on from the header at `at` while blocks are plain and another header follows them. Returns how many there were.
 *
 * @param end - of the bytes; so much behind them as a header has is readable
 * @param latest - the first time, as a number of the digits YYYYMMDDhhmmss, that is not taken
 * @param found - where NEXT to COUNT are written, then the kinds
 * @param slots - u32 [SLOTS]
 */
export function plainBlocks(at: usize, end: usize, latest: f64, found: usize, slots: usize): u32 {
  const kinds = found + 64;
  let count: u32 = 0;
  let kindCount: u32 = 0;
  let next = at;
  for (let block = readBlock(next, end); block !== 0; block = readBlock(next, end)) {
    if (timeKey >= latest) break;
    if (count === 0) memory.fill(slots, 0, SLOTS * 4);
    let slot = hash & (SLOTS - 1);
    let kind = load<u32>(slots + slot * 4);
    while (kind !== 0 && !isKind(kinds + (kind - 1) * KIND_BYTES)) {
      slot = (slot + 1) & (SLOTS - 1);
      kind = load<u32>(slots + slot * 4);
    }
    if (kind === 0) {
      if (kindCount === KINDS) break;
      kind = ++kindCount;
      store<u32>(slots + slot * 4, kind);
      startKind(kinds + (kind - 1) * KIND_BYTES, count);
    }
    const entry = kinds + (kind - 1) * KIND_BYTES;
    if (timeKey >= load<f64>(entry, NEWEST_KEY)) {
      store<f64>(entry, timeKey, NEWEST_KEY);
      storePlace(entry + NEWEST, count);
    }
    storePlace(entry + LAST, count);
    store<u32>(found, <u32>valuesEnd, VALUES_END);
    store<u32>(found, <u32>timeAt, LAST_TIME);
    count++;
    next = block;
  }
  store<u32>(found, <u32>next, NEXT);
  store<u32>(found, kindCount, COUNT);
  if (count > 0) store<u32>(found, lineEndsBetween(at, load<u32>(found, VALUES_END)), LINE_ENDS);
  return count;
}

function startKind(entry: usize, index: u32): void {
  store<u32>(entry, hash, HASH);
  store<u32>(entry, <u32>fromAt, FROM);
  store<u32>(entry, <u32>fromLength, FROM + 4);
  store<u32>(entry, <u32>threadAt, THREAD);
  store<u32>(entry, <u32>threadLength, THREAD + 4);
  store<u32>(entry, <u32>typeAt, TYPE);
  store<u32>(entry, <u32>typeLength, TYPE + 4);
  storePlace(entry + FIRST, index);
  store<f64>(entry, -1, NEWEST_KEY);
}

function storePlace(at: usize, index: u32): void {
  store<u32>(at, index);
  store<u32>(at, <u32>timeAt, 4);
}

function isKind(entry: usize): bool {
  return (
    load<u32>(entry, HASH) === hash &&
    isSame(entry + FROM, fromAt, fromLength) &&
    isSame(entry + THREAD, threadAt, threadLength) &&
    isSame(entry + TYPE, typeAt, typeLength)
  );
}

function isSame(known: usize, at: usize, length: usize): bool {
  if (load<u32>(known, 4) !== <u32>length) return false;
  return memory.compare(load<u32>(known), at, length) === 0;
}

function lineEndsBetween(at: usize, end: usize): u32 {
  const whole = (end - at) & ~15;
  let count = lineEnds(at, whole);
  for (let i = at + whole; i < end; i++) count += <u32>(load<u8>(i) === 10);
  return count;
}

/** Reads the block at `at` into the globals; returns the header behind it, or 0 for a block that is not plain. */
function readBlock(at: usize, end: usize): usize {
  if (!isHeader(at)) return 0;
  hash = 0;
  // `from = "`
  let i = at + 12;
  if (load<u64>(i) !== 0x22203d206d6f7266) return 0;
  fromAt = i + 8;
  i = behindValue(fromAt, true);
  if (i === 0) return 0;
  fromLength = i - 2 - fromAt;
  // Trimmed by whoever reads it.
  if (fromLength === 0 || load<u8>(fromAt) === 32 || load<u8>(fromAt + fromLength - 1) === 32) return 0;
  // `to = "`
  if ((load<u64>(i) & 0xffffffffffff) !== 0x22203d206f74) return 0;
  i = behindValue(i + 6, false);
  // `thread =`, ` "`
  if (i === 0 || load<u64>(i) !== 0x3d20646165726874 || load<u16>(i + 8) !== 0x2220) return 0;
  threadAt = i + 10;
  i = behindValue(threadAt, true);
  // `type = "`
  if (i === 0 || load<u64>(i) !== 0x22203d2065707974) return 0;
  threadLength = i - 2 - threadAt;
  typeAt = i + 8;
  i = behindValue(typeAt, true);
  // `ts = "`
  if (i === 0 || (load<u64>(i) & 0xffffffffffff) !== 0x22203d207374) return 0;
  typeLength = i - 2 - typeAt;
  timeAt = i + 6;
  if (!readTime(timeAt)) return 0;
  i = timeAt + 22;
  // `re = "`
  if ((load<u64>(i) & 0xffffffffffff) === 0x22203d206572) i = behindValue(i + 6, false);
  // `text = "`, `""`
  if (i === 0 || load<u64>(i) !== 0x22203d2074786574 || load<u16>(i + 8) !== 0x2222) return 0;
  i = behindText(i + 10, end);
  if (i === 0) return 0;
  valuesEnd = i;
  while (i < end && load<u8>(i) === 10) i++;
  return i + 12 <= end && isHeader(i) ? i : 0;
}

/** `[[messag`, `e]]` and a line end. */
function isHeader(at: usize): bool {
  return load<u64>(at) === 0x67617373656d5b5b && load<u32>(at + 8) === 0x0a5d5d65;
}

/** Behind the line of a value of plain ASCII; 0 for any other. */
function behindValue(at: usize, isHashed: bool): usize {
  for (let i = at; i < at + LONGEST; i++) {
    const byte = load<u8>(i);
    if (byte === 34) return load<u8>(i + 1) === 10 ? i + 2 : 0;
    if (byte < 32 || byte > 126 || byte === 92) return 0;
    if (isHashed) hash = (hash ^ byte) * 0x01000193;
  }
  return 0;
}

/** Behind the line of the quotes that end a text and stand alone; 0 where it ends otherwise. */
function behindText(at: usize, end: usize): usize {
  const quote = i8x16.splat(34);
  let i = at;
  while (i < end) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(i), quote));
    if (hits === 0) {
      i += 16;
      continue;
    }
    i += ctz(hits);
    if (i >= end) return 0;
    let run: usize = 1;
    while (i + run < end && load<u8>(i + run) === 34) run++;
    // Where the first of them is escaped, no line end stands before it.
    if (run >= 3) return run === 3 && load<u8>(i - 1) === 10 && load<u8>(i + 3) === 10 ? i + 4 : 0;
    i += run;
  }
  return 0;
}

/** `2026-04-03T14:30:00Z"` and a line end. */
function readTime(at: usize): bool {
  const high = two(at);
  const low = two(at + 2);
  const month = two(at + 5);
  const day = two(at + 8);
  const hour = two(at + 11);
  const minute = two(at + 14);
  const second = two(at + 17);
  if ((high | low | month | day | hour | minute | second) < 0) return false;
  if (load<u8>(at + 4) !== 45 || load<u8>(at + 7) !== 45 || load<u8>(at + 10) !== 84) return false;
  if (load<u8>(at + 13) !== 58 || load<u8>(at + 16) !== 58 || load<u8>(at + 19) !== 90) return false;
  if (load<u16>(at + 20) !== 0x0a22) return false;
  if (month < 1 || month > 12 || day < 1 || day > daysOf(high * 100 + low, month)) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  timeKey = <f64>((high * 100 + low) * 10000 + month * 100 + day) * 1000000 + <f64>(hour * 10000 + minute * 100 + second);
  return true;
}

function two(at: usize): i32 {
  const tens = <i32>load<u8>(at) - 48;
  const ones = <i32>load<u8>(at + 1) - 48;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
}

function daysOf(year: i32, month: i32): i32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
