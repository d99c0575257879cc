import { join } from 'node:path';
import { listSchemaStatements, SCHEMA_OBJECTS } from './migrate.ts';
import { openSqlite } from './native.ts';
import { refuseStump } from './open.ts';
import { withOpenLock } from './open-lock.ts';

const RECREATED = /^CREATE (?:UNIQUE )?(?:TRIGGER|VIEW|VIRTUAL TABLE|INDEX) [`"]?(\w+)/m;

/**
 * Makes triggers, views, indexes and full-text tables anew that a shell dropped (SY-25, SY-63): they hold nothing of their
 * own. Nothing is made where an ordinary table is gone, since what it held is gone with it. One transaction.
 *
 * @throws EngramError `database.damaged` when the file was cut; SQLite's own errors when it is no database
 * @returns the names made anew; empty when that does not help
 */
export function recreateMissingObjects(root: string): string[] {
  const path = join(root, 'engram.db');
  refuseStump(path);
  return withOpenLock(root, () => {
    const db = openSqlite(path, { busyTimeoutMs: 5000 });
    try {
      const present = new Set(db.prepare('SELECT name FROM sqlite_master').pluck().all() as string[]);
      const made = new Map<string, string>();
      for (const statement of listSchemaStatements()) {
        const name = RECREATED.exec(statement)?.[1];
        if (name !== undefined && !present.has(name)) made.set(name, statement);
      }
      if (SCHEMA_OBJECTS.some((name) => !present.has(name) && !made.has(name))) return [];
      db.transaction(() => {
        for (const statement of made.values()) db.exec(statement);
      })();
      return [...made.keys()];
    } catch {
      // Damaged after all: the caller sets it aside.
      return [];
    } finally {
      db.close();
    }
  });
}
