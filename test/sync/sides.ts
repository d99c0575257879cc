import type { MemoryRecord } from '../../src/memory/record.ts';
import { type ArchiveEntry, type FileSide, planSync, type RowSide, type SyncAction } from '../../src/sync/plan.ts';
import { record } from './records.ts';

/** The sides of a memory in the tests of the planner; `A` is what its base says. */
export const A = record();
export const COUNTED = record({ surfaced_count: 7, updated_at: '2026-05-01T00:00:00Z' });
export const EDITED = record({ action: 'Ask the owner first' });
export const OTHER = record({ impact: 'Checkout was down' });
export const CLASHING = record({ action: 'Never do it' });

export const GONE = { state: 'gone' } as const;
export const UNKNOWN = { state: 'unknown' } as const;
export const BAD = { state: 'bad' } as const;
export const NONE = { state: 'none' } as const;
export const DELETED = { state: 'gone', wish: 'sql' } as const;
export const FORGOTTEN = { state: 'gone', wish: 'forget' } as const;
export const file = (of: MemoryRecord, readOnly = false): FileSide => ({ state: 'record', record: of, readOnly });
export const row = (of: MemoryRecord): RowSide => ({ state: 'record', record: of });

export function plan(
  base: MemoryRecord | null,
  f: FileSide,
  r: RowSide,
  archived: ArchiveEntry | null = null,
): SyncAction {
  return planSync({ file: f, row: r, base, archived });
}

export const archived = (of: MemoryRecord, origin: string): ArchiveEntry => ({ record: of, origin });
