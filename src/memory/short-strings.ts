/** A TOML text whose long strings are empty, with spaces after them: everything else stands where it stood. */
export interface ShortenedText {
  readonly text: string;
  /** Where a string that was emptied ends now, and where it ended before. */
  readonly ends: ReadonlyMap<number, number>;
}

/** Longer strings than this are emptied, in UTF-16 units. The parser for positions cannot take some 60,000 of them. */
const LONG = 8_192;

/** @param text - valid TOML: what begins a string or a comment also ends it */
export function withShortStrings(text: string): ShortenedText {
  const ends = new Map<number, number>();
  if (text.length <= LONG) return { text, ends };
  let result = '';
  let done = 0;
  const opener = /#|"""|'''|"|'/g;
  for (let match = opener.exec(text); match !== null; match = opener.exec(text)) {
    const [mark] = match;
    const end = mark === '#' ? endOfLine(text, match.index) : endOfString(text, mark, match.index + mark.length);
    opener.lastIndex = end;
    if (mark === '#' || end - match.index <= LONG) continue;
    const shortEnd = match.index + 2 * mark.length;
    result += text.slice(done, shortEnd - mark.length) + mark + ' '.repeat(end - shortEnd);
    ends.set(shortEnd, end);
    done = end;
  }
  return { text: result + text.slice(done), ends };
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  return feed === -1 ? text.length : feed;
}

function endOfString(text: string, mark: string, from: number): number {
  let end = mark.startsWith("'") ? text.indexOf(mark, from) : endOfEscaped(text, mark, from);
  if (end === -1) return text.length;
  end += mark.length;
  // One or two quotes right before the closing ones belong to the text.
  for (let extra = 0; mark.length === 3 && extra < 2 && text[end] === mark[0]; extra++) end++;
  return end;
}

function endOfEscaped(text: string, mark: string, from: number): number {
  const part = mark === '"' ? /\\[\s\S]|"/g : /\\[\s\S]|"""/g;
  part.lastIndex = from;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    if (match[0] === mark) return match.index;
  }
  return -1;
}
