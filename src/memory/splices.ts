import type { InsertPlace } from './insert-place.ts';
import type { Span } from './token-places.ts';

/** Replaces the text from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text after all splices; those at one place apply in the given order. They must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let done = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(done, splice.start) + splice.text;
    done = splice.end;
  }
  return result + text.slice(done);
}

/** A new line at `place`, indented and ended like the line it is put at. */
export function insertedLine(text: string, { where, token }: InsertPlace, line: string): Splice {
  const lineStart = startOfLine(text, token.start);
  const before = text.slice(lineStart, token.start);
  const indented = (/^[ \t]*$/.test(before) ? before : '') + line;
  const feed = text.indexOf('\n', token.end);
  const lineEnd = feed === -1 ? fileLineEnd(text) : text[feed - 1] === '\r' ? '\r\n' : '\n';
  if (where === 'above') return { start: lineStart, end: lineStart, text: indented + lineEnd };
  // A file without a final line end stays without one.
  if (feed === -1) return { start: text.length, end: text.length, text: lineEnd + indented };
  return { start: feed + 1, end: feed + 1, text: indented + lineEnd };
}

/** Takes out the lines of a piece of the file, a comment behind it included (MF-29). */
export function removedLines(text: string, { start, end }: Span): Splice {
  const feed = text.indexOf('\n', end);
  return { start: startOfLine(text, start), end: feed === -1 ? text.length : feed + 1, text: '' };
}

/** How the first line ends. */
export function fileLineEnd(text: string): string {
  const feed = text.indexOf('\n');
  return feed > 0 && text[feed - 1] === '\r' ? '\r\n' : '\n';
}

function startOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}
