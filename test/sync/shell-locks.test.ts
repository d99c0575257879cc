import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { realFileSystem } from '../../src/files/file-system.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { immediately, patientFor } from '../../src/store/transaction.ts';
import { inSection } from '../../src/sync/section.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { runEngram } from '../support/engram.ts';
import { engramError } from '../support/engram-error.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';

test('S38: a shell holds BEGIN EXCLUSIVE for 3 s against 10 writers, and all succeed', async () => {
  using store = await temporaryStore();
  store.write('feedback/first.toml', feedbackText());
  store.sync();
  const script = bundleForChild(new URL('children/write-and-sync.ts', import.meta.url));
  const writers = Array.from({ length: 10 }, (_, at) => startChild(process.execPath, [script, store.root, `w${at}`]));
  await Promise.all(writers.map((writer) => writer.printed('open')));
  const holder = startChild(
    'sqlite3',
    ['-batch', databaseOf(store.root)],
    `BEGIN EXCLUSIVE; UPDATE memories SET action = 'from the shell'; SELECT 'held';\n.shell sleep 3\nCOMMIT;\n.quit\n`,
  );
  await holder.printed('held');
  const startedMs = Date.now();
  for (const writer of writers) writer.process.stdin?.write('go\n');
  const ends = await Promise.all(writers.map((writer) => writer.end));
  expect(ends.map(({ status, stderr }) => [status, stderr])).toEqual(ends.map(() => [0, '']));
  expect(Date.now() - startedMs).toBeGreaterThan(2500);
  expect((await holder.end).status).toBe(0);
  expect(store.sync().quarantined).toEqual([]);
  expect(store.sync().steps).toEqual([]);
  expect(store.sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: 11 }]);
  expect(store.row('feedback/first')).toMatchObject({ action: 'from the shell' });
  expect(listCounterMismatches(store.context.store.db)).toEqual([]);
}, 60_000);

test('SY-57, SY-61: who reads waits a second for a shell that holds the database, answers for what is known and says so', async () => {
  using store = await temporaryStore();
  const situation = '"When the zeppelin lands at dawn"';
  for (const name of ['a', 'b', 'c']) store.write(`feedback/${name}.toml`, feedbackText({ situation }));
  store.sync();
  for (const name of ['a', 'b', 'c'])
    store.write(`feedback/${name}.toml`, feedbackText({ situation, action: '"Another"' }));
  const holder = startChild('sqlite3', ['-batch', databaseOf(store.root)], `BEGIN EXCLUSIVE; SELECT 'held';\n`);
  await holder.printed('held');
  const startedMs = Date.now();
  const text = 'landing the zeppelin at dawn';
  const { status, stdout } = runEngram(store.root, [
    'query',
    text,
    '--data-dir',
    store.root,
    '--json',
    '--all-projects',
  ]);
  const tookMs = Date.now() - startedMs;
  holder.process.kill('SIGKILL');
  await holder.end;
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ stale: true });
  expect(tookMs).toBeLessThan(8000);
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({ action: 'Another' });
});

test('SY-61: patience is for all transactions together, work does not use it up, and the database waits as before afterwards', async () => {
  using store = await temporaryStore();
  const { context } = store;
  const usual = context.store.db.pragma('busy_timeout', { simple: true });
  const holder = startChild('sqlite3', ['-batch', databaseOf(store.root)], `BEGIN IMMEDIATE; SELECT 'held';\n`);
  await holder.printed('held');
  const startedMs = Date.now();
  const patient = patientFor(context.store, 300);
  for (let turn = 0; turn < 5; turn += 1) {
    expect(() => immediately(patient, () => {})).toThrow(engramError('database.busy'));
  }
  expect(Date.now() - startedMs).toBeLessThan(2000);
  expect(patient.patience?.leftMs).toBe(0);
  holder.process.kill('SIGKILL');
  await holder.end;
  expect(context.store.db.pragma('busy_timeout', { simple: true })).toBe(usual);
  const other = patientFor(context.store, 50);
  immediately(other, () => {
    for (const untilMs = Date.now() + 80; Date.now() < untilMs; );
  });
  expect(other.patience?.leftMs).toBeGreaterThan(0);
});

test('S38, SY-61: why no transaction reads before it writes: a foreign commit between fails it at once', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  const { db } = store.context.store;
  const readThenWrite = db.transaction(() => {
    db.prepare('SELECT * FROM memories').all();
    shell(databaseOf(store.root), `UPDATE memories SET impact = 'foreign';`);
    db.prepare(`UPDATE memories SET action = 'ours'`).run();
  });
  const startedMs = Date.now();
  expect(() => readThenWrite.deferred()).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY_SNAPSHOT' }));
  expect(Date.now() - startedMs).toBeLessThan(2000);
});

test('S38: a foreign commit between the look at a row and the write of its file loses neither change', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  let foreign = 0;
  const fs = {
    ...realFileSystem,
    renameSync: (from: string, to: string) => {
      if (foreign++ === 0) {
        const update = `UPDATE memories SET impact = 'foreign', followed_count = followed_count + 1;`;
        expect(spawnSync('sqlite3', [databaseOf(store.root), update]).status).toBe(0);
      }
      realFileSystem.renameSync(from, to);
    },
  };
  inSection({ ...store.context, fs }, 'feedback/a' as MemoryName, {
    wanted: {
      countsOnly: false,
      change: (record) => ({
        record: { ...record, action: 'ours', surfaced_count: record.surfaced_count + 1 },
        events: [
          { name: 'feedback/a' as MemoryName, kind: 'surfaced', delta: 1, origin: 'cli', atMs: store.context.clock() },
        ],
      }),
    },
  });
  expect(foreign).toBeGreaterThan(0);
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({
    action: 'ours',
    impact: 'foreign',
    followed_count: 5,
    surfaced_count: 7,
  });
  expect(store.read('feedback/a.toml')).toContain('impact = "foreign"\n');
  expect(store.read('feedback/a.toml')).toContain('action = "ours"\n');
  expect(listCounterMismatches(store.context.store.db)).toEqual([]);
  expect(store.sync().steps).toEqual([]);
});
