import { readMemory } from '../../src/memory/read-toml.ts';
import type { MemoryDirectory, MemoryRecord, ParsedMemory } from '../../src/memory/record.ts';

const COMMON = {
  schema_version: 1,
  source: 'user correction, 2026-04-02',
  core: false,
  core_origin: null,
  needs_review: false,
  project_scoped: false,
  project_slug: '',
  surfaced_count: 0,
  followed_count: 0,
  not_followed_count: 0,
  irrelevant_count: 0,
  missed_count: 0,
  initial_confidence: 1,
  created_at: '2026-04-02T10:00:00Z',
  updated_at: '2026-04-02T10:00:00Z',
  extra: null,
} as const;

/** A valid feedback record, with the given keys changed. */
export function aFeedback(changes: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    ...COMMON,
    type: 'feedback',
    situation: 'When regenerating the API client',
    behavior: 'Editing the generated client by hand',
    impact: 'The next generation run removed the fix',
    action: 'Change the schema, then run make client',
    subject: null,
    predicate: null,
    object: null,
    ...changes,
  };
}

/** A valid fact record, with the given keys changed. */
export function aFact(changes: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    ...COMMON,
    type: 'fact',
    situation: 'When scheduling the nightly invoice run',
    behavior: null,
    impact: null,
    action: null,
    subject: 'invoice-worker',
    predicate: 'reads-time-from',
    object: 'the database server',
    ...changes,
  };
}

const utf8 = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return utf8.encode(text);
}

/** What the reader says about a file that must be readable. */
export function memoryOf(file: Uint8Array | string, directory: MemoryDirectory = 'feedback'): ParsedMemory {
  const result = readMemory(typeof file === 'string' ? bytesOf(file) : file, directory);
  if (result.kind !== 'ok')
    throw new Error(`unreadable: ${result.line}:${result.column} ${result.reason} ${result.message}`);
  return result.memory;
}

export function recordOf(file: Uint8Array | string): MemoryRecord {
  return memoryOf(file).record;
}
