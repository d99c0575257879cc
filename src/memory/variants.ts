import { lenientCount, lenientVersion } from './lenient-values.ts';
import {
  FACT_KEYS,
  type MemoryDirectory,
  type MemoryType,
  type RecordKey,
  TRACKING_KEYS,
  type Variant,
} from './record.ts';
import { isTable, type TomlTable } from './toml-table.ts';

/** How a file is laid out (MF-13): which tables hold what. */
export interface Layout {
  readonly variant: Variant;
  readonly schemaVersion: number;
  /** `schema_version` is there and is none. */
  readonly versionUnusable: boolean;
  readonly newerVersion: boolean;
  /** The table with the content fields: `[content]`, or the whole file when it is flat. */
  readonly fields: TomlTable;
  /** The `[content]` table; null when the file is flat or M1. */
  readonly nested: TomlTable | null;
}

/** The highest `schema_version` this program writes (MF-17). */
const NEWEST_VERSION = 2;

/** @returns null when `content` is neither a text nor a table */
export function layoutOf(table: TomlTable): Layout | null {
  const { content, schema_version } = table;
  const version = schema_version === undefined ? 1 : lenientVersion(schema_version);
  const schemaVersion = version ?? 1;
  const nested = isTable(content) ? content : null;
  if (content !== undefined && nested === null && typeof content !== 'string') return null;
  return {
    variant: variantOf(table, schemaVersion),
    schemaVersion,
    versionUnusable: version === null,
    newerVersion: schemaVersion > NEWEST_VERSION,
    fields: nested ?? table,
    nested,
  };
}

/**
 * The type of a file whose `type` is missing or unusable (MF-15). Without any content field the directory decides; what
 * is missing is then named.
 *
 * @returns null when the content fields of both types are there
 */
export function impliedType(layout: Layout, directory: MemoryDirectory): MemoryType | null {
  const { fields, nested } = layout;
  if (nested === null) return 'feedback';
  const isFeedback = fields.behavior !== undefined || fields.action !== undefined;
  const factKeyCount = FACT_KEYS.filter((key) => fields[key] !== undefined).length;
  if (isFeedback) return factKeyCount === FACT_KEYS.length ? null : 'feedback';
  if (factKeyCount > 0) return 'fact';
  return fields.impact !== undefined || directory === 'feedback' ? 'feedback' : 'fact';
}

/** Keys that an M1 file uses for what later variants call otherwise (MF-14). */
export const M1_KEYS = [
  'title',
  'content',
  'principle',
  'anti_pattern',
  'rationale',
  'confidence',
  'contradicted_count',
  'ignored_count',
] as const;

/** Content keys that have one M1 key of the same meaning, so that an edit can go there. */
export const M1_NAMES = { action: 'principle', behavior: 'anti_pattern', impact: 'rationale' } as const;

/** What a key of a record is called in a file of this variant. */
export function fileKeyOf(key: RecordKey, variant: Variant): string {
  return variant === 'M1' && (key === 'action' || key === 'behavior' || key === 'impact') ? M1_NAMES[key] : key;
}

const M1_CONFIDENCE = new Map<unknown, number>([
  ['A', 1],
  ['B', 0.7],
  ['C', 0.4],
]);

/** The texts of an M1 file; a text that is missing is empty (MF-14). */
export function m1Texts(table: TomlTable): { situation: string; behavior: string; impact: string; action: string } {
  const content = textOf(table, 'content');
  const title = textOf(table, 'title');
  return {
    situation: title === '' || content === '' ? title + content : `${title}\n${content}`,
    behavior: textOf(table, M1_NAMES.behavior),
    impact: textOf(table, M1_NAMES.impact),
    action: textOf(table, M1_NAMES.action) || content,
  };
}

/** Contradicted and ignored together; null when the file has neither. Unusable counts are left out. */
export function m1NotFollowed(table: TomlTable): number | null {
  const counts = [table.contradicted_count, table.ignored_count].filter((value) => value !== undefined);
  if (counts.length === 0) return null;
  return counts.reduce<number>((sum, value) => sum + (lenientCount(value) ?? 0), 0);
}

/** What stands for a confidence that is not written: the letter of M1 (MF-14), the source of M5 (MF-16). */
export function impliedConfidence(table: TomlTable, layout: Layout): number | null {
  if (layout.variant === 'M1') return M1_CONFIDENCE.get(table.confidence) ?? null;
  if (layout.schemaVersion < 2) return null;
  return table.source === 'human' ? 1 : table.source === 'agent' ? 0.7 : null;
}

function variantOf(table: TomlTable, schemaVersion: number): Variant {
  const { content } = table;
  if (typeof content === 'string') return 'M1';
  const generation = schemaVersion >= 2 ? 'M5' : 'M4';
  if (isTable(content)) return hasMoreTracking(content, table) ? `${generation}-nested` : `${generation}-top`;
  if (schemaVersion >= 2) return 'M5-top';
  return table.schema_version === undefined ? 'M2' : 'M3';
}

function hasMoreTracking(content: TomlTable, table: TomlTable): boolean {
  return trackingCount(content) > trackingCount(table);
}

/** How many tracking keys stand in this table. */
function trackingCount(table: TomlTable): number {
  let count = 0;
  for (const key of TRACKING_KEYS) if (table[key] !== undefined) count++;
  return count;
}

function textOf(table: TomlTable, key: string): string {
  const value = table[key];
  return typeof value === 'string' ? value : '';
}
