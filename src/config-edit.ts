import type { AST } from 'toml-eslint-parser';
import { CONFIG_KEYS, type ConfigName } from './config-keys.ts';
import type { ConfigValue } from './config-values.ts';
import { EngramError } from './errors.ts';

/** Settings to write; null takes one out, so that its default applies. */
export type ConfigChanges = Partial<Record<ConfigName, ConfigValue | null>>;

/**
 * The text of config.toml after some settings of a table were changed. Comments, order, line ends and everything else stay
 * as they are; what is new goes to the end of its table. Of a line that goes, its comment stays.
 *
 * @param text - a config.toml that can be used
 * @throws EngramError `config.invalid` where the table is written in one line, or the result would say something else
 */
export async function editConfig(text: string, changes: ConfigChanges): Promise<string> {
  const { parseTOML } = await import('toml-eslint-parser');
  let after = text;
  // Each change moves what stands behind it, so each looks again.
  for (const [name, value] of Object.entries(changes) as [ConfigName, ConfigValue | null][]) {
    const [table = '', key = ''] = CONFIG_KEYS[name].key?.split('.') ?? [];
    after = changed(after, parseTOML(after).body[0], table, key, value);
  }
  await check(text, after, changes);
  return after;
}

function changed(
  text: string,
  top: AST.TOMLTopLevelTable,
  table: string,
  key: string,
  value: ConfigValue | null,
): string {
  const places = placesOf(top, table);
  const found = places.find((place) => place.key === key);
  if (found !== undefined)
    return value === null ? without(text, found.node) : replaced(text, found.node.value.range, token(value));
  if (value === null) return text;
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const header = top.body.find((node): node is AST.TOMLTable => node.type === 'TOMLTable' && isNamed(node, table));
  const last = places.at(-1);
  if (header === undefined && last === undefined) {
    const before = text === '' ? '' : text.endsWith('\n') ? lineBreak : lineBreak.repeat(2);
    return `${text}${before}[${table}]${lineBreak}${key} = ${token(value)}${lineBreak}`;
  }
  const line = `${header === undefined ? `${table}.` : ''}${key} = ${token(value)}`;
  const at = endOfLine(text, last?.node.range[1] ?? header?.key.range[1] ?? 0);
  return `${text.slice(0, at)}${lineBreak}${line}${text.slice(at)}`;
}

interface Place {
  readonly key: string;
  readonly node: AST.TOMLKeyValue;
}

/** The keys of a table, in `[table]` or with dots at the top. */
function placesOf(top: AST.TOMLTopLevelTable, table: string): Place[] {
  return top.body.flatMap((node): Place[] => {
    if (node.type === 'TOMLTable') {
      return isNamed(node, table) ? node.body.map((each) => ({ key: names(each.key).join('.'), node: each })) : [];
    }
    const [first, ...rest] = names(node.key);
    if (first !== table) return [];
    if (rest.length === 0) throw unsuited(`${table} is written in one line`);
    return [{ key: rest.join('.'), node }];
  });
}

function isNamed({ resolvedKey }: AST.TOMLTable, table: string): boolean {
  return resolvedKey.length === 1 && resolvedKey[0] === table;
}

function names({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
}

/** Without the assignment, and without its line unless a comment stands there. */
function without(text: string, { range: [from, to] }: AST.TOMLKeyValue): string {
  const end = endOfLine(text, to);
  const rest = text.slice(to, end).trim();
  if (rest !== '') return replaced(text, [from, end - text.slice(to, end).trimStart().length], '');
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', end);
  return replaced(text, [start, next === -1 ? text.length : next + 1], '');
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function replaced(text: string, [from, to]: readonly [number, number], by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}

/** What JSON writes is TOML too, but for DEL. */
function token(value: ConfigValue): string {
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

async function check(before: string, after: string, changes: ConfigChanges): Promise<void> {
  const { parse } = await import('smol-toml');
  const expected = flattened(parse(before));
  for (const [name, value] of Object.entries(changes) as [ConfigName, ConfigValue | null][]) {
    const { key } = CONFIG_KEYS[name];
    if (key === null) throw unsuited(`${name} is not set there`);
    if (value === null) expected.delete(key);
    else expected.set(key, JSON.stringify(value));
  }
  const actual = flattened(parse(after));
  const same = expected.size === actual.size && [...expected].every(([key, value]) => actual.get(key) === value);
  if (!same) throw unsuited('it cannot be changed in place');
}

function flattened(table: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [...flattened(value, `${prefix}${key}.`)]
        : [[`${prefix}${key}`, JSON.stringify(value)] as const],
    ),
  );
}

function unsuited(reason: string): EngramError {
  return new EngramError('config.invalid', `config.toml: ${reason}`, {
    hint: 'Edit it by hand; the keys: engram config --help',
  });
}
