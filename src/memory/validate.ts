import { EngramError } from '../errors.ts';
import {
  CONTENT_KEYS,
  COUNTER_KEYS,
  contentKeysOf,
  type MemoryRecord,
  type ReadNote,
  type RecordKey,
  TIME_KEYS,
} from './record.ts';
import { findRecordSecret } from './secrets.ts';
import { parseTimestamp } from './timestamps.ts';

/** In characters (code points), as memory-format.md section 2 counts. */
const SITUATION_LIMIT = 2_000;
const CONTENT_LIMIT = 8_000;
const SOURCE_LIMIT = 500;

/**
 * Checks a record that engram is about to write (MF-12). Files of others are read more leniently (MF-24).
 *
 * @throws EngramError `memory.invalid`; the message begins with the key that is wrong
 */
export function validateRecord(record: MemoryRecord): void {
  refuseSecret(record);
  if (record.type !== 'feedback' && record.type !== 'fact') refuse('type', 'must be "feedback" or "fact"');
  requireText('situation', record.situation, SITUATION_LIMIT);
  validateContent(record);
  limitText('source', record.source, SOURCE_LIMIT);
  limitText('project_slug', record.project_slug, Number.POSITIVE_INFINITY);
  if (record.project_scoped && record.project_slug.trim() === '') {
    refuse('project_slug', 'must not be empty when project_scoped is true');
  }
  if (record.core_origin !== null && record.core_origin !== 'user' && record.core_origin !== 'auto') {
    refuse('core_origin', 'must be "user" or "auto"');
  }
  validateTracking(record);
}

/** The value is never told, and is not looked at any further. */
function refuseSecret(record: MemoryRecord): void {
  const found = findRecordSecret(record);
  if (found === null) return;
  const { key, kind, line } = found;
  throw new EngramError('memory.invalid', `${key}: line ${line} seems to hold a secret (${kind})`, {
    hint:
      kind === 'private'
        ? 'Leave out what stands between the marks, and the marks.'
        : 'Say where it is kept instead, or write a name in its place, e.g. <TOKEN> or $DEPLOY_TOKEN.',
  });
}

/** Texts that a person wrote into a file and that engram would not write: they are kept, and noted (MF-27). */
export function overlongTexts(record: MemoryRecord): ReadNote[] {
  const limits = [
    ['situation', SITUATION_LIMIT],
    ...CONTENT_KEYS.map((key) => [key, CONTENT_LIMIT] as const),
    ['source', SOURCE_LIMIT],
  ] as const;
  return limits.flatMap(([key, limit]) => {
    const message = lengthProblem(record[key] ?? '', limit);
    return message === null ? [] : [{ key, message }];
  });
}

function validateContent(record: MemoryRecord): void {
  const own: readonly RecordKey[] = contentKeysOf(record.type);
  for (const key of CONTENT_KEYS) {
    if (own.includes(key)) requireText(key, record[key], CONTENT_LIMIT);
    else if (record[key] !== null) refuse(key, `does not belong to a ${record.type} memory`);
  }
}

function validateTracking(record: MemoryRecord): void {
  for (const key of COUNTER_KEYS) {
    if (!Number.isSafeInteger(record[key]) || record[key] < 0) refuse(key, 'must be a whole number from 0');
  }
  const confidence = record.initial_confidence;
  if (confidence !== null && !(confidence >= 0 && confidence <= 1)) {
    refuse('initial_confidence', 'must be between 0 and 1');
  }
  for (const key of TIME_KEYS) {
    const time = record[key];
    if (time !== null && parseTimestamp(time) !== time) refuse(key, 'must be a UTC time such as 2026-04-02T10:00:00Z');
  }
}

function requireText(key: RecordKey, text: string | null, limit: number): void {
  if (text === null) refuse(key, 'is missing');
  if (text.trim() === '') refuse(key, 'must not be empty');
  limitText(key, text, limit);
}

function limitText(key: RecordKey, text: string, limit: number): void {
  const problem = lengthProblem(text, limit);
  if (problem !== null) refuse(key, problem);
  // Neither can stand in a UTF-8 file or a SQLite text and come back unchanged.
  if (/\p{Surrogate}/u.test(text)) refuse(key, 'contains half of a surrogate pair');
  if (text.includes('\0')) refuse(key, 'contains a NUL character');
}

function lengthProblem(text: string, limit: number): string | null {
  const length = text.length <= limit ? text.length : [...text].length;
  return length > limit ? `has ${length} characters, the limit is ${limit}` : null;
}

function refuse(key: RecordKey, problem: string): never {
  throw new EngramError('memory.invalid', `${key} ${problem}`);
}
