import { EngramError } from '../errors.ts';
import { insertPlace } from './insert-place.ts';
import { lenientConfidence, lenientCount, lenientFlag, lenientTime } from './lenient-values.ts';
import { freshToken, type NewValue, replacementToken, type ValueShape } from './new-token.ts';
import {
  CONTENT_KEYS,
  COUNTER_KEYS,
  type MemoryRecord,
  type ParsedMemory,
  RECORD_KEYS,
  type RecordChanges,
  type RecordKey,
  TIME_KEYS,
  TRACKING_KEYS,
} from './record.ts';
import { fileLineEnd, insertedLine, removedLines, type Splice } from './splices.ts';
import { parseTimestamp } from './timestamps.ts';
import type { Token, TokenPlaces } from './token-places.ts';
import { isTable, type TomlTable, type TomlValue } from './toml-table.ts';
import { fileKeyOf } from './variants.ts';

/** A file taken apart for an edit. */
export interface EditableFile {
  readonly memory: ParsedMemory;
  /** Without byte order mark, with its line ends. */
  readonly text: string;
  readonly hasBom: boolean;
  readonly table: TomlTable;
  readonly places: TokenPlaces;
}

/** One key that is to have a value, and what that takes; null removes. */
export interface Edit {
  readonly key: RecordKey;
  /** The key in the file: another one in M1. */
  readonly fileKey: string;
  readonly value: NewValue | null;
  readonly splices: readonly Splice[];
}

/** What has to be done to the text for the named keys to have their values (MF-28, MF-29). */
export function editsOf(file: EditableFile, changes: RecordChanges): Edit[] {
  const edits: Edit[] = [];
  for (const key of RECORD_KEYS) {
    if (key === 'extra' || key === 'type' || key === 'schema_version') continue;
    const value = changes[key];
    if (value === undefined) continue;
    if (file.memory.unusable.includes(key)) throw layoutError(`the value of ${key} has to be repaired first`);
    const fileKey = fileKeyOf(key, file.memory.variant);
    const wanted = normalised(key, value);
    const splices = splicesOf(file, key, fileKey, wanted, changes.source !== undefined);
    edits.push({ key, fileKey, value: wanted, splices });
  }
  return edits;
}

function splicesOf(
  file: EditableFile,
  key: RecordKey,
  fileKey: string,
  value: NewValue | null,
  sourceChanges: boolean,
): Splice[] {
  const present = file.memory.record[key];
  const tokens = tokensOf(file, key, fileKey);
  if (value === null) {
    if (key === 'core_origin') return tokens.map(({ token }) => removedLines(file.text, token));
    if (present === null) return [];
    throw layoutError(`${key} cannot be removed`);
  }
  if (tokens.length === 0) {
    // What follows from other keys is not written beside them, unless the source it follows from is changing.
    const staysImplied = present === value && impliedKeys(file).includes(key);
    if (staysImplied && !(key === 'initial_confidence' && sourceChanges)) return [];
    const place = insertPlace(fileKey, file.places);
    if (place === null) throw layoutError(`there is no line to put ${fileKey} at`);
    return [insertedLine(file.text, place, `${fileKey} = ${freshToken(value, shapeOf(key))}`)];
  }
  return tokens
    .filter((entry) => usedValue(key, entry.value, file.text) !== value)
    .map(({ token }) => {
      const old = file.text.slice(token.valueStart, token.end);
      const text = replacementToken(value, shapeOf(key), token, old, fileLineEnd(file.text));
      return { start: token.valueStart, end: token.end, text };
    });
}

/** The tokens a key is read from: a tracking key may stand at both levels (MF-21). */
function tokensOf(
  { places, table }: EditableFile,
  key: RecordKey,
  fileKey: string,
): { token: Token; value: TomlValue }[] {
  const nested = isTable(table.content) ? table.content : null;
  const isTracking = TRACKING_KEYS.some((candidate) => candidate === key);
  const isContent = CONTENT_KEYS.some((candidate) => candidate === key);
  const atTop = isTracking || !isContent || nested === null ? places.top : [];
  const inContent = isTracking || isContent ? places.content : [];
  return [
    ...atTop.filter((token) => token.key === fileKey).map((token) => ({ token, value: table[fileKey] })),
    ...inContent.filter((token) => token.key === fileKey).map((token) => ({ token, value: nested?.[fileKey] })),
  ].flatMap(({ token, value }) => (value === undefined ? [] : [{ token, value }]));
}

/** Keys of the record without a token of their own: their value comes from other keys (MF-14, MF-16). */
export function impliedKeys(file: EditableFile): RecordKey[] {
  const { memory } = file;
  const isM1 = memory.variant === 'M1';
  const candidates: readonly RecordKey[] = isM1
    ? ['situation', 'needs_review', 'action', 'behavior', 'impact', 'not_followed_count', 'initial_confidence']
    : ['initial_confidence'];
  return candidates.filter((key) => tokensOf(file, key, fileKeyOf(key, memory.variant)).length === 0);
}

function shapeOf(key: RecordKey): ValueShape {
  if (COUNTER_KEYS.some((candidate) => candidate === key)) return 'count';
  if (TIME_KEYS.some((candidate) => candidate === key)) return 'time';
  if (key === 'initial_confidence') return 'confidence';
  return key === 'core' || key === 'needs_review' || key === 'project_scoped' ? 'flag' : 'text';
}

/** What a token is read as. */
function usedValue(key: RecordKey, value: TomlValue, text: string): MemoryRecord[RecordKey] {
  const shape = shapeOf(key);
  if (shape === 'count') return lenientCount(value);
  if (shape === 'confidence') return lenientConfidence(value);
  if (shape === 'flag') return lenientFlag(value);
  if (shape === 'time') return lenientTime(value, key, text);
  return typeof value === 'string' ? value : null;
}

function normalised(key: RecordKey, value: NewValue | null): NewValue | null {
  return shapeOf(key) === 'time' && typeof value === 'string' ? (parseTimestamp(value) ?? value) : value;
}

export function layoutError(reason: string, cause?: unknown): EngramError {
  return new EngramError('memory.layout', `the file cannot be edited in place: ${reason}`, {
    hint: 'Change it by hand in an editor; the next sync takes it over.',
    cause,
  });
}
