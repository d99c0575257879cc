import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { databaseOf, shell, tryShell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What the design rests on; where one of these stops being true, a decision can be taken anew. */
function scratch(): string {
  return join(temporaryDirectory(), 'scratch.db');
}

describe('SY-10: what a trigger may not touch, seen from a bare shell', () => {
  test('a vec0 table: the shell has no such module', () => {
    const database = scratch();
    shell(
      database,
      `CREATE TABLE t(a);
       PRAGMA writable_schema = ON;
       INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)
         VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING vec0(e float[2])');
       PRAGMA writable_schema = RESET;
       CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO v(rowid, e) VALUES (1, x'00'); END;`,
    );
    expect(tryShell(database, 'INSERT INTO t VALUES (1);').stderr).toContain('no such module: vec0');
  });

  test('a function of the application', () => {
    const database = scratch();
    shell(
      database,
      `CREATE TABLE t(a);
       CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET a = engram_hash(NEW.a); END;`,
    );
    expect(tryShell(database, 'INSERT INTO t VALUES (1);').stderr).toContain('no such function: engram_hash');
  });

  test('an FTS5 table, once the schema is not trusted', () => {
    const database = scratch();
    shell(
      database,
      `CREATE TABLE t(a);
       CREATE VIRTUAL TABLE f USING fts5(a);
       CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO f(a) VALUES (NEW.a); END;`,
    );
    expect(tryShell(database, `INSERT INTO t VALUES ('x');`, { trusted: 'ON' }).status).toBe(0);
    expect(tryShell(database, `INSERT INTO t VALUES ('x');`, { trusted: 'OFF' }).stderr).toContain(
      'unsafe use of virtual table',
    );
  });

  test('foreign keys are off there, so our triggers do the cascades', async () => {
    expect(shell(scratch(), 'PRAGMA foreign_keys;')).toBe('0\n');
    using store = await temporaryStore();
    store.write('feedback/a.toml', feedbackText());
    store.sync();
    const count = 'SELECT count(*) FROM index_state;';
    expect(shell(databaseOf(store.root), `${count} DELETE FROM memories; ${count}`)).toBe('1\n0\n');
  });
});

describe('SY-11: INSERT OR REPLACE fires no delete trigger', () => {
  const EXTERNAL = `CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, a TEXT);
    CREATE TABLE log(op);
    CREATE VIRTUAL TABLE f USING fts5(a, content = 't', content_rowid = 'id');
    CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO f(rowid, a) VALUES (NEW.id, NEW.a); END;
    CREATE TRIGGER d AFTER DELETE ON t BEGIN
      INSERT INTO log VALUES ('delete'); INSERT INTO f(f, rowid, a) VALUES ('delete', OLD.id, OLD.a); END;
    INSERT INTO t(id, name, a) VALUES (1, 'one', 'apple');
    INSERT OR REPLACE INTO t(id, name, a) VALUES (1, 'one', 'pear');`;
  const PLAIN = `INSERT INTO f(f) VALUES ('integrity-check');`;
  const STRICT = `INSERT INTO f(f, rank) VALUES ('integrity-check', 1);`;

  test('an external-content table then finds the old words; only the rank = 1 check says so, and rebuild heals it', () => {
    const database = scratch();
    shell(database, EXTERNAL);
    expect(shell(database, 'SELECT count(*) FROM log;')).toBe('0\n');
    expect(shell(database, `SELECT rowid FROM f WHERE f MATCH 'apple';`)).toBe('1\n');
    expect(shell(database, `PRAGMA integrity_check; ${PLAIN}`)).toBe('ok\n');
    expect(tryShell(database, STRICT).stderr).toMatch(/malformed/);
    shell(database, `INSERT INTO f(f) VALUES ('rebuild'); ${STRICT}`);
    expect(shell(database, `SELECT rowid FROM f WHERE f MATCH 'apple';`)).toBe('');
  });

  test('deleting from such a table after its content changed corrupts it in the same way', () => {
    const database = scratch();
    shell(
      database,
      `CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
       CREATE VIRTUAL TABLE f USING fts5(a, content = 't', content_rowid = 'id');
       INSERT INTO t VALUES (1, 'apple'), (2, 'pear'); INSERT INTO f(f) VALUES ('rebuild');
       UPDATE t SET a = 'plum' WHERE id = 1;
       DELETE FROM f WHERE rowid = 1;
       DELETE FROM t WHERE id = 1;`,
    );
    expect(shell(database, `SELECT rowid FROM f WHERE f MATCH 'apple';`)).toBe('1\n');
    expect(tryShell(database, STRICT).stderr).toMatch(/malformed/);
  });

  test('our tables keep their own text, and engram never replaces a row', () => {
    const root = join(import.meta.dirname, '../..');
    const created = readFileSync(join(root, 'migrations/0001_full_text_triggers_views.sql'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('CREATE VIRTUAL TABLE'));
    expect(created).toHaveLength(2);
    for (const line of created) expect(line).not.toMatch(/content\s*=/);
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const replacing = sources.filter((path) =>
      /\bOR (REPLACE|IGNORE)\b|\bREPLACE INTO\b/.test(readFileSync(join(root, 'src', path), 'utf8')),
    );
    expect(replacing).toEqual([]);
  });
});

describe.skipIf(!existsSync('/proc/locks'))('SY-13: POSIX locks belong to the process', () => {
  /** SQLite keeps a shared lock on the database file as long as a connection to a WAL database is open. */
  const isLocked = (database: string) => {
    const { ino } = statSync(database);
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes('POSIX') && line.includes(` ${process.pid} `) && line.includes(`:${ino} `));
  };

  test('opening and closing the database file once more takes them away', async () => {
    using store = await temporaryStore();
    const database = databaseOf(store.root);
    store.sql('SELECT * FROM memories');
    statSync(database);
    expect(isLocked(database)).toBe(true);
    closeSync(openSync(database, 'r'));
    expect(isLocked(database)).toBe(false);
  });

  test('no file of store/ can open a file but through SQLite, and nobody else knows the name of the database', () => {
    const src = join(import.meta.dirname, '../../src');
    const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const text = (path: string) => readFileSync(join(src, path), 'utf8');
    const opening =
      /\b(open|read|write|append|copy|truncate|createReadStream|createWriteStream|cp)\w*(File\w*|Sync)?\b/;
    const imported = sources
      .filter((path) => path.startsWith('store/'))
      .flatMap((path) =>
        [...text(path).matchAll(/import \{([^}]*)\} from 'node:fs'/g)].flatMap(([, names = '']) => names.split(',')),
      )
      .map((name) => name.trim());
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => name !== 'readdirSync' && opening.test(name))).toEqual([]);
    const naming = sources.filter((path) => /\bpaths\.database\b|'engram\.db'|'-wal'|'-shm'/.test(text(path)));
    expect(
      naming.filter((path) => !/^(store|sync)\/|^files\/memory-directory|^cli\/(commands\/db-|context)/.test(path)),
    ).toEqual([]);
  });

  test('nothing that engram does loses them', async () => {
    using store = await temporaryStore();
    store.write('feedback/a.toml', feedbackText());
    store.sync();
    store.write('feedback/a.toml', feedbackText({ action: '"changed"' }));
    store.sql(`UPDATE memories SET impact = 'changed too'`);
    store.sync();
    expect(isLocked(databaseOf(store.root))).toBe(true);
  });
});
