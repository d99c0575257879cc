import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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
  /** Absolute path of something below `memory/`. */
  at(path: string): string;
  exists(path: string): boolean;
  remove(path: string): void;
  /** Everything in the two directories, sorted: `feedback/a.toml` ... */
  files(): string[];
  /** What a sync with nothing to do leaves alone: every file with bytes, inode and times, and every row of `memories`. */
  everything(): unknown;
  /** Moves the store's clock ahead of the system's. */
  advance(ms: number): void;
}

export async function temporaryStore(
  root = mkdtempSync(join(tmpdir(), 'engram-')),
  changes: Partial<SyncContext> = {},
): Promise<TestStore> {
  const store = await openStore(root);
  let aheadMs = 0;
  const context: SyncContext = {
    store,
    paths: memoryPaths(root),
    clock: () => Date.now() + aheadMs,
    fs: realFileSystem,
    owner: String(process.pid),
    origin: 'test',
    ...changes,
  };
  const files = () =>
    ['feedback', 'facts'].flatMap((directory) => {
      const absolute = join(root, 'memory', directory);
      return existsSync(absolute)
        ? readdirSync(absolute)
            .sort()
            .map((name) => `${directory}/${name}`)
        : [];
    });
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
    at: absolute,
    exists: (path) => lstatSync(absolute(path), { throwIfNoEntry: false }) !== undefined,
    remove: (path) => rmSync(absolute(path), { recursive: true }),
    files,
    everything: () => ({
      files: files().map((path) => fingerprint(path, absolute(path))),
      rows: store.db.prepare('SELECT * FROM memories ORDER BY name').all(),
    }),
    advance: (ms) => {
      aheadMs += ms;
    },
    [Symbol.dispose]: () => {
      store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function fingerprint(path: string, absolute: string): string {
  const stats = lstatSync(absolute);
  const bytes = stats.isFile() ? createHash('sha256').update(readFileSync(absolute)).digest('hex') : 'no file';
  return `${path} ${stats.ino} ${stats.mtimeMs} ${bytes}`;
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
