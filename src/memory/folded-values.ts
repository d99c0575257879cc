import { tokenPlaces } from './token-places.ts';

/** Texts in which each string of several lines stands on one, and the way back. */
export interface FoldedTexts<Key extends string> {
  readonly texts: Readonly<Record<Key, string>>;
  /** Puts the strings back, also into a text that was merged from these. */
  unfold(text: string): string;
}

/**
 * Folds the multi-line strings of several versions of one file, so that a merge by lines takes a value whole or not at all:
 * marks of a conflict inside a string would be part of a readable memory. Equal strings fold to equal lines.
 *
 * @param texts - valid TOML without byte order mark
 * @throws whatever the parser of positions throws when it does not accept one of them
 */
export function foldValues<Key extends string>(texts: Readonly<Record<Key, string>>): FoldedTexts<Key> {
  const versions = Object.entries<string>(texts);
  const mark = unusedMark(versions.map(([, text]) => text));
  const values: string[] = [];
  const folded = versions.map(([key, text]) => [key, foldOne(text, mark, values)] as const);
  return {
    texts: Object.fromEntries(folded) as Record<Key, string>,
    unfold: (text) => text.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (found, at) => values[Number(at)] ?? found),
  };
}

function unusedMark(texts: readonly string[]): string {
  let mark = 'engram-value-';
  while (texts.some((text) => text.includes(mark))) mark += '-';
  return mark;
}

/** `values` gets what was folded; its index is the number in the fold. */
function foldOne(text: string, mark: string, values: string[]): string {
  if (!/"""|'''/.test(text)) return text;
  const { top, content } = tokenPlaces(text);
  const tokens = [...top, ...content].filter(({ kind }) => kind.startsWith('multi-line'));
  let result = '';
  let done = 0;
  for (const { valueStart, end } of tokens.sort((a, b) => a.valueStart - b.valueStart)) {
    const value = text.slice(valueStart, end);
    if (!values.includes(value)) values.push(value);
    result += `${text.slice(done, valueStart)}"${mark}${values.indexOf(value)}"`;
    done = end;
  }
  return result + text.slice(done);
}
