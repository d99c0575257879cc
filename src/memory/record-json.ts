import { EngramError } from '../errors.ts';
import { CONTENT_KEYS, COUNTER_KEYS, type MemoryRecord, TIME_KEYS } from './record.ts';

/** A record as JSON with every key in a fixed order: equal records give equal texts, so texts can be hashed. */
export function recordToJson(record: MemoryRecord): string {
  return JSON.stringify(inOrder(record));
}

/**
 * The record of a text that `recordToJson` made.
 *
 * @throws EngramError `database.damaged` when the text has another shape
 */
export function recordFromJson(text: string): MemoryRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged('no JSON', error);
  }
  if (!isRecord(value)) throw damaged('a key is missing or has a wrong value');
  return inOrder(value);
}

function inOrder(record: MemoryRecord): MemoryRecord {
  return {
    schema_version: record.schema_version,
    type: record.type,
    source: record.source,
    core: record.core,
    core_origin: record.core_origin,
    needs_review: record.needs_review,
    situation: record.situation,
    project_scoped: record.project_scoped,
    project_slug: record.project_slug,
    created_at: record.created_at,
    updated_at: record.updated_at,
    surfaced_count: record.surfaced_count,
    followed_count: record.followed_count,
    not_followed_count: record.not_followed_count,
    irrelevant_count: record.irrelevant_count,
    missed_count: record.missed_count,
    initial_confidence: record.initial_confidence,
    behavior: record.behavior,
    impact: record.impact,
    action: record.action,
    subject: record.subject,
    predicate: record.predicate,
    object: record.object,
    extra: record.extra,
  };
}

const BOOLEAN_KEYS = ['core', 'needs_review', 'project_scoped'] as const;
const STRING_KEYS = ['situation', 'source', 'project_slug'] as const;
const OPTIONAL_STRING_KEYS = [...CONTENT_KEYS, ...TIME_KEYS, 'extra'] as const;

function isRecord(value: unknown): value is MemoryRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record: Partial<Record<keyof MemoryRecord, unknown>> = value;
  return (
    (record.type === 'feedback' || record.type === 'fact') &&
    (record.core_origin === null || record.core_origin === 'user' || record.core_origin === 'auto') &&
    Number.isSafeInteger(record.schema_version) &&
    (record.initial_confidence === null || typeof record.initial_confidence === 'number') &&
    BOOLEAN_KEYS.every((key) => typeof record[key] === 'boolean') &&
    STRING_KEYS.every((key) => typeof record[key] === 'string') &&
    OPTIONAL_STRING_KEYS.every((key) => record[key] === null || typeof record[key] === 'string') &&
    COUNTER_KEYS.every((key) => Number.isSafeInteger(record[key]))
  );
}

function damaged(reason: string, cause?: unknown): EngramError {
  return new EngramError('database.damaged', `a stored record cannot be read: ${reason}`, {
    hint: 'Run: engram db rebuild',
    cause,
  });
}
