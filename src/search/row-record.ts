import { emptyRecord, type MemoryRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { type MemoryRow, rowRecord } from '../store/memories.ts';

/** The record of a row. A row that a shell made may lack any key but its name until the next sync; defaults stand in. */
export function completedRecord(row: MemoryRow): MemoryRecord {
  const type = directoryOf(row.name as MemoryName) === 'facts' ? 'fact' : 'feedback';
  return { ...emptyRecord(type, null), ...rowRecord(row), extra: row.extra };
}
