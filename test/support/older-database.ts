import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import journal from '../../migrations/meta/_journal.json' with { type: 'json' };
import { databaseOf, shell } from './sqlite-shell.ts';

/**
 * Makes `engram.db` as an engram left it that knew only the first migration, with one row in a table that only the
 * database has.
 */
export function makeOlderDatabase(root: string): void {
  const [first] = journal.entries;
  if (first === undefined) throw new Error('there are no migrations');
  const sql = readFileSync(join(import.meta.dirname, '../../migrations', `${first.tag}.sql`), 'utf8');
  shell(
    databaseOf(root),
    `PRAGMA journal_mode = WAL;
     CREATE TABLE __drizzle_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, hash text NOT NULL, created_at numeric);
     ${sql.replaceAll('--> statement-breakpoint', '')}
     INSERT INTO __drizzle_migrations(hash, created_at) VALUES ('first', ${first.when});
     INSERT INTO project_aliases(alias, project) VALUES ('old', 'shop-api');`,
  );
}
