import { decodeFile, withLineFeeds } from './file-text.ts';
import { readMemory } from './read-toml.ts';
import { type MemoryRecord, RECORD_KEYS, type RecordKey } from './record.ts';
import { isQuarantined, isTable, parseTable, type TomlTable, type TomlValue } from './toml-table.ts';

/** What an edit meant to do. */
export interface Intent {
  readonly before: Uint8Array;
  readonly record: MemoryRecord;
  /** Keys of the record whose value follows from other keys, so that it may move with them. */
  readonly implied: readonly RecordKey[];
  /** Keys of the file that were written, at whatever level. */
  readonly written: ReadonlySet<string>;
}

/**
 * Whether the edited bytes say the intended record, and nothing that was not meant changed (MF-30).
 *
 * @returns the reason why not, or null
 */
export function findEditFault(after: Uint8Array, intent: Intent): string | null {
  const result = readMemory(after, 'feedback');
  if (result.kind !== 'ok') return `it would not be readable afterwards (${result.message})`;
  const { record } = result.memory;
  const wrong = RECORD_KEYS.find((key) => !intent.implied.includes(key) && record[key] !== intent.record[key]);
  if (wrong !== undefined) return `${wrong} would not get its value`;
  return sameBeyond(tableOf(intent.before), tableOf(after), intent.written) ? null : 'other keys would change';
}

function tableOf(bytes: Uint8Array): TomlTable | null {
  const decoded = decodeFile(bytes);
  const table = decoded.kind === 'text' ? parseTable(withLineFeeds(decoded.text)) : null;
  return table === null || isQuarantined(table) ? null : table;
}

/** Equal but for the written keys and `pending_evaluations`, at top level and below `[content]`. */
function sameBeyond(a: TomlTable | null, b: TomlTable | null, written: ReadonlySet<string>): boolean {
  if (a === null || b === null) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (written.has(key) || key === 'pending_evaluations') continue;
    const [x, y] = [a[key], b[key]];
    const same = key === 'content' && isTable(x) && isTable(y) ? sameBeyond(x, y, written) : sameValue(x, y);
    if (!same) return false;
  }
  return true;
}

function sameValue(a: TomlValue | undefined, b: TomlValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return Object.is(a, b);
  if (a instanceof Date || b instanceof Date) {
    return a instanceof Date && b instanceof Date && a.toISOString() === b.toISOString();
  }
  const [left, right] = [Object.entries(a), Object.entries(b)];
  const other = new Map<string, TomlValue>(right);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.length &&
    left.every(([key, value]) => other.has(key) && sameValue(value, other.get(key)))
  );
}
