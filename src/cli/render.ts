import { visible, visibleJson } from '../text/visible.ts';

/** Marks of a text for a terminal; each returns the text unchanged where colours are off. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

export function createStyle(colored: boolean): Style {
  const mark = (on: number, off: number) => (text: string) =>
    colored && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { bold: mark(1, 22), dim: mark(2, 22), red: mark(31, 39), green: mark(32, 39), yellow: mark(33, 39) };
}

/** One long cell does not push the columns of all other rows away. */
const MOST_PADDING = 48;

/** A table without borders: columns two spaces apart, the last one not padded. Control characters are shown, not sent. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [at, cell] of row.entries()) widths[at] = Math.min(MOST_PADDING, Math.max(widths[at] ?? 0, width(cell)));
  }
  const line = (row: readonly string[]) =>
    row.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - width(cell)))).join('  ');
  return cells.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/**
 * A value as the JSON that `--json` prints: one line, keys in snake_case (`docs/json-output.md`). Keys that are names of
 * memories, paths or record keys are no camelCase and stay.
 */
export function renderJson(value: unknown): string {
  return `${visibleJson(snakeCased(value))}\n`;
}

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [snakeCasedKey(key), snakeCased(each)]));
}

function snakeCasedKey(key: string): string {
  if (!/^[a-z][A-Za-z0-9]*$/.test(key)) return key;
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Text of one line: line breaks and tabs are shown too. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Code points, wide ones counted twice: what a terminal takes for CJK and emoji. */
function width(text: string): number {
  let columns = 0;
  for (const character of text)
    columns += /[\u1100-\u115f\u2e80-\uffdc\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(character) ? 2 : 1;
  return columns;
}
