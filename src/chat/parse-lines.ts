import { isControl, LF, type Line, type LineKind, scanValue, skipBlanks, stop, TAB } from './parse-values.ts';

/**
 * Looks at the line that begins at `at`, outside any string (CH-17). More than the kind is written into `line`, which the
 * caller uses again and again: a file of 20 MB has half a million lines.
 */
export function scanLine(bytes: Buffer, at: number, line: Line): LineKind {
  const end = bytes.length;
  const first = skipBlanks(bytes, at, end);
  if (first === end) return stop(line, 'partial', first);
  const byte = bytes[first];
  if (byte === LF) return stop(line, 'blank', first + 1);
  if (byte === CR || byte === HASH) return endLine(bytes, first, line, 'blank');
  if (byte === OPEN_BRACKET) return scanHeader(bytes, first, line);
  return scanPair(bytes, first, line);
}

/** Whether these bytes are a header line without its line end: `[[message]]` or `[[entry]]`, blanks and a comment allowed. */
export function isHeader(bytes: Buffer, at: number, lineEnd: number): boolean {
  return HEADER.test(bytes.toString('latin1', at, lineEnd));
}

/** Whether a line is the beginning of a header line: `[`, `[[mess`. */
export function isTornHeader(bytes: Buffer, at: number): boolean {
  const [line = ''] = bytes.toString('latin1', at, at + 100).split('\n', 1);
  const text = line.trim();
  return text !== '' && ['[[message]]', '[[entry]]'].some((header) => header.startsWith(text));
}

const CR = 0x0d;
const HASH = 0x23;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const EQUALS = 0x3d;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;

const CANONICAL = Buffer.from('[[message]]');
const HEADER = /^[ \t]*\[\[[ \t]*(?:message|entry)[ \t]*\]\][ \t]*(?:#[^\x00-\x08\x0a-\x1f\x7f]*)?\r?$/;

/** Letters, digits, `_`, `-` and the dot between parts of a key. */
const KEY = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.') {
  KEY[character.charCodeAt(0)] = 1;
}

function isCanonical(bytes: Buffer, at: number): boolean {
  let i = 0;
  while (i < CANONICAL.length && CANONICAL[i] === bytes[at + i]) i++;
  return i === CANONICAL.length;
}

function scanHeader(bytes: Buffer, at: number, line: Line): LineKind {
  const plainEnd = at + CANONICAL.length;
  if (bytes[plainEnd] === LF && isCanonical(bytes, at)) return stop(line, 'header', plainEnd + 1);
  const lineEnd = bytes.indexOf(LF, at);
  if (lineEnd === -1) return stop(line, 'partial', bytes.length);
  return stop(line, isHeader(bytes, at, lineEnd) ? 'header' : 'other', lineEnd + 1);
}

function scanPair(bytes: Buffer, at: number, line: Line): LineKind {
  const end = bytes.length;
  let i = at;
  const quote = bytes[at];
  if (quote === QUOTE || quote === APOSTROPHE) {
    i++;
    while (i < end && bytes[i] !== quote && bytes[i] !== BACKSLASH && !isControl(bytes[i])) i++;
    if (i < end && bytes[i] !== quote) return stop(line, 'other', at);
    line.keyStart = at + 1;
    line.keyEnd = i;
    i++;
  } else {
    while (i < end && KEY[bytes[i] ?? 0] === 1) i++;
    if (i === at) return stop(line, 'other', at);
    line.keyStart = at;
    line.keyEnd = i;
  }
  i = skipBlanks(bytes, i, end);
  if (i < end && bytes[i] !== EQUALS) return stop(line, 'other', at);
  i = skipBlanks(bytes, i + 1, end);
  if (i >= end) return stop(line, 'partial', end);
  const valueEnd = scanValue(bytes, i, line);
  // It ends the line itself: a string that is not closed on its line, or one that the bytes do not show whole.
  if (valueEnd === null) return line.kind;
  if (valueEnd === i) return stop(line, 'other', at);
  if (endLine(bytes, valueEnd, line, 'pair') !== 'partial') return line.kind;
  line.whole = line.form !== 'bare' || valueEnd < end;
  line.wavering &&= valueEnd === end;
  line.next = end;
  return line.kind;
}

/** What may follow on a line: blanks, a comment, the line end. */
function endLine(bytes: Buffer, at: number, line: Line, kind: 'blank' | 'pair'): LineKind {
  const end = bytes.length;
  let i = skipBlanks(bytes, at, end);
  if (bytes[i] === HASH) {
    i++;
    while (i < end && (bytes[i] === TAB || !isControl(bytes[i]))) i++;
  }
  if (bytes[i] === CR) i++;
  if (i >= end) return stop(line, 'partial', end);
  if (bytes[i] === LF) return stop(line, kind, i + 1);
  return stop(line, 'other', at);
}
