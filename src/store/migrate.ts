import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import journal from '../../migrations/meta/_journal.json' with { type: 'json' };
import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from './native.ts';
import { REBUILD_HINT } from './sqlite-errors.ts';

export type SchemaState = 'current' | 'older' | 'empty';

const MIGRATIONS_TABLE = '__drizzle_migrations';

/** Tables, triggers and views that all migrations together make. A shell can drop each of them. */
export const SCHEMA_OBJECTS = [
  ...[
    'memories',
    'bases',
    'base_versions',
    'quarantine',
    'history',
    'conflicts',
    'archive',
    'outcome_events',
    'changes',
  ],
  ...['pending_writes', 'sync_queue', 'deletion_holds', 'sync_runs', 'record_keys', 'index_state', 'embeddings'],
  ...[
    'learn_answers',
    'embedding_blocks',
    'vector_spaces',
    'query_vectors',
    'project_bindings',
    'project_aliases',
    'meta',
    'fts_prose',
    'fts_terms',
  ],
  ...['agent_leases', 'agent_chats', 'agent_messages', 'agent_outbox', 'agent_intents', 'agent_arguments'],
  ...['agent_drafts', 'agent_work', 'agent_counts'],
  ...['memories_inserted', 'memories_updated', 'memories_text_updated', 'memories_deleted'],
  ...['embeddings_inserted', 'embeddings_updated', 'embeddings_deleted'],
  ...['v_memories', 'v_files', 'v_history', 'v_conflicts', 'v_outcomes', 'v_archive'],
] as const;

/** How many migrations this program knows; the figure people see as the schema version. */
export const SCHEMA_VERSION = journal.entries.length;

/**
 * Compares what a database has with what this program's migrations make.
 *
 * @throws EngramError `database.newer` when it has a migration that this program does not know (SY-62),
 * `database.damaged` when a table, trigger or view of engram is missing, or the database is not engram's (SY-25)
 */
export function schemaState(db: SqliteDatabase): SchemaState {
  const present = new Set(db.prepare('SELECT name FROM sqlite_master').pluck().all() as string[]);
  if (!present.has(MIGRATIONS_TABLE)) {
    if (present.size > 0) throw damaged('holds tables, but not the list of its migrations');
    return 'empty';
  }
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
  if (last.n < SCHEMA_VERSION) return last.n === 0 ? 'empty' : 'older';
  const missing = SCHEMA_OBJECTS.filter((name) => !present.has(name));
  if (missing.length > 0) throw damaged(`lacks ${missing.join(', ')}`);
  return 'current';
}

function damaged(problem: string): EngramError {
  return new EngramError('database.damaged', `the database ${problem}`, { hint: REBUILD_HINT });
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
