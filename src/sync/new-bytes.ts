import { EngramError } from '../errors.ts';
import { editMemory } from '../memory/edit-toml.ts';
import {
  type MemoryRecord,
  type ParsedMemory,
  RECORD_KEYS,
  type RecordChanges,
  type RecordKey,
  TRACKING_KEYS,
  type TrackingKey,
} from '../memory/record.ts';

/**
 * The bytes of a file after it was made to say `wanted`. Only values that differ are written, and tracking keys that the
 * last agreement had return (MF-22); tokens that cannot be used stay (MF-24).
 *
 * @param knownKeys - tracking keys that stood in the file of the last agreement
 * @throws EngramError `memory.layout` when the file cannot be edited in place (MF-30)
 */
export function bytesSaying(
  wanted: MemoryRecord,
  file: { readonly parsed: ParsedMemory; readonly bytes: Uint8Array },
  knownKeys: readonly TrackingKey[],
): Uint8Array {
  const changes = changesTo(wanted, file.parsed, knownKeys);
  return Object.keys(changes).length === 0 ? file.bytes : editMemory(file.bytes, changes);
}

/** Whether `text` and `bytes`, which say `record`, differ in values alone: comments, order and unknown keys are the same. */
export function isLaidOutAs(
  text: { readonly parsed: ParsedMemory; readonly bytes: Uint8Array },
  record: MemoryRecord,
  bytes: Uint8Array,
): boolean {
  if (sameBytes(text.bytes, bytes)) return true;
  try {
    return sameBytes(bytesSaying(record, text, []), bytes);
  } catch (error) {
    if (error instanceof EngramError && error.code === 'memory.layout') return false;
    throw error;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function changesTo(wanted: MemoryRecord, parsed: ParsedMemory, knownKeys: readonly TrackingKey[]): RecordChanges {
  const changes: Partial<Record<RecordKey, MemoryRecord[RecordKey]>> = {};
  for (const key of RECORD_KEYS) {
    if (key === 'extra' || key === 'type' || key === 'schema_version' || parsed.unusable.includes(key)) continue;
    const differs = wanted[key] !== parsed.record[key] && (wanted[key] !== null || key === 'core_origin');
    if (differs || isLost(key, parsed, knownKeys)) changes[key] = wanted[key];
  }
  return changes as RecordChanges;
}

function isLost(key: RecordKey, parsed: ParsedMemory, knownKeys: readonly TrackingKey[]): boolean {
  const tracked = TRACKING_KEYS.find((candidate) => candidate === key);
  return tracked !== undefined && knownKeys.includes(tracked) && !parsed.present.includes(tracked);
}
