import type { MemoryType } from '../memory/record.ts';
import type { MemoryRow } from './memories.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows } from './statement.ts';

/** Which live memories `engram list` shows. */
export interface ListFilter {
  readonly type: MemoryType | null;
  readonly coreOnly: boolean;
}

/** Live memories by name; rows that are quarantined are left out (SY-24). */
export function listMemories(db: SqliteDatabase, { type, coreOnly }: ListFilter): MemoryRow[] {
  return allRows<MemoryRow>(
    db,
    `SELECT * FROM memories WHERE (? IS NULL OR type = ?) AND (? = 0 OR core = 1)
       AND name NOT IN (SELECT name FROM quarantine WHERE side = 'row') ORDER BY name`,
    type,
    type,
    Number(coreOnly),
  );
}
