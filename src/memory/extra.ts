import { TomlDate } from 'smol-toml';
import { contentKeysOf, type MemoryType, RECORD_KEYS, TRACKING_KEYS } from './record.ts';
import type { TomlTable, TomlValue } from './toml-table.ts';
import { type Layout, M1_KEYS } from './variants.ts';

const CONTENT_FIELDS = new Set<string>(['behavior', 'impact', 'action', 'subject', 'predicate', 'object', 'extra']);

const TOP_KEYS: ReadonlySet<string> = new Set([
  ...RECORD_KEYS.filter((key) => !CONTENT_FIELDS.has(key)),
  'content',
  'pending_evaluations',
]);

const KNOWN_KEYS = {
  m1: new Set<string>([...TOP_KEYS, ...M1_KEYS]),
  flat: {
    feedback: new Set<string>([...TOP_KEYS, ...contentKeysOf('feedback')]),
    fact: new Set<string>([...TOP_KEYS, ...contentKeysOf('fact')]),
  },
  content: {
    feedback: new Set<string>([...contentKeysOf('feedback'), ...TRACKING_KEYS, 'pending_evaluations']),
    fact: new Set<string>([...contentKeysOf('fact'), ...TRACKING_KEYS, 'pending_evaluations']),
  },
} as const;

/**
 * Unknown keys and tables as canonical JSON: keys sorted by UTF-16 unit, those of `[content]` below `content`; null
 * when there are none (MF-18).
 *
 * What JSON has no value for is an object with one key, `$date`, `$float` (`inf`, `-inf`, `nan`) or `$integer`, and the
 * TOML token as its text; a table that looks the same has one `$` more.
 */
export function extraOf(table: TomlTable, layout: Layout, type: MemoryType): string | null {
  const { nested, variant } = layout;
  const known = variant === 'M1' ? KNOWN_KEYS.m1 : nested === null ? KNOWN_KEYS.flat[type] : TOP_KEYS;
  const top = unknownKeys(table, known);
  const content = nested === null ? [] : unknownKeys(nested, KNOWN_KEYS.content[type]);
  if (top.length === 0 && content.length === 0) return null;
  const members = top.map((key) => [key, jsonOf(table[key])] as const);
  if (nested !== null && content.length > 0) {
    members.push(['content', objectOf(content.map((key) => [key, jsonOf(nested[key])]))]);
  }
  return objectOf(members);
}

/** The kinds that JSON cannot say, as `extraOf` marks them. */
export const MARKED_KINDS = ['date', 'float', 'integer'] as const;

function unknownKeys(table: TomlTable, known: ReadonlySet<string>): string[] {
  const unknown: string[] = [];
  for (const key in table) if (!known.has(key)) unknown.push(key);
  return unknown;
}

const MARKER = /^\$+(?:date|float|integer)$/;

function jsonOf(value: TomlValue | undefined): string {
  if (typeof value === 'bigint') return marked('integer', value.toString());
  if (typeof value === 'number' && !Number.isFinite(value))
    return marked('float', String(value).replace('Infinity', 'inf').toLowerCase());
  if (value instanceof TomlDate)
    return marked(
      'date',
      value
        .toISOString()
        .replace(/(\.\d*?)0+(?=\D|$)/, '$1')
        .replace(/\.(?=\D|$)/, ''),
    );
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value !== 'object') return JSON.stringify(value ?? null);
  const members = Object.entries(value as TomlTable);
  const [only] = members;
  const marks = members.length === 1 && only !== undefined && MARKER.test(only[0]) ? '$' : '';
  return objectOf(members.map(([key, member]) => [marks + key, jsonOf(member)]));
}

function marked(kind: (typeof MARKED_KINDS)[number], token: string): string {
  return `{"$${kind}":${JSON.stringify(token)}}`;
}

function objectOf(members: readonly (readonly [string, string])[]): string {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}
