/** Larger files are quarantined `too-large` (MF-23). */
export const MAX_FILE_BYTES = 1_048_576;

export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly hasBom: boolean }
  | { readonly kind: 'not-utf8'; readonly line: number; readonly column: number };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a file, without its byte order mark, line ends as they are (MF-23).
 *
 * `line` and `column` of the first byte that is no UTF-8 count from 1, columns in characters.
 */
export function decodeFile(bytes: Uint8Array): FileText {
  try {
    const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return { kind: 'text', text: utf8.decode(bytes), hasBom };
  } catch {
    return { kind: 'not-utf8', ...firstInvalid(bytes) };
  }
}

/**
 * The same text with LF line ends, for parsing: inside multi-line strings, too, CRLF is layout and no part of the
 * record (SY-45). An escaped `\r` is not touched.
 */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a line begins with `key =`; null when the key is written some other way. */
export function placeOfKey(text: string, key: string): Place | null {
  const match = new RegExp(`^[ \\t]*["']?${key}["']?[ \\t]*=`, 'm').exec(text);
  if (match === null) return null;
  const line = text.slice(0, match.index).split('\n').length;
  return { line, column: match[0].search(/\S/) + 1 };
}

function firstInvalid(bytes: Uint8Array): Place {
  let start = 0;
  for (let line = 1; ; line++) {
    // A line feed byte is never part of a longer sequence.
    const end = bytes.indexOf(0x0a, start);
    const column = invalidColumn(bytes.subarray(start, end === -1 ? bytes.length : end));
    if (column !== null || end === -1) return { line, column: column ?? 1 };
    start = end + 1;
  }
}

function invalidColumn(line: Uint8Array): number | null {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let column = 1;
  try {
    for (let i = 0; i < line.length; i++) column += decoder.decode(line.subarray(i, i + 1), { stream: true }).length;
    decoder.decode();
    return null;
  } catch {
    return column;
  }
}
