import type { MemoryType } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { ADMITTED } from './admitted.ts';
import { lastGood } from './last-good.ts';
import type { MemoryRow } from './memories.ts';
import type { SqliteDatabase } from './native.ts';
import { QUARANTINED_ROWS } from './quarantine.ts';
import { allRows } from './statement.ts';

/** Which live memories `engram list` shows. */
export interface ListFilter {
  readonly type: MemoryType | null;
  readonly coreOnly: boolean;
}

/** Live memories by name; a quarantined row by its last good record (SY-42), without one it is left out (SY-24). */
export function listMemories(db: SqliteDatabase, { type, coreOnly }: ListFilter): MemoryRow[] {
  const rows = allRows<MemoryRow>(
    db,
    `SELECT * FROM memories WHERE name NOT IN
       (SELECT name FROM (${QUARANTINED_ROWS}) WHERE name NOT IN (SELECT name FROM bases)) ORDER BY name`,
  );
  return lastGood(db, rows).filter((row) => (type === null || row.type === type) && (!coreOnly || row.core === 1));
}

/** Facts among those that `admit` let in last whose subject or object is one of `entities` (lower case), newest first. */
export function listFactNames(db: SqliteDatabase, entities: readonly string[], most: number): MemoryName[] {
  return allRows<{ name: MemoryName }>(
    db,
    `SELECT name FROM memories WHERE name LIKE 'facts/%' AND pk IN (${ADMITTED})
       AND (lower(trim(subject)) IN (SELECT value FROM json_each(?)) OR lower(trim(object)) IN (SELECT value FROM json_each(?)))
     ORDER BY created_at DESC, name LIMIT ?`,
    JSON.stringify(entities),
    JSON.stringify(entities),
    most,
  ).map(({ name }) => name);
}
