import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import journal from '../../migrations/meta/_journal.json' with { type: 'json' };
import { SCHEMA_OBJECTS, SCHEMA_VERSION, schemaState } from '../../src/store/migrate.ts';
import { openStore } from '../../src/store/open.ts';
import { immediately } from '../../src/store/transaction.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { engramError } from '../support/engram-error.ts';
import { makeOlderDatabase } from '../support/older-database.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Every file below a root with its bytes, for "nothing was written". */
function contents(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(root, path)).toString('base64')]));
}

const openInChild = () => bundleForChild(new URL('children/open-store.ts', import.meta.url));

describe('SY-59: opening a new root', () => {
  test('makes it for its owner alone, in WAL mode, fully synchronous, with a bounded journal', async () => {
    const root = join(temporaryDirectory(), 'deep/er');
    using store = await openStore(root);
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(store.db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(store.db.pragma('synchronous', { simple: true })).toBe(2);
    expect(store.db.pragma('journal_size_limit', { simple: true })).toBe(16 * 1024 * 1024);
    expect(store.db.pragma('busy_timeout', { simple: true })).toBe(5000);
    expect(store.readOnly).toBe(false);
  });

  test('the database can be read by its owner alone', async () => {
    const root = join(temporaryDirectory(), 'root');
    using store = await openStore(root);
    store.db.prepare('SELECT * FROM memories').all();
    for (const file of readdirSync(root)) expect([file, statSync(join(root, file)).mode & 0o077]).toEqual([file, 0]);
  });

  test('X12: a data root that is a regular file is refused, with path and flag, and nothing is written', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'file');
    writeFileSync(file, 'mine');
    for (const root of [file, join(file, 'below')]) {
      const error = await openStore(root).catch((thrown) => thrown);
      expect(error).toEqual(engramError('data-root.invalid'));
      expect(error.message).toContain(root);
      expect(error.hint).toContain('--data-dir');
    }
    expect(contents(directory)).toEqual({ file: Buffer.from('mine').toString('base64') });
  });
});

describe('SY-60: one process at a time makes or changes a database', () => {
  test('20 processes open a new root at once', async () => {
    const root = join(temporaryDirectory(), 'root');
    const script = openInChild();
    const children = Array.from({ length: 20 }, () => startChild(process.execPath, [script, root]));
    const ends = await Promise.all(children.map((child) => child.end));
    expect(ends.map(({ stdout, stderr }) => stdout + stderr)).toEqual(ends.map(() => 'open 0 writable\n'));
    using store = await openStore(root);
    expect(store.db.prepare('SELECT count(*) AS n FROM __drizzle_migrations').get()).toEqual({ n: SCHEMA_VERSION });
  }, 120_000);

  test('12 processes meet an older database: one migrates it, after one backup', async () => {
    const root = temporaryDirectory();
    makeOlderDatabase(root);
    const script = openInChild();
    const children = Array.from({ length: 12 }, () => startChild(process.execPath, [script, root]));
    const ends = await Promise.all(children.map((child) => child.end));
    expect(ends.map(({ stdout, stderr }) => stdout + stderr)).toEqual(ends.map(() => 'open 0 writable\n'));
    expect(readdirSync(join(root, 'backups'))).toHaveLength(1);
  }, 120_000);

  test('a copy that is not in WAL mode is switched', async () => {
    const root = temporaryDirectory();
    (await openStore(root)).close();
    shell(databaseOf(root), 'PRAGMA journal_mode = DELETE;');
    using store = await openStore(root);
    expect(store.db.pragma('journal_mode', { simple: true })).toBe('wal');
  });
});

