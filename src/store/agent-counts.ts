import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** A count that was decided, before it stands in the memory's file (AG-18). */
export interface DecidedCount {
  /** Counts once, for ever. */
  readonly key: string;
  readonly name: MemoryName;
  readonly kind: 'surfaced' | 'followed' | 'not-followed' | 'irrelevant' | 'missed';
  readonly project: string | null;
  readonly situation: string | null;
  readonly thread: string | null;
  readonly atMs: number;
}

export function decideCount(db: SqliteDatabase, count: DecidedCount): void {
  run(
    db,
    `INSERT INTO agent_counts(key, name, kind, project, situation, thread, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(key) DO NOTHING`,
    count.key,
    count.name,
    count.kind,
    count.project,
    count.situation,
    count.thread,
    count.atMs,
  );
}

/** Counts that no file has yet, oldest first. */
export function listDecidedCounts(db: SqliteDatabase, most: number): DecidedCount[] {
  return allRows<DecidedCount>(
    db,
    `SELECT key, name, kind, project, situation, thread, at_ms AS atMs FROM agent_counts
     WHERE counted_at_ms IS NULL ORDER BY at_ms, rowid LIMIT ?`,
    most,
  );
}

export function markCounted(db: SqliteDatabase, key: string, nowMs: number): void {
  run(db, 'UPDATE agent_counts SET counted_at_ms = ? WHERE key = ?', nowMs, key);
}

export function countDecided(db: SqliteDatabase): number {
  return oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM agent_counts WHERE counted_at_ms IS NULL')?.n ?? 0;
}
