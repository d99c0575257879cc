import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow } from './statement.ts';

/** How the file of a memory stands: `clean`, `row_changed`, `quarantined`, `conflict` or `held` (SY-6). */
export function fileState(db: SqliteDatabase, name: MemoryName): string {
  return oneRow<{ state: string }>(db, 'SELECT state FROM v_files WHERE name = ?', name)?.state ?? 'clean';
}
