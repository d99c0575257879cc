import { MARKED_KINDS } from './extra.ts';
import { basicString, floatText, keyText } from './toml-values.ts';

type Json = string | number | boolean | null | readonly Json[] | JsonTable;
interface JsonTable {
  readonly [key: string]: Json;
}

/** Unknown keys as lines of a file, by where they stand in the order of MF-31. */
export interface ExtraLines {
  readonly top: readonly string[];
  readonly content: readonly string[];
  /** Whole tables, each with an empty line before its header. */
  readonly tables: readonly string[];
}

/** The lines that `extraOf` came from, without their layout: unknown keys survive a full rendering (MF-31). */
export function renderExtra(extra: string | null): ExtraLines {
  if (extra === null) return { top: [], content: [], tables: [] };
  const { content = {}, ...top } = JSON.parse(extra) as JsonTable;
  const contentTable = isPlainTable(content) ? content : {};
  return {
    top: valueLines(top),
    content: valueLines(contentTable),
    tables: [...tableLines([], top), ...tableLines(['content'], contentTable)],
  };
}

function valueLines(table: JsonTable): string[] {
  const values = Object.entries(table).filter(([, value]) => !isPlainTable(value) && !isTableList(value));
  return values.map(([key, value]) => `${keyText(plainKey(table, key))} = ${inline(value)}`);
}

function tableLines(path: readonly string[], table: JsonTable): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const inner = [...path, keyText(plainKey(table, key))];
    if (isPlainTable(value)) return oneTable(`[${inner.join('.')}]`, inner, value);
    if (isTableList(value)) return value.flatMap((item) => oneTable(`[[${inner.join('.')}]]`, inner, item));
    return [];
  });
}

function oneTable(header: string, path: readonly string[], table: JsonTable): string[] {
  return ['', header, ...valueLines(table), ...tableLines(path, table)];
}

function inline(value: Json): string {
  if (typeof value === 'string') return basicString(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : floatText(value);
  if (isList(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const token = markedToken(value);
  if (token !== null) return token;
  const members = Object.entries(value).map(([key, member]) => `${keyText(plainKey(value, key))} = ${inline(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

const MARKS: ReadonlySet<string> = new Set(MARKED_KINDS.map((kind) => `$${kind}`));

/** The TOML token of a value that JSON cannot say, or null for a table. */
function markedToken(table: JsonTable): string | null {
  const [key, ...others] = Object.keys(table);
  if (key === undefined || others.length > 0 || !MARKS.has(key)) return null;
  const token = table[key];
  return typeof token === 'string' ? token : null;
}

/** A key of the file: where a table looked like a marked value, `extraOf` put one `$` more before it. */
function plainKey(table: JsonTable, key: string): string {
  return Object.keys(table).length === 1 && key.startsWith('$') && MARKS.has(key.replace(/^\$+/, '$'))
    ? key.slice(1)
    : key;
}

function isPlainTable(value: Json): value is JsonTable {
  return typeof value === 'object' && value !== null && !isList(value) && markedToken(value) === null;
}

function isTableList(value: Json): value is readonly JsonTable[] {
  return isList(value) && value.length > 0 && value.every(isPlainTable);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
