import { chmodSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/store/migrate.ts';
import { storeStatus } from '../../src/sync/status.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';

test('SY-66: a synced store: counted now, nothing pending', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.write('facts/b.toml', feedbackText());
  store.sync();
  const status = storeStatus(store.context);
  expect(status).toMatchObject({
    root: store.root,
    database: store.context.store.identity,
    schema: SCHEMA_VERSION,
    directories: [
      { directory: 'feedback', files: 1, rows: 1, problem: null },
      { directory: 'facts', files: 1, rows: 1, problem: null },
    ],
    pending: { files: 0, rows: 0 },
    quarantined: [],
    openConflicts: 0,
    holds: [],
    index: { lag: 0, orphans: 0 },
    unfinishedWrites: 0,
    degraded: [],
  });
  expect(status.lastCompleteRun).toMatchObject({ origin: 'test' });
});

test('SY-66: each side that waits is counted, quarantine, conflicts and holds are named', async () => {
  using store = await temporaryStore();
  for (const name of ['a', 'b', 'c', 'd', 'e']) store.write(`feedback/${name}.toml`, feedbackText());
  store.sync();
  store.write('feedback/a.toml', feedbackText({ action: '"file"' }));
  shell(databaseOf(store.root), `UPDATE memories SET action = 'row' WHERE name = 'feedback/a';`);
  store.write('feedback/b.toml', 'situation = "\n');
  store.sync();
  store.write('feedback/c.toml', feedbackText({ action: '"pending"' }));
  store.write('feedback/new.toml', feedbackText());
  shell(databaseOf(store.root), `UPDATE memories SET impact = 'pending' WHERE name IN ('feedback/d', 'feedback/e');`);
  const status = storeStatus(store.context);
  expect(status.pending).toEqual({ files: 2, rows: 2 });
  expect(status.quarantined).toMatchObject([{ side: 'file', path: 'feedback/b.toml', reason: 'syntax', line: 1 }]);
  expect(status.openConflicts).toBe(1);
  expect(status.index.lag).toBe(2);
  expect(status.directories[0]).toMatchObject({ files: 6, rows: 5 });
  store.sync();
  expect(storeStatus(store.context).pending).toEqual({ files: 0, rows: 0 });
});

test('SY-66: a count that could not be made is unknown, never 0', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  const list = () => ({ kind: 'unreadable', code: 'EACCES' }) as const;
  const status = storeStatus({ ...store.context, list });
  expect(status.directories.map(({ files, problem }) => [files, problem])).toEqual([
    ['unknown', 'unreadable (EACCES)'],
    ['unknown', 'unreadable (EACCES)'],
  ]);
  expect(status.pending.files).toBe('unknown');
  expect(status.degraded).toHaveLength(2);
  store.sql('DROP TABLE conflicts');
  expect(storeStatus(store.context).openConflicts).toBe('unknown');
});

test('SY-66: it changes nothing', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  store.write('feedback/a.toml', 'broken = "');
  const before = store.sql('SELECT total_changes() AS n');
  storeStatus(store.context);
  expect(store.sql('SELECT total_changes() AS n')).toEqual(before);
});

test('SY-70: a copy of the database is said to be one until it has been compared', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  shell(databaseOf(store.root), `VACUUM INTO '${join(store.root, 'copy.db')}';`);
  store.context.store.close();
  renameSync(join(store.root, 'copy.db'), databaseOf(store.root));
  for (const suffix of ['-wal', '-shm']) writeFileSync(`${databaseOf(store.root)}${suffix}`, '');
  chmodSync(databaseOf(store.root), 0o600);
  using copy = await temporaryStore(store.root);
  expect(storeStatus(copy.context).degraded[0]).toContain('another file than at the last sync');
  copy.sync();
  expect(storeStatus(copy.context).degraded).toEqual([]);
});

test('MF-27: readable files with something their owner should know, by path, key and reason', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText({ surfaced_count: '-3', created_at: '"yesterday"' }));
  store.write('feedback/b.toml', feedbackText({ initial_confidence: '1.7', situation: `"When ${'b'.repeat(2_000)}"` }));
  store.write('facts/c.toml', feedbackText());
  store.write('feedback/d.toml', feedbackText());
  store.write('feedback/e.toml', feedbackText({ schema_version: '3' }));
  writeFileSync(join(store.root, 'target'), feedbackText());
  symlinkSync(join(store.root, 'target'), store.at('feedback/f.toml'));
  store.sync();
  const left = 'the value in the file is left as it is';
  expect(storeStatus(store.context).notes).toEqual([
    {
      path: 'facts/c.toml',
      key: 'type',
      message: 'a feedback memory in memory/facts; it is read and written where it lies',
    },
    { path: 'feedback/a.toml', key: 'surfaced_count', message: `no whole number from 0 to 2^53-1; read as 0; ${left}` },
    { path: 'feedback/a.toml', key: 'created_at', message: `no time; read as unknown; ${left}` },
    { path: 'feedback/b.toml', key: 'initial_confidence', message: `not between 0 and 1; read as unknown; ${left}` },
    { path: 'feedback/b.toml', key: 'situation', message: 'has 2005 characters, the limit is 2000' },
    { path: 'feedback/e.toml', key: 'schema_version', message: 'read-only: written by a newer engram' },
    { path: 'feedback/f.toml', key: null, message: 'read-only: a link, which a rewrite would replace' },
  ]);
  store.write('feedback/b.toml', 'situation = "\n');
  store.sync();
  const status = storeStatus(store.context);
  const paths = status.notes === 'unknown' ? [] : status.notes.map(({ path }) => path);
  expect([paths.includes('feedback/a.toml'), paths.includes('feedback/b.toml')]).toEqual([true, false]);
});
