import { emptyRecord, type MemoryRecord } from '../../../src/memory/record.ts';

/** A feedback memory that says nothing yet. */
export const EMPTY_RECORD: MemoryRecord = {
  ...emptyRecord('feedback', '2026-01-01T00:00:00Z'),
  source: 'benchmark',
  behavior: '',
  impact: '',
  action: '',
};
