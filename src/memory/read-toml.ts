import { extraOf } from './extra.ts';
import { decodeFile, MAX_FILE_BYTES, placeOfKey, withLineFeeds } from './file-text.ts';
import { lenientFlag } from './lenient-values.ts';
import { addNote, flagOf, leaveAlone, originOf, type Reading, startReading, textOf } from './reading.ts';
import type { MemoryDirectory, MemoryRecord, MemoryType, ReadResult } from './record.ts';
import { findFileSecret } from './secrets.ts';
import { directoryOfType } from './slug.ts';
import { readM1Texts, readTexts, type Texts } from './texts.ts';
import {
  isQuarantined,
  nestedTooDeeply,
  parseTable,
  type Quarantined,
  quarantined,
  type TomlTable,
} from './toml-table.ts';
import { confidenceOf, counterOf, timeOf } from './tracking.ts';
import { impliedType, layoutOf } from './variants.ts';

export { MAX_FILE_BYTES };

/**
 * Reads one memory file of any variant (MF-13 to MF-27, as far as bytes alone decide).
 *
 * Total: every input gives a record, or the reason why there is none. Whether an unusable file is still being written
 * (MF-20) is for the caller, who knows what stood there before.
 *
 * @param bytes - the whole file
 * @param directory - where it lies; decides the type only where nothing in the file does (MF-5, MF-15)
 */
export function readMemory(bytes: Uint8Array, directory: MemoryDirectory): ReadResult {
  if (bytes.length > MAX_FILE_BYTES) return quarantined('too-large', `larger than ${MAX_FILE_BYTES} bytes`);
  if (bytes.length === 0) return quarantined('truncated', 'the file is empty');
  const decoded = decodeFile(bytes);
  if (decoded.kind === 'not-utf8') return quarantined('not-utf8', 'a byte that is not UTF-8', decoded);
  const text = withLineFeeds(decoded.text);
  const table = parseTable(text);
  const secret = fileSecret(text, table);
  // Before anything else: what else is wrong with the file is told in words that may quote it.
  if (secret !== null) return secret;
  if (isQuarantined(table)) return table;
  try {
    return readTable(table, text, directory);
  } catch (error) {
    // One file must never fail a command that is about all of them.
    if (error instanceof RangeError) return nestedTooDeeply();
    throw error;
  }
}

/** A file that holds a secret, which is never read (D14); null for any other. */
function fileSecret(text: string, table: TomlTable | Quarantined): Quarantined | null {
  if (text === secretFree) return null;
  const found = findFileSecret(text, isQuarantined(table) ? null : table);
  if (found === null) {
    secretFree = text;
    return null;
  }
  const { key, kind, line } = found;
  const where = key ?? 'a comment or an unknown key';
  return quarantined('secret', `${where} seems to hold a secret (${kind})`, { line, column: 1 });
}

/** One write reads the same file ten times in all. */
let secretFree: string | null = null;

function readTable(table: TomlTable, text: string, directory: MemoryDirectory): ReadResult {
  const layout = layoutOf(table);
  if (layout === null) {
    return quarantined('invalid', 'content is neither a table nor a text', placeOfKey(text, 'content'));
  }
  const reading = startReading(table, layout, text);
  if (layout.versionUnusable) leaveAlone(reading, 'schema_version', 'no version number; read as 1');
  const type = typeOf(reading, directory);
  if (type === null) return quarantined('invalid', 'content has the fields of both types, and type is missing');
  const texts = layout.variant === 'M1' ? readM1Texts(reading) : readTexts(reading, type);
  if ('kind' in texts) return texts;
  if (isScopedToNothing(reading)) {
    const place = placeOfKey(text, 'project_scoped');
    return quarantined('invalid', 'project_slug missing: project_scoped is true', place);
  }
  const record = recordOf(reading, type, texts);
  const { variant, newerVersion } = layout;
  const { notes, present, unusable } = reading;
  return { kind: 'ok', memory: { record, variant, newerVersion, notes, present, unusable } };
}

function typeOf(reading: Reading, directory: MemoryDirectory): MemoryType | null {
  const { type } = reading.table;
  const isNamed = type === 'feedback' || type === 'fact';
  if (type !== undefined && !isNamed)
    leaveAlone(reading, 'type', 'neither "feedback" nor "fact"; taken from the content');
  // The fields of M1 are those of a feedback memory, whatever is said.
  const isM1 = reading.layout.variant === 'M1';
  const found = isM1 ? 'feedback' : isNamed ? type : impliedType(reading.layout, directory);
  if (found !== null && directoryOfType(found) !== directory) {
    addNote(reading, 'type', `a ${found} memory in memory/${directory}; it is read and written where it lies`);
  }
  return found;
}

/** Such a memory would be shown nowhere, and no edit of it could be written (MF-12). */
function isScopedToNothing({ table }: Reading): boolean {
  const slug = typeof table.project_slug === 'string' ? table.project_slug : '';
  return table.project_scoped !== undefined && lenientFlag(table.project_scoped) === true && slug.trim() === '';
}

function recordOf(reading: Reading, type: MemoryType, texts: Texts): MemoryRecord {
  const { table, layout } = reading;
  return {
    schema_version: layout.schemaVersion,
    type,
    situation: texts.situation,
    source: textOf(reading, 'source'),
    core: flagOf(reading, 'core'),
    core_origin: originOf(reading),
    needs_review: flagOf(reading, 'needs_review') || layout.variant === 'M1',
    project_scoped: flagOf(reading, 'project_scoped'),
    project_slug: textOf(reading, 'project_slug'),
    behavior: texts.behavior,
    impact: texts.impact,
    action: texts.action,
    subject: texts.subject,
    predicate: texts.predicate,
    object: texts.object,
    surfaced_count: counterOf(reading, 'surfaced_count'),
    followed_count: counterOf(reading, 'followed_count'),
    not_followed_count: counterOf(reading, 'not_followed_count'),
    irrelevant_count: counterOf(reading, 'irrelevant_count'),
    missed_count: counterOf(reading, 'missed_count'),
    initial_confidence: confidenceOf(reading),
    created_at: timeOf(reading, 'created_at'),
    updated_at: timeOf(reading, 'updated_at'),
    extra: extraOf(table, layout, type),
  };
}
