import { type MemoryRecord, type ParsedMemory, TRACKING_KEYS } from '../../src/memory/record.ts';

/** A feedback record with counters, both times and a confidence; `changes` on top. */
export function record(changes: Partial<MemoryRecord> = {}): MemoryRecord {
  return { ...FEEDBACK, ...changes };
}

/** The same as a fact. */
export function fact(changes: Partial<MemoryRecord> = {}): MemoryRecord {
  const texts = { behavior: null, impact: null, action: null };
  return record({
    ...texts,
    type: 'fact',
    subject: 'invoice-worker',
    predicate: 'reads-time-from',
    object: 'db',
    ...changes,
  });
}

/** A file with every tracking key, nothing unusable. */
export function parsed(changes: Partial<ParsedMemory> = {}): ParsedMemory {
  return {
    record: record(),
    variant: 'M4-top',
    newerVersion: false,
    notes: [],
    present: TRACKING_KEYS,
    unusable: [],
    ...changes,
  };
}

const FEEDBACK: MemoryRecord = {
  schema_version: 1,
  type: 'feedback',
  situation: 'When adding a column to a table that holds many rows',
  source: 'user correction, 2026-04-02',
  core: false,
  core_origin: null,
  needs_review: false,
  project_scoped: false,
  project_slug: '',
  behavior: 'Adding the column NOT NULL with a default in one migration',
  impact: 'The orders table was locked for nine minutes',
  action: 'Add it nullable, backfill, then set NOT NULL',
  subject: null,
  predicate: null,
  object: null,
  surfaced_count: 6,
  followed_count: 4,
  not_followed_count: 1,
  irrelevant_count: 0,
  missed_count: 0,
  initial_confidence: 0.7,
  created_at: '2026-04-02T10:00:00Z',
  updated_at: '2026-04-20T08:15:30Z',
  extra: null,
};
