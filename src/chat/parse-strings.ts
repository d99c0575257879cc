import type { ValueForm } from './parse-values.ts';

/** A string as a reader returns it. */
export interface ReadString {
  readonly text: string;
  /** It is no TOML: unknown escapes were kept, raw control characters accepted (CH-18). */
  readonly repaired: boolean;
}

/**
 * What the string between `start` and `end` says, its quotes left out. Line ends CR LF are read as LF.
 *
 * @returns null for bytes that are not UTF-8
 */
export function readString(bytes: Buffer, form: ValueForm, start: number, end: number): ReadString | null {
  const raw = decodeUtf8(bytes, start, end);
  if (raw === null) return null;
  if (form === 'basic') return readBasic(raw);
  if (form === 'literal') return { text: raw, repaired: CONTROL.test(raw) };
  const lines = raw.includes('\r') ? raw.replaceAll('\r\n', '\n') : raw;
  const body = lines.startsWith('\n') ? lines.slice(1) : lines;
  return form === 'multi-basic' ? readBasic(body) : { text: body, repaired: CONTROL.test(body) };
}

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The same string as before where these bytes were met before: agents have few names, and making a string costs more than
 * looking it up.
 *
 * @returns null for bytes that have to be decoded, or are many
 */
export function knownString(bytes: Buffer, start: number, end: number): string | null {
  if (end - start > SHORT) return null;
  let hash = end - start;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return null;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  const slot = hash & (SLOTS - 1);
  const known = strings[slot];
  if (known !== undefined && isSame(known, bytes, start, end)) return known;
  const made = bytes.toString('latin1', start, end);
  strings[slot] = made;
  return made;
}

const BACKSLASH = 0x5c;
const SLOTS = 1024;
const strings: (string | undefined)[] = new Array(SLOTS).fill(undefined);

function isSame(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** Calling the decoder costs more than the loop for strings of one line. */
const SHORT = 64;

function decodeUtf8(bytes: Buffer, start: number, end: number): string | null {
  if (end - start <= SHORT && isAscii(bytes, start, end)) return bytes.toString('latin1', start, end);
  try {
    return strictDecoder.decode(bytes.subarray(start, end));
  } catch {
    return null;
  }
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let all = 0;
  for (let i = start; i < end; i++) all |= bytes[i] ?? 0;
  return all < 0x80;
}

const ESCAPE = /\\(?:([btnfr"\\])|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([ \t]*\n[ \t\n]*))?/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};

function readBasic(raw: string): ReadString {
  let repaired = CONTROL.test(raw);
  if (!raw.includes('\\')) return { text: raw, repaired };
  const text = raw.replace(ESCAPE, (whole, short?: string, four?: string, eight?: string, lineEnd?: string) => {
    if (short !== undefined) return SHORT_ESCAPES[short] ?? whole;
    // A backslash at the end of a line takes the line end and the blanks of the next lines away.
    if (lineEnd !== undefined) return '';
    const scalar = Number.parseInt(four ?? eight ?? 'none', 16);
    if (scalar <= 0x10ffff && (scalar < 0xd800 || scalar > 0xdfff)) return String.fromCodePoint(scalar);
    repaired = true;
    return whole;
  });
  return { text, repaired };
}
