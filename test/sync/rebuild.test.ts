import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realFileSystem } from '../../src/files/file-system.ts';
import { memoryPaths } from '../../src/files/memory-directory.ts';
import type { Store } from '../../src/store/open.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { rebuildStore } from '../../src/sync/rebuild.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const contextOf = (root: string) => (store: Store) => ({
  store,
  paths: memoryPaths(root),
  clock: () => Date.now(),
  fs: realFileSystem,
  owner: String(process.pid),
  origin: 'test',
});
const rebuild = (root: string) => rebuildStore(root, contextOf(root));

async function filled(): Promise<TestStore> {
  const store = await temporaryStore();
  for (const name of ['a', 'b', 'c']) store.write(`feedback/${name}.toml`, feedbackText({ action: `"do ${name}"` }));
  store.sync();
  store.write('feedback/c.toml', feedbackText({ action: '"later"' }));
  store.sync();
  return store;
}

/** Every column of every memory but `pk`, which means nothing outside the database. */
function memories(store: TestStore): unknown[] {
  return store.sql('SELECT * FROM memories ORDER BY name').map(({ pk, ...row }) => row);
}

describe('SY-63: db rebuild', () => {
  test('of a readable database: the same rows, counters, history and files; derived tables made anew', async () => {
    using store = await filled();
    const [rows, history] = [memories(store), store.sql('SELECT * FROM history')];
    const files = ['a', 'b', 'c'].map((name) => store.read(`feedback/${name}.toml`));
    shell(
      databaseOf(store.root),
      `UPDATE fts_terms_content SET c0 = 'broken'; INSERT INTO record_keys VALUES ('x', 'y');`,
    );
    const report = await rebuild(store.root);
    expect(report).toMatchObject({ kind: 'refilled', memories: 3, keptInHistory: [], lost: [] });
    expect(memories(store)).toEqual(rows);
    expect(store.sql('SELECT * FROM history')).toEqual(history);
    expect(['a', 'b', 'c'].map((name) => store.read(`feedback/${name}.toml`))).toEqual(files);
    expect(store.sql(`SELECT count(*) AS n FROM record_keys`)).toEqual([{ n: 3 }]);
    store.sql(`INSERT INTO fts_terms(fts_terms, rank) VALUES ('integrity-check', 1)`);
    expect(store.sql(`SELECT count(*) AS n FROM fts_prose WHERE fts_prose MATCH 'column'`)).toEqual([{ n: 3 }]);
    expect(store.sync().steps).toEqual([]);
    expect(shell(report.backup, 'SELECT count(*) FROM memories;')).toBe('3\n');
  });

  test('exports what rows hold beyond their base; what cannot go to a file goes to history, and is named', async () => {
    using store = await filled();
    store.write('feedback/b.toml', 'situation = "\n');
    store.sync();
    shell(
      databaseOf(store.root),
      `UPDATE memories SET impact = 'to the file' WHERE name = 'feedback/a';
       UPDATE memories SET impact = 'to history' WHERE name = 'feedback/b';
       INSERT INTO memories(name, situation) VALUES ('feedback/half', 'invalid');`,
    );
    const report = await rebuild(store.root);
    expect(report.sync.exported).toBe(1);
    expect(report.keptInHistory).toEqual(['feedback/b', 'feedback/half']);
    expect(store.read('feedback/a.toml')).toContain('impact = "to the file"\n');
    expect(store.row('feedback/a')).toMatchObject({ impact: 'to the file' });
    expect(store.row('feedback/b')).toMatchObject({ action: 'do b' });
    expect(store.row('feedback/half')).toBeUndefined();
    expect(store.sql(`SELECT name FROM history WHERE reason = 'rebuild' AND record LIKE '%to history%'`)).toEqual([
      { name: 'feedback/b' },
    ]);
    expect(store.sync().quarantined).toMatchObject([{ side: 'file', path: 'feedback/b.toml' }]);
    expect(listCounterMismatches(store.context.store.db)).toEqual([]);
  });

  test.each([
    ['random bytes', (root: string) => writeFileSync(databaseOf(root), Buffer.alloc(20_000, 'rubbish '))],
    [
      'a page in the middle',
      (root: string) => {
        const bytes = readFileSync(databaseOf(root));
        for (let page = 3; page * 4096 < bytes.length; page += 2) bytes.fill(0xa5, page * 4096, page * 4096 + 2048);
        writeFileSync(databaseOf(root), bytes);
      },
    ],
    ['a dropped table', (root: string) => shell(databaseOf(root), 'DROP TABLE bases;')],
  ])('SY-70, D1: of a damaged database (%s): the same records and counters from the files alone', async (_, damage) => {
    using store = await filled();
    const rows = memories(store).map((row) => ({ ...(row as object), text_updated_at: null }));
    const files = ['a', 'b', 'c'].map((name) => store.read(`feedback/${name}.toml`));
    store.context.store.close();
    damage(store.root);
    const damaged = readFileSync(databaseOf(store.root));
    const report = await rebuild(store.root);
    expect(report).toMatchObject({ kind: 'made-anew', memories: 3 });
    expect(report.lost.some(({ table }) => table === 'history')).toBe(report.salvaged.length === 0);
    expect(readFileSync(report.backup).equals(damaged)).toBe(true);
    using again = await temporaryStore(store.root);
    expect(memories(again).map((row) => ({ ...(row as object), text_updated_at: null }))).toEqual(rows);
    expect(['a', 'b', 'c'].map((name) => again.read(`feedback/${name}.toml`))).toEqual(files);
    expect(listCounterMismatches(again.context.store.db)).toEqual([]);
    expect(again.sync().steps).toEqual([]);
  });

  test.each([
    ['a view', 'DROP VIEW v_memories;'],
    [
      'every trigger',
      'DROP TRIGGER memories_inserted; DROP TRIGGER memories_updated; DROP TRIGGER memories_text_updated; DROP TRIGGER memories_deleted;',
    ],
    ['a full-text table and an index', 'DROP TABLE fts_terms; DROP INDEX memories_name; DROP VIEW v_files;'],
  ])(
    'SY-25: a readable database from which a shell dropped %s keeps history, archive and row edits',
    async (_, drop) => {
      using store = await filled();
      shell(databaseOf(store.root), `DELETE FROM memories WHERE name = 'feedback/b';`);
      store.sync();
      const history = store.sql('SELECT * FROM history');
      expect(history).not.toEqual([]);
      store.context.store.close();
      shell(databaseOf(store.root), `${drop} UPDATE memories SET impact = 'by a shell' WHERE name = 'feedback/a';`);
      const report = await rebuild(store.root);
      expect(report).toMatchObject({ kind: 'refilled', memories: 2, lost: [], keptInHistory: [] });
      expect(report.remade).not.toEqual([]);
      using again = await temporaryStore(store.root);
      expect(again.sql('SELECT * FROM history').slice(0, history.length)).toEqual(history);
      expect(again.sql('SELECT name FROM archive')).toEqual([{ name: 'feedback/b' }]);
      expect(again.read('feedback/a.toml')).toContain('impact = "by a shell"');
      expect(again.sql(`SELECT count(*) AS n FROM fts_terms WHERE fts_terms MATCH 'column'`)).toEqual([{ n: 2 }]);
      expect(again.sync().steps).toEqual([]);
      shell(databaseOf(store.root), `UPDATE memories SET impact = 'once more' WHERE name = 'feedback/a';`);
      expect(again.sync().exported).toBe(1);
      expect(again.sql(`SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')`)).toHaveLength(13);
    },
  );

  test('of a whole database that lost a table: history, archive, conflicts and single counts move over', async () => {
    using store = await filled();
    store.sql(`DELETE FROM memories WHERE name = 'feedback/b'`);
    store.sync();
    store.sql(`UPDATE memories SET action = 'row' WHERE name = 'feedback/a'`);
    store.write('feedback/a.toml', feedbackText({ action: '"file"' }));
    store.sync();
    store.sql(
      `INSERT INTO outcome_events(event_key, name, kind, delta, origin, situation, at_ms)
       VALUES ('k', 'feedback/c', 'followed', 1, 'cli', 'In a situation', 1)`,
    );
    const kept = (from: TestStore) =>
      ['history', 'archive', 'conflicts'].map((table) => from.sql(`SELECT * FROM ${table}`));
    const before = kept(store);
    expect(before.map((rows) => rows.length > 0)).toEqual([true, true, true]);
    store.context.store.close();
    shell(databaseOf(store.root), 'DROP TABLE bases;');
    const report = await rebuild(store.root);
    expect(report.salvaged.map(({ table }) => table)).toEqual(['history', 'archive', 'conflicts', 'outcome_events']);
    expect(report.lost).toEqual([]);
    using again = await temporaryStore(store.root);
    expect(kept(again)).toEqual(before);
    expect(again.sql(`SELECT situation FROM outcome_events WHERE event_key = 'k'`)).toHaveLength(1);
    expect(listCounterMismatches(again.context.store.db)).toEqual([]);
    expect(again.sync().steps).toEqual([]);
  });

  test('-wal and -shm move together with the damaged database', async () => {
    using store = await filled();
    store.context.store.close();
    for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${databaseOf(store.root)}${suffix}`, `damaged${suffix}`);
    const { backup } = await rebuild(store.root);
    expect(readdirSync(join(store.root, 'backups'))).toHaveLength(3);
    expect(['', '-wal'].map((suffix) => readFileSync(`${backup}${suffix}`, 'utf8'))).toEqual([
      'damaged',
      'damaged-wal',
    ]);
  });

  test('SY-40: counts that went to the row alone survive a rebuild', async () => {
    using store = await filled();
    store.write('feedback/a.toml', 'situation = "\n');
    store.sync();
    store.sql(`UPDATE memories SET surfaced_count = 7 WHERE name = 'feedback/a'`);
    store.sql(
      `INSERT INTO outcome_events(name, kind, delta, origin, at_ms) VALUES ('feedback/a', 'surfaced', 1, 'cli', 1)`,
    );
    await rebuild(store.root);
    expect(store.row('feedback/a')).toMatchObject({ surfaced_count: 7 });
    store.write('feedback/a.toml', feedbackText({ action: '"do a"' }));
    store.sync();
    expect(store.read('feedback/a.toml')).toContain('surfaced_count = 7\n');
    expect(listCounterMismatches(store.context.store.db)).toEqual([]);
  });
});

describe('SY-34: rows and indexes are cleared by db rebuild alone', () => {
  test('in one transaction: what goes wrong in it leaves everything as it was', async () => {
    using store = await filled();
    const rows = memories(store);
    shell(
      databaseOf(store.root),
      `CREATE TRIGGER sabotage BEFORE INSERT ON memories WHEN NEW.name = 'feedback/c' BEGIN SELECT RAISE(ABORT, 'no'); END;`,
    );
    await expect(rebuild(store.root)).rejects.toThrow();
    expect(memories(store)).toEqual(rows);
    expect(store.sql('SELECT count(*) AS n FROM index_state WHERE text_hash IS NOT NULL')).toEqual([{ n: 3 }]);
    expect(store.sql(`SELECT count(*) AS n FROM fts_prose WHERE fts_prose MATCH 'column'`)).toEqual([{ n: 3 }]);
    expect(store.sync().steps).toEqual([]);
  });

  test('no other file of src has a statement that empties one', () => {
    const src = join(import.meta.dirname, '../../src');
    const emptying =
      /(DELETE FROM (memories|fts_prose|fts_terms|index_state|record_keys|embeddings)\b(?! WHERE)|DROP TABLE)/;
    const found = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && emptying.test(readFileSync(join(src, path), 'utf8')),
    );
    expect(found.sort()).toEqual(['store/clear.ts', 'store/health.ts', 'store/indexes.ts']);
  });
});

test('X02: kill -9 in the middle of db rebuild leaves the old state or the new one', async () => {
  const script = bundleForChild(new URL('children/rebuild.ts', import.meta.url));
  for (const damaged of [false, true]) {
    for (let delayMs = 60; delayMs <= 460; delayMs += 80) {
      using store = await filled();
      const rows = memories(store).map((row) => ({ ...(row as object), text_updated_at: null }));
      store.context.store.close();
      if (damaged) writeFileSync(databaseOf(store.root), Buffer.alloc(20_000, 'rubbish '));
      const child = startChild(process.execPath, [script, store.root]);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.process.kill('SIGKILL');
      await child.end;
      if (damaged && existsSync(databaseOf(store.root))) await rebuild(store.root);
      using again = await temporaryStore(store.root);
      again.sync();
      expect(memories(again).map((row) => ({ ...(row as object), text_updated_at: null }))).toEqual(rows);
      expect(again.sync().steps).toEqual([]);
      const left = readdirSync(store.root, { recursive: true, encoding: 'utf8' });
      expect(left.filter((path) => /partial|engram-tmp/.test(path))).toEqual([]);
    }
  }
}, 120_000);
