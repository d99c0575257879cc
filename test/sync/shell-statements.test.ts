import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MEMORY_DIRECTORIES } from '../../src/memory/record.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import type { SyncReport } from '../../src/sync/report.ts';
import { databaseOf, shell, type TrustedSchema, tryShell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

/** A store with memories that engram knows, and a shell on its database while it is open. */
interface ShellStore extends TestStore {
  shell(script: string): string;
  /** Syncs, and checks what holds after every sync of this file. */
  settle(): SyncReport;
  files(): string[];
}

async function storeWith(names: readonly string[], trusted: TrustedSchema): Promise<ShellStore> {
  const store = await temporaryStore();
  for (const name of names) store.write(`${name}.toml`, feedbackText({ action: `"do ${name}"` }));
  store.sync();
  return {
    ...store,
    shell: (script) => shell(databaseOf(store.root), script, { trusted, cwd: store.root }),
    settle: () => {
      const report = store.sync();
      expect(listCounterMismatches(store.context.store.db)).toEqual([]);
      expect(store.sync().steps).toEqual([]);
      const check = `INSERT INTO fts_prose(fts_prose, rank) VALUES ('integrity-check', 1);
        INSERT INTO fts_terms(fts_terms, rank) VALUES ('integrity-check', 1);`;
      shell(databaseOf(store.root), check, { trusted });
      return report;
    },
    files: () =>
      MEMORY_DIRECTORIES.flatMap((directory) =>
        readdirSync(join(store.root, 'memory', directory)).map((file) => `${directory}/${file}`),
      ).sort(),
  };
}

const AB = ['feedback/a', 'feedback/b'] as const;

describe.each(['ON', 'OFF'] as const)('SY-24, SY-7: in a shell with trusted_schema=%s', (trusted) => {
  test('SELECT on every table, view and full-text table changes nothing', async () => {
    using store = await storeWith(AB, trusted);
    const names = store.shell(`SELECT name FROM sqlite_master WHERE type IN ('table', 'view');`).trim().split('\n');
    expect(names).toEqual(expect.arrayContaining(['memories', 'v_memories', 'v_files', 'fts_prose', 'changes']));
    store.shell(names.map((name) => `SELECT * FROM "${name}";`).join('\n'));
    expect(
      store.shell(
        `SELECT m.name FROM fts_prose JOIN memories m ON m.pk = fts_prose.rowid WHERE fts_prose MATCH 'backfill OR column' ORDER BY 1;`,
      ),
    ).toBe('feedback/a\nfeedback/b\n');
    expect(store.settle().steps).toEqual([]);
  });

  test('INSERT fills defaults and creates the file', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`INSERT INTO memories(name, situation, subject, predicate, object)
      VALUES ('facts/wiki', 'When looking for a run book', 'run books', 'live-in', 'ops/runbooks');`);
    const report = store.settle();
    expect(report.created).toBe(1);
    expect(store.read('facts/wiki.toml')).toContain('situation = "When looking for a run book"\n');
    expect(store.read('facts/wiki.toml')).toContain('type = "fact"\n');
    const row = store.row('facts/wiki');
    expect(row).toMatchObject({ type: 'fact', core: 0, project_scoped: 0, surfaced_count: 0, source: '' });
    expect(row?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test('INSERT of an invalid row: quarantined, no file', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`INSERT INTO memories(name, situation) VALUES ('feedback/half', 'When half of it is missing');`);
    const report = store.sync();
    expect(report.quarantined).toMatchObject([{ side: 'row', path: 'feedback/half', reason: 'invalid' }]);
    expect(store.files()).toEqual(['feedback/a.toml', 'feedback/b.toml']);
    store.shell(`UPDATE memories SET behavior = 'b', impact = 'i', action = 'a' WHERE name = 'feedback/half';`);
    expect(store.settle().quarantined).toEqual([]);
    expect(store.files()).toContain('feedback/half.toml');
  });

  test('UPDATE of a field and a counter is merged with the file field by field', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(
      `UPDATE memories SET action = 'from sql', followed_count = followed_count + 2 WHERE name = 'feedback/a';`,
    );
    store.write(
      'feedback/a.toml',
      feedbackText({ action: '"do feedback/a"', impact: '"from file"', followed_count: '5' }),
    );
    expect(store.settle().merged).toBe(1);
    expect(store.read('feedback/a.toml')).toContain('action = "from sql"\n');
    expect(store.read('feedback/a.toml')).toContain('followed_count = 7\n');
    expect(store.row('feedback/a')).toMatchObject({ action: 'from sql', impact: 'from file', followed_count: 7 });
    const origins = store.sql(
      `SELECT origin, delta FROM outcome_events WHERE kind = 'followed' AND origin <> 'import' AND name = 'feedback/a' ORDER BY 1`,
    );
    expect(origins).toEqual([
      { origin: 'file', delta: 1 },
      { origin: 'sql', delta: 2 },
    ]);
  });

  test('UPDATE of name renames the file; pk, events and counters move along', async () => {
    using store = await storeWith(AB, trusted);
    const before = store.row('feedback/a');
    store.shell(`UPDATE memories SET name = 'feedback/z', followed_count = 9 WHERE name = 'feedback/a';`);
    expect(store.settle().renamed).toBe(1);
    expect(store.files()).toEqual(['feedback/b.toml', 'feedback/z.toml']);
    expect(store.row('feedback/z')).toMatchObject({ pk: before?.pk, followed_count: 9, action: 'do feedback/a' });
    expect(store.read('feedback/z.toml')).toContain('followed_count = 9\n');
    expect(store.sql(`SELECT name, gone_to FROM archive`)).toEqual([{ name: 'feedback/a', gone_to: 'feedback/z' }]);
  });

  test('UPDATE of names in a chain and there and back again', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`UPDATE memories SET name = 'feedback/t' WHERE name = 'feedback/a';
      UPDATE memories SET name = 'feedback/u' WHERE name = 'feedback/t';
      UPDATE memories SET name = 'feedback/v' WHERE name = 'feedback/b';
      UPDATE memories SET name = 'feedback/b' WHERE name = 'feedback/v';`);
    expect(store.settle().renamed).toBe(1);
    expect(store.files()).toEqual(['feedback/b.toml', 'feedback/u.toml']);
    expect(store.row('feedback/u')).toMatchObject({ action: 'do feedback/a' });
  });

  test('UPDATE of name onto a name whose row was deleted: no rename, both planned alone', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`DELETE FROM memories WHERE name = 'feedback/b';
      UPDATE memories SET name = 'feedback/b' WHERE name = 'feedback/a';`);
    expect(store.settle().renamed).toBe(0);
    expect(store.files()).toEqual(['feedback/a.toml', 'feedback/b.toml']);
    expect(store.row('feedback/a')).toMatchObject({ action: 'do feedback/a' });
    expect(store.row('feedback/b')).toMatchObject({ action: 'do feedback/a' });
  });

  test('DELETE archives the record and removes the file', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`DELETE FROM memories WHERE name = 'feedback/a';`);
    expect(store.settle().archived).toBe(1);
    expect(store.files()).toEqual(['feedback/b.toml']);
    expect(store.row('feedback/a')).toBeUndefined();
    expect(store.sql(`SELECT name, origin FROM archive`)).toEqual([{ name: 'feedback/a', origin: 'sql-delete' }]);
    expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE name = 'feedback/a'`)).toEqual([{ n: 0 }]);
  });

  test.each([
    ['', `UPDATE memories SET name = 'feedback/y' WHERE name = 'feedback/a';`, 'feedback/y'],
    [
      ' twice',
      `UPDATE memories SET name = 'feedback/y' WHERE name = 'feedback/a';
       UPDATE memories SET name = 'feedback/z' WHERE name = 'feedback/y';`,
      'feedback/z',
    ],
  ])('UPDATE of name%s, then DELETE: the memory is deleted under the name its file has', async (_, renames, name) => {
    using store = await storeWith(AB, trusted);
    store.shell(`${renames} DELETE FROM memories WHERE name = '${name}';`);
    const report = store.settle();
    expect(report.steps).toMatchObject([{ name: 'feedback/a', reason: 'sql-delete' }]);
    expect(store.files()).toEqual(['feedback/b.toml']);
    expect(store.sql('SELECT name FROM memories')).toEqual([{ name: 'feedback/b' }]);
    expect(store.sql('SELECT count(*) AS n FROM changes')).toEqual([{ n: 0 }]);
  });

  test('UPDATE OR REPLACE onto a taken name, then DELETE: that one is deleted, the other returns', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`UPDATE OR REPLACE memories SET name = 'feedback/b' WHERE name = 'feedback/a';
      DELETE FROM memories WHERE name = 'feedback/b';`);
    store.settle();
    expect(store.files()).toEqual(['feedback/a.toml']);
    expect(store.row('feedback/a')).toMatchObject({ action: 'do feedback/a' });
  });

  test('DELETE of a memory whose file was edited: the edit survives', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`DELETE FROM memories WHERE name = 'feedback/a';`);
    store.write('feedback/a.toml', feedbackText({ action: '"edited meanwhile"' }));
    expect(store.settle().steps).toMatchObject([{ name: 'feedback/a', reason: 'edit-beats-delete' }]);
    expect(store.row('feedback/a')).toMatchObject({ action: 'edited meanwhile' });
  });

  test.each(['INSERT OR REPLACE', 'REPLACE'])('%s is an edit of the name', async (verb) => {
    using store = await storeWith(AB, trusted);
    store.shell(`${verb} INTO memories(name, type, situation, behavior, impact, action)
      VALUES ('feedback/a', 'feedback', 'When replaced', 'b', 'i', 'replaced');`);
    expect(store.settle().exported).toBe(1);
    expect(store.read('feedback/a.toml')).toContain('action = "replaced"\n');
    expect(store.row('feedback/a')).toMatchObject({ followed_count: 4, surfaced_count: 6, situation: 'When replaced' });
    expect(store.sql(`SELECT 1 FROM history WHERE name = 'feedback/a' AND record LIKE '%do feedback/a%'`)).toHaveLength(
      1,
    );
  });

  test('UPDATE OR REPLACE onto a taken name: an edit of that name; the row that moved away returns from its file', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`UPDATE OR REPLACE memories SET name = 'feedback/b' WHERE name = 'feedback/a';`);
    const report = store.settle();
    expect(report.renamed).toBe(0);
    expect(store.files()).toEqual(['feedback/a.toml', 'feedback/b.toml']);
    expect(store.row('feedback/a')).toMatchObject({ action: 'do feedback/a' });
    expect(store.row('feedback/b')).toMatchObject({ action: 'do feedback/a' });
    expect(store.read('feedback/b.toml')).toContain('action = "do feedback/a"\n');
    expect(store.sql(`SELECT 1 FROM history WHERE name = 'feedback/b' AND record LIKE '%do feedback/b%'`)).toHaveLength(
      1,
    );
  });

  test('UPDATE OR REPLACE of pk onto a taken pk: the row pushed out returns from its file', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(
      `UPDATE OR REPLACE memories SET pk = (SELECT pk FROM memories WHERE name = 'feedback/b') WHERE name = 'feedback/a';`,
    );
    store.settle();
    expect(store.files()).toEqual(['feedback/a.toml', 'feedback/b.toml']);
    expect(store.row('feedback/a')).toMatchObject({ action: 'do feedback/a' });
    expect(store.row('feedback/b')).toMatchObject({ action: 'do feedback/b' });
    expect(matching(store, 'feedback')).toEqual(['feedback/a', 'feedback/b']);
  });

  test('INSERT OR IGNORE and ON CONFLICT DO UPDATE are what they became', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`INSERT OR IGNORE INTO memories(name, situation) VALUES ('feedback/a', 'ignored');
      INSERT OR IGNORE INTO memories(name, situation, behavior, impact, action) VALUES ('feedback/n', 's', 'b', 'i', 'a');
      INSERT INTO memories(name, action) VALUES ('feedback/b', 'upserted')
        ON CONFLICT(name) DO UPDATE SET action = excluded.action;`);
    const report = store.settle();
    expect([report.created, report.exported]).toEqual([1, 1]);
    expect(store.read('feedback/a.toml')).toBe(feedbackText({ action: '"do feedback/a"' }));
    expect(store.read('feedback/b.toml')).toContain('action = "upserted"\n');
  });

  test('ROLLBACK and savepoints leave nothing', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`BEGIN; DELETE FROM memories; ROLLBACK;
      SAVEPOINT s; UPDATE memories SET action = 'x'; ROLLBACK TO s; RELEASE s;`);
    expect(store.settle().steps).toEqual([]);
    expect(store.files()).toEqual(['feedback/a.toml', 'feedback/b.toml']);
  });

  test('.import through a temporary table', async () => {
    using store = await storeWith(AB, trusted);
    writeFileSync(join(store.root, 'rows.csv'), 'feedback/c,When c,"b, quoted",i,do c\nfeedback/d,When d,b,i,do d\n');
    store.shell(`CREATE TEMP TABLE incoming(name, situation, behavior, impact, action);
