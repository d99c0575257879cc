import { join } from 'node:path';
import { applyMigrations, SCHEMA_OBJECTS } from './migrate.ts';
import { openSqlite, type SqliteDatabase } from './native.ts';
import { refuseStump } from './open.ts';
import { withOpenLock } from './process-locks.ts';

/**
 * Makes triggers, views, indexes and full-text tables anew that a shell dropped (SY-25, SY-63): they hold nothing of their
 * own. Nothing is made where an ordinary table is gone, since what it held is gone with it. One transaction.
 *
 * @returns the names made anew; empty when that does not help
 * @throws EngramError `database.damaged` when the file was cut; SQLite's own errors when it is no database
 */
export async function recreateMissingObjects(root: string): Promise<string[]> {
  const path = join(root, 'engram.db');
  refuseStump(path);
  const whole = await listRecreatable();
  return withOpenLock(root, () => {
    const db = openSqlite(path, { busyTimeoutMs: 5000 });
    try {
      return recreate(db, whole);
    } catch {
      // Damaged after all: the caller sets it aside.
      return [];
    } finally {
      db.close();
    }
  });
}

interface SchemaObject {
  readonly name: string;
  readonly sql: string;
}

/** As a new database has them, in the order they were made. */
async function listRecreatable(): Promise<SchemaObject[]> {
  const db = openSqlite(':memory:', { busyTimeoutMs: 0 });
  try {
    await applyMigrations(db);
    return db
      .prepare(
        `SELECT name, sql FROM sqlite_master
         WHERE sql IS NOT NULL AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL TABLE%') ORDER BY rowid`,
      )
      .all() as SchemaObject[];
  } finally {
    db.close();
  }
}

function recreate(db: SqliteDatabase, whole: readonly SchemaObject[]): string[] {
  const present = new Set(db.prepare('SELECT name FROM sqlite_master').pluck().all() as string[]);
  const missing = whole.filter(({ name }) => !present.has(name));
  const made = missing.map(({ name }) => name);
  if (SCHEMA_OBJECTS.some((name) => !present.has(name) && !made.includes(name))) return [];
  db.transaction(() => {
    for (const { sql } of missing) db.exec(sql);
  })();
  return made;
}
