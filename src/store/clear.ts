import { emptyFullText, FULL_TEXT_TABLES } from './health.ts';
import { forgetIndex } from './indexes.ts';
import type { SqliteDatabase } from './native.ts';
import { run } from './statement.ts';

/**
 * Empties what is derived from the files: rows, exact keys and indexes. Only `db rebuild` may do that, in the transaction
 * that fills them again (SY-34).
 */
export function clearMemories(db: SqliteDatabase): void {
  run(db, 'DELETE FROM memories');
  run(db, 'DELETE FROM record_keys');
  run(db, 'DELETE FROM embeddings');
  forgetIndex(db);
  for (const table of FULL_TEXT_TABLES) emptyFullText(db, table);
}
