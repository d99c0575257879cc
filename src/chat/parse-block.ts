import { parseTimestamp } from '../memory/timestamps.ts';
import { type Message, type MessageFields, messageId } from './message.ts';
import { scanLine } from './parse-lines.ts';
import { knownString, type ReadString, readString } from './parse-strings.ts';
import type { Line, ValueForm } from './parse-values.ts';

/** A value of a block and where it stands, without its quotes. */
export interface Field {
  readonly form: ValueForm;
  readonly start: number;
  readonly end: number;
}

/** A block taken apart, not yet read. Positions are indexes into the bytes. */
export interface Block {
  readonly start: number;
  /** Behind the header line. */
  readonly body: number;
  /** Behind the line that ends the last value; where that has no line end yet, the end of the bytes. */
  readonly valuesEnd: number;
  /** What ended the scan, at `stopAt`: the next header, text that belongs nowhere, or the end of the bytes. */
  readonly stop: 'header' | 'other' | 'partial';
  readonly stopAt: number;
  readonly fields: readonly (Field | null)[];
  /** Why it cannot be read, though all its strings end. */
  readonly fault: string | null;
  /** Its keys are those of CH-7, in their order. */
  readonly canonical: boolean;
  /** An unknown key has a value of several lines. */
  readonly hasStrangeLines: boolean;
  /** The bytes end inside a string, which is of this form. */
  readonly open: ValueForm | null;
  /** More bytes may still change the last value. */
  readonly wavering: boolean;
}

/**
 * Takes a block apart, up to the next header or whatever else stops it (CH-17).
 *
 * @param body - behind the header line at `start`
 * @param line - is written over
 */
export function scanBlock(bytes: Buffer, start: number, body: number, line: Line): Block {
  const fields: (Field | null)[] = [null, null, null, null, null, null, null, null];
  let at = body;
  let valuesEnd = body;
  let fault: string | null = null;
  let shape = 0;
  // A blank line stands behind the text, which is the end of most blocks.
  let isParted = false;
  let wasCanonical = false;
  let hasStrangeLines = false;
  for (scanLine(bytes, at, line); ; scanLine(bytes, at, line)) {
    if (line.kind === 'pair' || (line.kind === 'partial' && line.whole)) {
      const key = keyAt(bytes, line.keyStart, line.keyEnd);
      const isAgain = key !== OTHER_KEY && fields[key] !== null;
      if (isWhole(fields) && key !== OTHER_KEY && (isParted ? isAgain || wasCanonical : isAgain && key === FROM)) {
        // It belongs to another message, whose header is lost.
        line.kind = 'other';
      } else {
        if (line.form === 'unclosed') fault ??= 'a string that is not closed on its line';
        if (key === OTHER_KEY) {
          shape = Number.NaN;
          hasStrangeLines ||= line.form.startsWith('multi');
        } else {
          if (isAgain) fault ??= 'a key that is there twice';
          fields[key] = { form: line.form, start: line.valueStart, end: line.valueEnd };
          shape = shape * 9 + key + 1;
        }
        valuesEnd = line.next;
      }
    }
    if (line.kind !== 'pair' && line.kind !== 'blank') break;
    if (line.kind === 'blank' && isWhole(fields)) {
      isParted = true;
      wasCanonical ||= isCanonical(shape);
    }
    at = line.next;
  }
  return {
    start,
    body,
    valuesEnd,
    stop: line.kind,
    stopAt: at,
    fields,
    fault,
    canonical: isCanonical(shape),
    hasStrangeLines,
    open: line.kind === 'partial' && line.open ? line.form : null,
    wavering: line.kind === 'partial' && line.whole && line.wavering,
  };
}

/** Whether the pair in `line` cannot stand outside a block: a header is lost before it. */
export function isHeadless(bytes: Buffer, line: Line): boolean {
  return line.form.startsWith('multi') || keyAt(bytes, line.keyStart, line.keyEnd) !== OTHER_KEY;
}

/** Whether it has all that a message needs, so that only a bad value can make it unreadable. */
export function isComplete(block: Block): boolean {
  return isWhole(block.fields) && block.fault === null;
}

/** The quotes that would close the string in which the bytes end; null when it is not one of several lines. */
export function closingOf({ open }: Block): '"""' | "'''" | null {
  if (open === 'multi-basic') return '"""';
  return open === 'multi-literal' ? "'''" : null;
}

/** Whether a last block is whole though nothing follows it yet. @param unchangedMs - how long the file has been as it is */
export function isEnded(block: Block, unchangedMs: number): boolean {
  if (block.open !== null || (block.wavering && unchangedMs < WAVERING_LIMIT_MS)) return false;
  return isComplete(block) || (block.fault !== null && hasText(block));
}

/** Whoever writes has written the last quote by then (CH-13). */
const WAVERING_LIMIT_MS = 1000;

