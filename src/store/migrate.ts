import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import journal from '../../migrations/meta/_journal.json' with { type: 'json' };
import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from './native.ts';

export type SchemaState = 'current' | 'older' | 'empty';

const MIGRATIONS_TABLE = '__drizzle_migrations';

/** How many migrations this program knows; the figure people see as the schema version. */
export const SCHEMA_VERSION = journal.entries.length;

/**
 * Compares the migrations a database has with those this program has.
 *
 * @throws EngramError `database.newer` when it has one that this program does not know (SY-62)
 */
export function schemaState(db: SqliteDatabase): SchemaState {
  const table = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = '${MIGRATIONS_TABLE}'`).get();
  if (table === undefined) return 'empty';
  const last = db.prepare(`SELECT count(*) AS n, max(created_at) AS at FROM ${MIGRATIONS_TABLE}`).get() as {
    n: number;
    at: number | null;
  };
  const known = journal.entries.at(-1)?.when ?? 0;
  if ((last.at ?? 0) > known || last.n > SCHEMA_VERSION) {
    throw new EngramError('database.newer', `the database has schema ${last.n}, this engram knows ${SCHEMA_VERSION}`, {
      hint: 'Update engram: npm install -g --allow-scripts=better-sqlite3 engram@latest',
    });
  }
  return last.n === SCHEMA_VERSION ? 'current' : last.n === 0 ? 'empty' : 'older';
}

/**
 * Applies what is missing. Callers hold the process lock (SY-60) and made a backup. Foreign keys are off meanwhile: a
 * table that is made anew would otherwise delete the rows that refer to it.
 */
export async function applyMigrations(db: SqliteDatabase): Promise<void> {
  const [{ drizzle }, { migrate }] = await Promise.all([
    import('drizzle-orm/better-sqlite3'),
    import('drizzle-orm/better-sqlite3/migrator'),
  ]);
  db.pragma('foreign_keys = OFF');
  migrate(drizzle(db), { migrationsFolder: migrationsFolder() });
  db.pragma('foreign_keys = ON');
}

/** The folder with the SQL files, wherever the package is installed: beside `dist` or above `src`. */
function migrationsFolder(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(directory, 'migrations');
    if (existsSync(join(candidate, 'meta', '_journal.json'))) return candidate;
    const parent = dirname(directory);
    if (parent === directory) {
      throw new EngramError('database.failed', 'the migrations of engram are missing from its installation', {
        hint: 'Install engram again.',
      });
    }
    directory = parent;
  }
}