.import --csv rows.csv incoming
INSERT INTO memories(name, situation, behavior, impact, action) SELECT * FROM incoming;`);
    expect(store.settle().created).toBe(2);
    expect(store.read('feedback/c.toml')).toContain('behavior = "b, quoted"\n');
  });

  test('.import directly, name first and pk left out', async () => {
    using store = await storeWith(AB, trusted);
    writeFileSync(
      join(store.root, 'rows.csv'),
      'feedback/c,feedback,When c,b,i,do c\nfacts/d,fact,When d,,,,"s",p,o\n',
    );
    const { status } = tryShell(databaseOf(store.root), '.import --csv rows.csv memories', {
      trusted,
      cwd: store.root,
    });
    expect(status).toBe(0);
    const report = store.settle();
    expect(report.quarantined).toEqual([]);
    expect(report.created).toBe(2);
    expect(store.row('facts/d')).toMatchObject({ behavior: null, subject: 's' });
  });

  test('.dump and its restore, .backup, VACUUM and VACUUM INTO', async () => {
    using store = await storeWith(AB, trusted);
    store.shell(`VACUUM; VACUUM INTO 'copy.db';
.backup backup.db`);
    expect(store.settle().steps).toEqual([]);
    const dump = store.shell('.dump');
    for (const copy of ['copy.db', 'backup.db']) {
      expect(shell(join(store.root, copy), 'SELECT count(*) FROM memories;')).toBe('2\n');
    }
    shell(join(store.root, 'restored.db'), dump, { trusted });
    expect(shell(join(store.root, 'restored.db'), 'SELECT name FROM memories ORDER BY 1;')).toBe(
      'feedback/a\nfeedback/b\n',
    );
    expect(
      shell(join(store.root, 'restored.db'), `SELECT count(*) FROM fts_prose WHERE fts_prose MATCH 'column';`),
    ).toBe('2\n');
  });

  test('ANALYZE, REINDEX and PRAGMA integrity_check', async () => {
    using store = await storeWith(AB, trusted);
    expect(store.shell('ANALYZE; REINDEX; PRAGMA integrity_check;')).toBe('ok\n');
    expect(store.settle().steps).toEqual([]);
  });

  test('S40: DELETE of 60 of 200 is held, all files stay', async () => {
    const names = Array.from({ length: 200 }, (_, at) => `feedback/m${String(at).padStart(3, '0')}`);
    using store = await storeWith(names, trusted);
    store.shell(`DELETE FROM memories WHERE name < 'feedback/m060';
      UPDATE memories SET action = 'still synced' WHERE name = 'feedback/m100';`);
    const report = store.sync();
    expect(report.heldDeletions).toHaveLength(60);
    expect(report.archived).toBe(0);
    expect(store.files()).toHaveLength(200);
    expect(store.read('feedback/m100.toml')).toContain('still synced');
    const accepted = store.sync({ allowMassDelete: true });
    expect(accepted.archived).toBe(60);
    expect(store.files()).toHaveLength(140);
    expect(store.settle().heldDeletions).toEqual([]);
  });
});

function matching(store: ShellStore, word: string): string[] {
  return store
    .shell(
      `SELECT m.name FROM fts_prose JOIN memories m ON m.pk = fts_prose.rowid WHERE fts_prose MATCH '${word}' ORDER BY 1;`,
    )
    .trim()
    .split('\n');
}

test('SY-70: a restored dump is another database: compared in full, nothing lost, second sync quiet', async () => {
  using store = await storeWith(AB, 'ON');
  const dump = store.shell('.dump');
  store.shell(`UPDATE memories SET action = 'after the dump' WHERE name = 'feedback/a';`);
  store.settle();
  const root = store.root;
  const text = store.read('feedback/a.toml');
  store.context.store.close();
  for (const file of ['engram.db', 'engram.db-wal', 'engram.db-shm']) {
    if (existsSync(join(root, file))) writeFileSync(join(root, `${file}.gone`), '');
  }
  const { rmSync } = await import('node:fs');
  for (const file of ['engram.db', 'engram.db-wal', 'engram.db-shm']) rmSync(join(root, file), { force: true });
  shell(databaseOf(root), dump);
  using restored = await temporaryStore(root);
  const report = restored.sync();
  expect(report.quarantined).toEqual([]);
  expect(restored.read('feedback/a.toml')).toBe(text);
  expect(restored.row('feedback/a')).toMatchObject({ action: 'after the dump' });
  expect(restored.sync().steps).toEqual([]);
});