describe('SY-62: other schemas', () => {
  test('a newer one is refused and the file untouched, in either journal mode', async () => {
    const root = temporaryDirectory();
    (await openStore(root)).close();
    for (const mode of ['WAL', 'DELETE']) {
      shell(
        databaseOf(root),
        `PRAGMA journal_mode = ${mode};
        INSERT INTO __drizzle_migrations(hash, created_at) VALUES ('future', ${Date.now() + 1e9});`,
      );
      const before = readFileSync(databaseOf(root));
      const error = await openStore(root).catch((thrown) => thrown);
      expect(error).toEqual(engramError('database.newer'));
      expect(error.hint).toContain('npm install');
      expect(readFileSync(databaseOf(root)).equals(before)).toBe(true);
    }
  });

  test('an older one is migrated after a backup, which has the old schema; what only it held stays', async () => {
    const root = temporaryDirectory();
    makeOlderDatabase(root);
    using store = await openStore(root);
    expect(schemaState(store.db)).toBe('current');
    expect(store.db.prepare('SELECT * FROM project_aliases').all()).toEqual([{ alias: 'old', project: 'shop-api' }]);
    const [backup = ''] = readdirSync(join(root, 'backups'));
    expect(backup).toMatch(/^engram-before-migration-.*\.db$/);
    expect(
      shell(join(root, 'backups', backup), 'SELECT count(*) FROM __drizzle_migrations; PRAGMA integrity_check;'),
    ).toBe('1\nok\n');
    expect(statSync(join(root, 'backups')).mode & 0o777).toBe(0o700);
  });

  test('the newest 5 backups are kept, and copies of dead processes are swept', async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'backups'));
    for (const day of ['01', '02', '03', '04', '05', '06']) {
      writeFileSync(join(root, 'backups', `engram-before-migration-202601${day}T000000.000-1.db`), '');
    }
    writeFileSync(join(root, 'backups', `engram-manual-x.db.${2 ** 22 + 1}.partial`), '');
    writeFileSync(join(root, 'backups', `engram-manual-y.db.${process.ppid}.partial`), '');
    makeOlderDatabase(root);
    (await openStore(root)).close();
    const left = readdirSync(join(root, 'backups')).sort();
    expect(left).toHaveLength(6);
    expect(left.filter((name) => name.startsWith('engram-before-migration-202601'))).toEqual(
      ['03', '04', '05', '06'].map((day) => `engram-before-migration-202601${day}T000000.000-1.db`),
    );
    expect(left).toContain(`engram-manual-y.db.${process.ppid}.partial`);
  });

  test('X02: what a killed backup left goes with the next opening, also when there is nothing to migrate', async () => {
    const root = temporaryDirectory();
    (await openStore(root)).close();
    mkdirSync(join(root, 'backups'), { recursive: true });
    writeFileSync(join(root, 'backups', `engram-manual-x.db.${2 ** 22 + 1}.partial`), '');
    (await openStore(root)).close();
    expect(readdirSync(join(root, 'backups'))).toEqual([]);
  });

  test('X02: kill -9 in the middle of a migration leaves the old schema or the new one', async () => {
    const script = openInChild();
    for (let delayMs = 20; delayMs <= 420; delayMs += 40) {
      const root = temporaryDirectory();
      makeOlderDatabase(root);
      const child = startChild(process.execPath, [script, root]);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.process.kill('SIGKILL');
      await child.end;
      const applied = shell(databaseOf(root), 'SELECT count(*) FROM __drizzle_migrations; PRAGMA integrity_check;');
      expect(['1\nok\n', `${SCHEMA_VERSION}\nok\n`]).toContain(applied);
      using store = await openStore(root);
      expect(schemaState(store.db)).toBe('current');
      expect(store.db.prepare('SELECT count(*) AS n FROM project_aliases').get()).toEqual({ n: 1 });
      expect(readdirSync(join(root, 'backups')).filter((name) => !name.endsWith('.db'))).toEqual([]);
    }
  }, 120_000);
});

