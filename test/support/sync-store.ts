import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { realFileSystem } from '../../src/files/file-system.ts';
import { memoryPaths } from '../../src/files/memory-directory.ts';
import { openStore } from '../../src/store/open.ts';
import type { SyncContext } from '../../src/sync/context.ts';
import { type SyncOptions, syncAll } from '../../src/sync/sync.ts';

/** A real store in a temporary directory, with the few words that tests of sync are written in. */
export interface TestStore extends Disposable {
  readonly root: string;
  readonly context: SyncContext;
  sync(options?: SyncOptions): ReturnType<typeof syncAll>;
  write(path: string, text: string | Uint8Array): void;
  read(path: string): string;
  row(name: string): Record<string, unknown> | undefined;
  sql(statement: string, ...parameters: readonly unknown[]): Record<string, unknown>[];
}

export async function temporaryStore(root = mkdtempSync(join(tmpdir(), 'engram-'))): Promise<TestStore> {
  const store = await openStore(root);
  const context: SyncContext = {
    store,
    paths: memoryPaths(root),
    clock: () => Date.now(),
    fs: realFileSystem,
    owner: String(process.pid),
    origin: 'test',
  };
  const absolute = (path: string) => join(root, 'memory', path);
  return {
    root,
    context,
    sync: (options = {}) => syncAll(context, options),
    write: (path, text) => {
      mkdirSync(dirname(absolute(path)), { recursive: true });
      writeFileSync(absolute(path), text);
    },
    read: (path) => readFileSync(absolute(path), 'utf8'),
    row: (name) =>
      store.db.prepare('SELECT * FROM memories WHERE name = ?').get(name) as Record<string, unknown> | undefined,
    sql: (statement, ...parameters) => {
      const prepared = store.db.prepare(statement);
      if (prepared.reader) return prepared.all(...parameters) as Record<string, unknown>[];
      prepared.run(...parameters);
      return [];
    },
    [Symbol.dispose]: () => {
      store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A canonical feedback memory; `changes` replaces lines by key. */
export function feedbackText(changes: Readonly<Record<string, string>> = {}): string {
  const values: Record<string, string> = {
    schema_version: '1',
    type: '"feedback"',
    source: '"user correction, 2026-04-02"',
    core: 'false',
    situation: '"When adding a column to a table that holds many rows"',
    project_scoped: 'false',
    project_slug: '""',
    created_at: '"2026-04-02T10:00:00Z"',
    updated_at: '"2026-04-20T08:15:30Z"',
    surfaced_count: '6',
    followed_count: '4',
    not_followed_count: '1',
    irrelevant_count: '0',
    missed_count: '0',
    initial_confidence: '1.0',
    behavior: '"Adding the column NOT NULL with a default in one migration"',
    impact: '"The orders table was locked for nine minutes during checkout"',
    action: '"Add it nullable, backfill in batches of 5,000, then set NOT NULL"',
    ...changes,
  };
  const content = ['behavior', 'impact', 'action'];
  const line = (key: string) => `${key} = ${values[key]}\n`;
  const top = Object.keys(values).filter((key) => !content.includes(key));
  return `${top.map(line).join('')}\n[content]\n${content.map(line).join('')}`;
}