function hasText(block: Block): boolean {
  return textOf(block.fields) !== null;
}

/** The head of a message, and the time as it stands in the file. */
export interface BlockHead {
  readonly fields: MessageFields;
  readonly tsToken: string;
  readonly repaired: boolean;
}

/** Reads all but the text; a reason when it cannot be read (CH-18). */
export function readHead(bytes: Buffer, block: Block): BlockHead | string {
  if (block.fault !== null) return block.fault;
  let repaired = false;
  for (let i = 0; i < ONE_LINE_KEYS.length; i++) {
    const key = ONE_LINE_KEYS[i] ?? FROM;
    const field = block.fields[key] ?? null;
    const plain = field === null ? '' : field.form === 'bare' ? null : plainString(bytes, field);
    if (plain !== null || field === null) {
      values[i] = plain ?? '';
      continue;
    }
    const read = readField(bytes, field);
    if (typeof read === 'string') return `${KEYS[key]} ${read}`;
    repaired ||= read.repaired;
    values[i] = read.text;
  }
  const [, , thread = '', type = '', re = ''] = values;
  // Names are trimmed, and nothing else (CH-8).
  const from = values[0]?.trim() ?? '';
  const to = values[1]?.trim() ?? '';
  if (from === '') return 'no from';
  if (!hasText(block)) return 'no text';
  const time = block.fields[TS] ?? null;
  const tsToken = time === null ? '' : (plainString(bytes, time) ?? bytes.toString('utf8', time.start, time.end));
  const ts = tsToken === '' ? null : parseTimestamp(tsToken);
  if (ts === null && time?.form === 'bare') return 'ts is no time';
  return { fields: { from, to, thread, type, ts, re: re === '' ? null : re }, tsToken, repaired };
}

/**
 * Reads the text and gives the message its id; a reason when it cannot be read.
 *
 * @param offset - of the header in the file
 */
export function readText(
  bytes: Buffer,
  block: Block,
  head: BlockHead,
  offset: number,
): Pick<Message, 'id' | 'text' | 'repaired'> | string {
  const field = textOf(block.fields);
  const read = field === null ? 'is missing' : readField(bytes, field);
  if (typeof read === 'string') return `text ${read}`;
  const text = read.text.endsWith('\n') ? read.text.slice(0, -1) : read.text;
  return {
    id: messageId(head.fields, head.tsToken, text, offset),
    text,
    repaired: head.repaired || read.repaired,
  };
}

const KEYS = ['from', 'to', 'thread', 'type', 'ts', 're', 'text', 'message'] as const;
const FROM = 0;
const TO = 1;
const TS = 4;
const TEXT = 6;
const MESSAGE = 7;
const OTHER_KEY = -1;
const ONE_LINE_KEYS = [FROM, TO, 2, 3, 5] as const;

/** The keys in the order of CH-7, as `scanBlock` sums them up. */
const shapeOf = (keys: readonly number[]): number => keys.reduce((shape, key) => shape * 9 + key + 1, 0);
const SHAPE = shapeOf([FROM, TO, 2, 3, TS, TEXT]);
const SHAPE_WITH_RE = shapeOf([FROM, TO, 2, 3, TS, 5, TEXT]);

/** Of the block that is being read. */
const values: string[] = [];

/** Most fields need no decoding, and say what others have said before. */
function plainString(bytes: Buffer, { form, start, end }: Field): string | null {
  return form === 'basic' || form === 'literal' || form === 'bare' ? knownString(bytes, start, end) : null;
}

/** Which key has this second letter and this length; no two have both. */
const KEY_BY_LOOKS = new Int8Array(256).fill(OTHER_KEY);
const KEY_BYTES = KEYS.map((key, i) => {
  KEY_BY_LOOKS[looks(key.charCodeAt(1), key.length)] = i;
  return Buffer.from(key);
});

function looks(second: number, length: number): number {
  return (second & 31) | ((length & 7) << 5);
}

function keyAt(bytes: Buffer, start: number, end: number): number {
  const key = KEY_BY_LOOKS[looks(bytes[start + 1] ?? 0, end - start)] ?? OTHER_KEY;
  const name = KEY_BYTES[key];
  if (name === undefined || name.length !== end - start) return OTHER_KEY;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return OTHER_KEY;
  return key;
}

function isCanonical(shape: number): boolean {
  return shape === SHAPE || shape === SHAPE_WITH_RE;
}

function textOf(fields: readonly (Field | null)[]): Field | null {
  return fields[TEXT] ?? fields[MESSAGE] ?? null;
}

function isWhole(fields: readonly (Field | null)[]): boolean {
  return fields[FROM] !== null && textOf(fields) !== null;
}

function readField(bytes: Buffer, field: Field): ReadString | string {
  if (field.form === 'bare' || field.form === 'unclosed') return 'is no string';
  return readString(bytes, field.form, field.start, field.end) ?? 'is not UTF-8';
}
