import type { MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow } from './statement.ts';

/**
 * Equal marks mean that between them no memory came into being and no text was replaced, by whatever process: what has been
 * compared with all memories still is (AG-47). One that is being created counts once its file is about to be written.
 */
export function textMark(db: SqliteDatabase): string {
  const mark = oneRow<{ pk: number; replaced: number; created: number }>(
    db,
    // A text that is replaced goes to history before its file is written.
    `SELECT (SELECT coalesce(max(pk), 0) FROM memories) AS pk, (SELECT coalesce(max(id), 0) FROM history) AS replaced,
       (SELECT coalesce(max(id), 0) FROM pending_writes WHERE op = 'create') AS created`,
  );
  return JSON.stringify(mark);
}

/** The memories of a directory that are being written at this moment, or were when a process died. */
export function listBeingWritten(db: SqliteDatabase, directory: MemoryDirectory): MemoryName[] {
  return allRows<{ name: MemoryName }>(
    db,
    `SELECT DISTINCT name FROM pending_writes WHERE op IN ('create', 'write') AND name GLOB ? || '/*'`,
    directory,
  ).map(({ name }) => name);
}
