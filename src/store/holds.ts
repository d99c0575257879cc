import type { deletionHolds } from '../../drizzle/schema.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, run } from './statement.ts';

/** A deletion that waits for a person; `side` is where the memory is missing (SY-32). */
export type DeletionHold = typeof deletionHolds.$inferSelect;

export function holdDeletion(db: SqliteDatabase, hold: DeletionHold): void {
  run(
    db,
    `INSERT INTO deletion_holds(name, side, reason, seen_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT(name) DO UPDATE SET side = excluded.side, reason = excluded.reason
     WHERE side <> excluded.side OR reason <> excluded.reason`,
    hold.name,
    hold.side,
    hold.reason,
    hold.seen_ms,
  );
}

export function releaseHold(db: SqliteDatabase, name: MemoryName): void {
  run(db, 'DELETE FROM deletion_holds WHERE name = ?', name);
}

export function listHolds(db: SqliteDatabase): DeletionHold[] {
  return allRows<DeletionHold>(db, 'SELECT * FROM deletion_holds ORDER BY name');
}
