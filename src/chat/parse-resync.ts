import type { Block, Field } from './parse-block.ts';
import { isHeader } from './parse-lines.ts';
import { LF, skipBlanks } from './parse-values.ts';

/**
 * The next header line directly followed by a `from =` line, whatever string it may stand in (CH-19); null when there is
 * none yet.
 *
 * @param at - beginning of a line
 */
export function findHeaderWithFrom(bytes: Buffer, at: number): number | null {
  for (let i = bytes.indexOf(BRACKETS, at); i !== -1; i = bytes.indexOf(BRACKETS, i + 2)) {
    const start = lineStart(bytes, i, at);
    if (start === null) continue;
    const lineEnd = bytes.indexOf(LF, i);
    if (lineEnd === -1) return null;
    if (isHeader(bytes, start, lineEnd) && isFromLine(bytes, lineEnd + 1)) return start;
  }
  return null;
}

/**
 * Whether one of its strings has run on into another block and ended where a string of that one begins. A block quoted in a
 * text does not look like that: the line that ends the text is no `text = """`.
 */
export function swallowsBlock(bytes: Buffer, block: Block): boolean {
  // What is looked at first is cheap, for every block of a file.
  let isLikely = block.hasStrangeLines;
  for (const field of block.fields) isLikely ||= field !== null && endsAtOpener(bytes, field);
  if (!isLikely) return false;
  const inner = findHeaderWithFrom(bytes, block.body);
  return inner !== null && inner < block.stopAt;
}

const BRACKETS = Buffer.from('[[');
const FROM = Buffer.from('from');
const EQUALS = 0x3d;

/** Null when something else than blanks stands before `at` on its line. */
function lineStart(bytes: Buffer, at: number, least: number): number | null {
  let i = at;
  while (i > least && (bytes[i - 1] === 0x20 || bytes[i - 1] === 0x09)) i--;
  return i === least || bytes[i - 1] === LF ? i : null;
}

function isFromLine(bytes: Buffer, at: number): boolean {
  const key = skipBlanks(bytes, at, bytes.length);
  const afterKey = key + FROM.length;
  if (!FROM.equals(bytes.subarray(key, afterKey))) return false;
  return bytes[skipBlanks(bytes, afterKey, bytes.length)] === EQUALS;
}

const OPENER = /^[ \t]*[A-Za-z0-9_-]+[ \t]*=[ \t]*$/;

function endsAtOpener(bytes: Buffer, { form, start, end }: Field): boolean {
  if (!form.startsWith('multi') || bytes[end - 1] === LF) return false;
  const lineStart = bytes.subarray(start, end).lastIndexOf(LF);
  return (
    lineStart !== -1 &&
    OPENER.test(bytes.toString('latin1', start + lineStart + 1, Math.min(end, start + lineStart + 100)))
  );
}
