/** What stands at the beginning of a line outside strings. */
export type LineKind =
  /** Nothing, blanks or a comment. */
  | 'blank'
  | 'header'
  /** `key = value`, to the end of the line that ends the value. */
  | 'pair'
  /** Text that has no business outside strings (CH-19). */
  | 'other'
  /** The bytes end before it is known what this is. */
  | 'partial';

/** How a value is written. `unclosed`: a string of one line that does not end on it (CH-13). */
export type ValueForm = 'basic' | 'literal' | 'multi-basic' | 'multi-literal' | 'bare' | 'unclosed';

/** One line, or all lines of a value that has several. Positions are indexes into the bytes. */
export interface Line {
  kind: LineKind;
  /** Behind the line end; where the bytes end without one, their end. */
  next: number;
  keyStart: number;
  keyEnd: number;
  form: ValueForm;
  /** The value without its quotes. */
  valueStart: number;
  valueEnd: number;
  /** A partial line that ends inside a string. */
  open: boolean;
  /** A partial line that is a whole `key = value` except for its line end. */
  whole: boolean;
  /** More bytes may still change the value of such a line: quotes at its end may be joined by others. */
  wavering: boolean;
}

export function newLine(): Line {
  return {
    kind: 'blank',
    next: 0,
    keyStart: 0,
    keyEnd: 0,
    form: 'bare',
    valueStart: 0,
    valueEnd: 0,
    open: false,
    whole: false,
    wavering: false,
  };
}

export const LF = 0x0a;
export const TAB = 0x09;

export function stop(line: Line, kind: LineKind, next: number, open = false): LineKind {
  line.kind = kind;
  line.next = next;
  line.open = open;
  line.whole = false;
  return kind;
}

export function skipBlanks(bytes: Buffer, at: number, end: number): number {
  let i = at;
  while (i < end && (bytes[i] === SPACE || bytes[i] === TAB)) i++;
  return i;
}

export function isControl(byte: number | undefined): boolean {
  return byte === undefined || byte < SPACE || byte === DELETE;
}

/**
 * Finds the end of the value that begins at `at`, which is `at` when there is none. Null when the line ends with it: a
 * string that is not closed on its line, or that runs to the end of the bytes.
 */
export function scanValue(bytes: Buffer, at: number, line: Line): number | null {
  line.wavering = false;
  const quote = bytes[at] ?? 0;
  if (quote === QUOTE || quote === APOSTROPHE) {
    if (bytes[at + 1] !== quote) return endOfShort(bytes, at, line, quote);
    // An empty string, or the first two of three quotes.
    if (at + 2 >= bytes.length) {
      line.form = 'basic';
      return ended(line, 'partial', bytes.length, true);
    }
    return bytes[at + 2] === quote ? endOfLong(bytes, at + 3, line, quote) : endOfShort(bytes, at, line, quote);
  }
  line.form = 'bare';
  line.valueStart = at;
  line.valueEnd = quote === OPEN_BRACKET || quote === OPEN_BRACE ? endOfCollection(bytes, at) : endOfBare(bytes, at);
  return line.valueEnd;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const DELETE = 0x7f;

/** Letters, digits and marks of numbers, words and times. */
const BARE = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+:') {
  BARE[character.charCodeAt(0)] = 1;
}

function ended(line: Line, kind: LineKind, next: number, open: boolean): null {
  stop(line, kind, next, open);
  return null;
}

/** A string of one line. */
function endOfShort(bytes: Buffer, at: number, line: Line, quote: number): number | null {
  line.form = quote === QUOTE ? 'basic' : 'literal';
  line.valueStart = at + 1;
  let i = at + 1;
  for (; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote || byte === LF) break;
    if (byte === BACKSLASH && quote === QUOTE && bytes[i + 1] !== LF) i++;
  }
  if (i >= bytes.length) return ended(line, 'partial', bytes.length, true);
  line.valueEnd = i;
  if (bytes[i] === quote) return i + 1;
  line.form = 'unclosed';
  return ended(line, 'pair', i + 1, false);
}

/** A string of several lines, `at` behind its three quotes. */
function endOfLong(bytes: Buffer, at: number, line: Line, quote: number): number | null {
  line.form = quote === QUOTE ? 'multi-basic' : 'multi-literal';
  line.valueStart = at;
  for (let i = bytes.indexOf(quote, at); i !== -1; ) {
    let run = 1;
    if (quote !== QUOTE || !isEscaped(bytes, at, i)) {
      while (bytes[i + run] === quote) run++;
      if (run >= 3) {
        // One or two quotes right before the closing ones belong to the text.
        line.valueEnd = i + Math.min(run - 3, 2);
        line.wavering = run < 5 && bytes[i - 1] !== LF;
        return line.valueEnd + 3;
      }
    }
    i = bytes.indexOf(quote, i + run);
  }
  return ended(line, 'partial', bytes.length, true);
}

function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let i = at;
  while (i > from && bytes[i - 1] === BACKSLASH) i--;
  return (at - i) % 2 === 1;
}

/** A number, a word, a time; a time may have a space between its day and its hour. */
function endOfBare(bytes: Buffer, at: number): number {
  const first = endOfRun(bytes, at);
  if (first - at !== 10 || bytes[first] !== SPACE) return first;
  const second = endOfRun(bytes, first + 1);
  return second > first + 1 ? second : first;
}

function endOfRun(bytes: Buffer, at: number): number {
  let i = at;
  while (BARE[bytes[i] ?? 0] === 1) i++;
  return i;
}

/** A list or a table, as only unknown keys have, on one line; `at` where it does not end on it. */
function endOfCollection(bytes: Buffer, at: number): number {
  let quote = 0;
  let depth = 0;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte !== TAB && isControl(byte)) return at;
    if (quote !== 0) {
      if (byte === BACKSLASH && quote === QUOTE) i++;
      else if (byte === quote) quote = 0;
    } else if (byte === QUOTE || byte === APOSTROPHE) quote = byte;
    else if (byte === HASH) return at;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++;
    else if ((byte === CLOSE_BRACKET || byte === CLOSE_BRACE) && --depth === 0) return i + 1;
  }
  return bytes.length;
}
