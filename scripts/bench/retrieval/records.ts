import type { MemoryRecord } from '../../../src/memory/record.ts';

/** A feedback memory that says nothing yet. */
export const EMPTY_RECORD: MemoryRecord = {
  schema_version: 1,
  type: 'feedback',
  situation: '',
  source: 'benchmark',
  core: false,
  core_origin: null,
  needs_review: false,
  project_scoped: false,
  project_slug: '',
  behavior: '',
  impact: '',
  action: '',
  subject: null,
  predicate: null,
  object: null,
  surfaced_count: 0,
  followed_count: 0,
  not_followed_count: 0,
  irrelevant_count: 0,
  missed_count: 0,
  initial_confidence: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  extra: null,
};