describe('SY-25: what a shell dropped', () => {
  test('the list of objects is that of the migrations', () => {
    const folder = join(import.meta.dirname, '../../migrations');
    const sql = journal.entries.map(({ tag }) => readFileSync(join(folder, `${tag}.sql`), 'utf8')).join('\n');
    const made = [...sql.matchAll(/^CREATE (?:VIRTUAL )?(?:TABLE|TRIGGER|VIEW) `?(\w+)/gm)].map(
      (match) => match[1] ?? '',
    );
    // A view may be made anew.
    expect([...new Set(made)].toSorted()).toEqual([...SCHEMA_OBJECTS].toSorted());
  });

  test.each([
    'DROP TABLE conflicts',
    'DROP VIEW v_files',
    'DROP TRIGGER memories_updated',
    'DROP TABLE fts_prose',
    'DROP TABLE __drizzle_migrations',
  ])('%s: opening says engram db rebuild', async (statement) => {
    const root = temporaryDirectory();
    (await openStore(root)).close();
    shell(databaseOf(root), `${statement};`);
    const error = await openStore(root).catch((thrown) => thrown);
    expect(error).toEqual(engramError('database.damaged'));
    expect(error.hint).toContain('engram db rebuild');
  });

  test('a database of another program is not taken over', async () => {
    const root = temporaryDirectory();
    shell(databaseOf(root), 'CREATE TABLE theirs(a); INSERT INTO theirs VALUES (1);');
    const before = contents(root);
    await expect(openStore(root)).rejects.toEqual(engramError('database.damaged'));
    expect(contents(root)['engram.db']).toEqual(before['engram.db']);
  });
});

describe('SY-63: a damaged database', () => {
  async function filled(): Promise<string> {
    const root = temporaryDirectory();
    const store = await openStore(root);
    const insert = store.db.prepare(`INSERT INTO history(name, at_ms, origin, reason) VALUES (?, 1, 'o', ?)`);
    store.db.transaction(() => {
      for (let n = 0; n < 2000; n++) insert.run(`feedback/m${n}`, 'x'.repeat(200));
    })();
    store.close();
    return root;
  }

  test.each([
    ['random bytes', (database: string) => writeFileSync(database, Buffer.alloc(8192, 'rubbish '))],
    [
      'a broken schema page',
      (database: string) => {
        const bytes = readFileSync(database);
        bytes.fill(0xa5, 100, 4096);
        writeFileSync(database, bytes);
      },
    ],
    ['a cut in the middle of the first page', (database: string) => truncateSync(database, 2000)],
    ['a cut in the middle', (database: string) => truncateSync(database, 8192)],
  ])('%s: database.damaged, exit 6, the file untouched', async (_, damage) => {
    const root = await filled();
    damage(databaseOf(root));
    const before = readFileSync(databaseOf(root));
    const error = await openStore(root).catch((thrown) => thrown);
    expect(error).toEqual(engramError('database.damaged'));
    expect(error.exitCode).toBe(6);
    expect(error.hint).toContain('engram db rebuild');
    expect(readFileSync(databaseOf(root)).equals(before)).toBe(true);
    expect(existsSync(join(root, 'backups'))).toBe(false);
  });

  test.each([0, 7])('a stump of %s bytes beside a -wal: both are left as they are', async (size) => {
    const root = temporaryDirectory();
    writeFileSync(databaseOf(root), Buffer.alloc(size, 'x'));
    writeFileSync(`${databaseOf(root)}-wal`, 'what is left');
    const before = contents(root);
    await expect(openStore(root)).rejects.toEqual(engramError('database.damaged'));
    expect(contents(root)).toEqual(before);
  });

  test('an empty file is no database yet, and becomes one', async () => {
    const root = temporaryDirectory();
    writeFileSync(databaseOf(root), '');
    using store = await openStore(root);
    expect(schemaState(store.db)).toBe('current');
  });
});

describe('SY-61: a busy database', () => {
  test('is database.busy, exit 5, after trying long enough; nothing is written', async () => {
    const root = temporaryDirectory();
    using store = await openStore(root);
    store.db.pragma('busy_timeout = 100');
    const holder = startChild('sqlite3', ['-batch', databaseOf(root)], `BEGIN IMMEDIATE; SELECT 'held';\n`);
    await holder.printed('held');
    const write = () => store.db.prepare(`INSERT INTO project_aliases VALUES ('a', 'b')`).run();
    const error = await Promise.resolve()
      .then(() => immediately(store, write))
      .catch((thrown) => thrown);
    expect(error).toEqual(engramError('database.busy'));
    expect([error.exitCode, error.retryable]).toEqual([5, true]);
    holder.process.stdin?.end('COMMIT;\n.quit\n');
    await holder.end;
    expect(store.db.prepare('SELECT count(*) AS n FROM project_aliases').get()).toEqual({ n: 0 });
    expect(immediately(store, write).changes).toBe(1);
  });
});

describe('SY-64: a database that was replaced under us', () => {
  test.each([
    ['moved away', (root: string) => renameSync(databaseOf(root), join(root, 'old.db'))],
    [
      'replaced by a copy',
      (root: string) => {
        shell(databaseOf(root), `VACUUM INTO '${join(root, 'copy.db')}';`);
        renameSync(join(root, 'copy.db'), databaseOf(root));
      },
    ],
  ])('%s: nothing is written to the dead handle, and opening anew works', async (_, replace) => {
    const root = temporaryDirectory();
    using store = await openStore(root);
    replace(root);
    const write = () => store.db.prepare(`INSERT INTO project_aliases VALUES ('lost', 'b')`).run();
    expect(() => immediately(store, write)).toThrow(engramError('database.busy'));
    expect(store.db.prepare('SELECT count(*) AS n FROM project_aliases').get()).toEqual({ n: 0 });
    store.close();
    using again = await openStore(root);
    expect(
      immediately(again, () => again.db.prepare(`INSERT INTO project_aliases VALUES ('a', 'b')`).run()).changes,
    ).toBe(1);
  });
});

describe('SY-59: a root that cannot be written', () => {
  test.skipIf(process.getuid?.() !== 0)('gives a database in memory and changes nothing on disk', async () => {
    const root = join(temporaryDirectory(), 'root');
    (await openStore(root)).close();
    chmodSync(join(root, '..'), 0o755);
    chmodSync(root, 0o755);
    const script = openInChild();
    chmodSync(join(script, '..'), 0o755);
    const before = contents(root);
    const child = startChild('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, script, root]);
    expect((await child.end).stdout).toBe('open 0 read-only\n');
    expect(contents(root)).toEqual(before);
  });
});

test('a copy made with cp while nothing uses it opens', async () => {
  const root = temporaryDirectory();
  (await openStore(root)).close();
  copyFileSync(databaseOf(root), join(root, 'copy.db'));
  renameSync(join(root, 'copy.db'), databaseOf(root));
  using store = await openStore(root);
  expect(schemaState(store.db)).toBe('current');
});
