import type { syncRuns } from '../../drizzle/schema.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';

export type SyncRun = typeof syncRuns.$inferSelect;

const RUNS_KEPT = 1000;

export function addRun(db: SqliteDatabase, entry: Omit<SyncRun, 'id'>): void {
  run(
    db,
    'INSERT INTO sync_runs(origin, started_ms, finished_ms, complete, counts, directories) VALUES (?, ?, ?, ?, ?, ?)',
    entry.origin,
    entry.started_ms,
    entry.finished_ms,
    entry.complete,
    entry.counts,
    entry.directories,
  );
  run(db, `DELETE FROM sync_runs WHERE id <= (SELECT max(id) FROM sync_runs) - ${RUNS_KEPT}`);
}

export function lastCompleteRun(db: SqliteDatabase): SyncRun | null {
  return oneRow<SyncRun>(db, 'SELECT * FROM sync_runs WHERE complete = 1 ORDER BY id DESC LIMIT 1');
}
