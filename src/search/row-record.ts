import type { MemoryRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type MemoryRow, rowRecord } from '../store/memories.ts';

/** The record of a row. A row that a shell made may lack any key but its name until the next sync; defaults stand in. */
export function completedRecord(row: MemoryRow): MemoryRecord {
  const type = directoryOf(row.name as MemoryName) === 'facts' ? 'fact' : 'feedback';
  return { ...ABSENT, type, ...rowRecord(row), extra: row.extra };
}

const ABSENT: MemoryRecord = {
  schema_version: 1,
  type: 'feedback',
  situation: '',
  source: '',
  core: false,
  core_origin: null,
  needs_review: false,
  project_scoped: false,
  project_slug: '',
  behavior: null,
  impact: null,
  action: null,
  subject: null,
  predicate: null,
  object: null,
  surfaced_count: 0,
  followed_count: 0,
  not_followed_count: 0,
  irrelevant_count: 0,
  missed_count: 0,
  initial_confidence: null,
  created_at: null,
  updated_at: null,
  extra: null,
};
