import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { openStore } from '../../src/store/open.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { syncExit } from '../../src/sync/report.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const M = 'feedback/m' as MemoryName;

/** Closes the store, puts the backup in place of its database, and opens it again. */
async function withBackupRestored(store: TestStore): Promise<TestStore> {
  store.context.store.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(store.root, `engram.db${suffix}`), { force: true });
  renameSync(join(store.root, 'backup.db'), join(store.root, 'engram.db'));
  return temporaryStore(store.root);
}

const backUp = (store: TestStore) => store.sql(`VACUUM INTO '${join(store.root, 'backup.db')}'`);

test('SY-70: a backup that still agrees with its files is compared in full and changes nothing', async () => {
  using store = await temporaryStore();
  for (const name of ['m', 'n']) store.write(`feedback/${name}.toml`, feedbackText({ situation: `"When ${name}"` }));
  store.sync();
  backUp(store);
  const before = store.everything();
  using again = await withBackupRestored(store);
  const report = again.sync();
  expect([report.steps, syncExit(report)]).toEqual([[], 0]);
  expect(again.everything()).toEqual(before);
  expect(listCounterMismatches(again.context.store.db)).toEqual([]);
});

test('SY-70, SY-23: what changed since the backup is a first meeting: nothing is deleted, nothing lost, nothing counted twice', async () => {
  using store = await temporaryStore();
  const names = ['m', 'edited', 'removed', 'by-sql'];
  for (const name of names) store.write(`feedback/${name}.toml`, feedbackText({ situation: `"When ${name}"` }));
  store.sync();
  store.sql(`UPDATE memories SET impact = 'Waits in the backup' WHERE name = 'feedback/by-sql'`);
  backUp(store);
  store.sync();
  countOutcome(store.context, M, { kind: 'surfaced' });
  countOutcome(store.context, M, { kind: 'surfaced' });
  store.write('feedback/edited.toml', feedbackText({ situation: '"When edited"', action: '"Edited later"' }));
  store.write('feedback/new.toml', feedbackText({ situation: '"When new"' }));
  store.remove('feedback/removed.toml');
  expect(store.sync()).toMatchObject({ archived: 1, imported: 2 });

  using again = await withBackupRestored(store);
  const report = again.sync();
  expect([report.archived, report.heldDeletions]).toEqual([0, []]);
  // The counts of the files are the larger ones, and each is in the events once.
  expect(again.row(M)).toMatchObject({ surfaced_count: 8 });
  expect(listCounterMismatches(again.context.store.db)).toEqual([]);
  // An edit in the file stands; what the row of the backup says is a conflict and in history.
  expect(again.row('feedback/edited')).toMatchObject({ action: 'Edited later' });
  expect(again.sql(`SELECT name, field FROM conflicts WHERE resolution IS NULL ORDER BY name`)).toEqual([
    { name: 'feedback/edited', field: 'action' },
  ]);
  expect(again.row('feedback/by-sql')).toMatchObject({ impact: 'Waits in the backup' });
  // A database that has not completed a sync here may delete nothing: the removed file comes back.
  expect(again.exists('feedback/removed.toml')).toBe(true);
  expect(again.row('feedback/new')).toMatchObject({ situation: 'When new' });
  const second = again.sync();
  expect([second.steps, second.openConflicts]).toEqual([[], 1]);
  again.remove('feedback/removed.toml');
  expect(again.sync().archived).toBe(1);
});

test('SY-70: until the first sync a restored database believes no base in other commands either', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  backUp(store);
  store.write('feedback/m.toml', feedbackText({ action: '"Edited later"', surfaced_count: '9' }));
  store.sync();
  using again = await withBackupRestored(store);
  countOutcome(again.context, M, { kind: 'surfaced' });
  expect(again.row(M)).toMatchObject({ action: 'Edited later', surfaced_count: 10 });
  expect(listCounterMismatches(again.context.store.db)).toEqual([]);
  expect(again.sync().openConflicts).toBe(1);
});

test('SY-64, SY-70: a database that is replaced under an open store is never written', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  backUp(store);
  renameSync(join(store.root, 'engram.db'), join(store.root, 'old.db'));
  renameSync(join(store.root, 'backup.db'), join(store.root, 'engram.db'));
  store.write('feedback/m.toml', feedbackText({ action: '"Edited"' }));
  expect(() => store.sync()).toThrow('was replaced while it was open');
  using again = await openStore(store.root);
  expect(again.db.prepare(`SELECT action FROM memories`).get()).not.toMatchObject({ action: 'Edited' });
});

const MANY = Number(process.env.ENGRAM_TEST_MANY ?? 4000);

test(`X11: ${MANY} files changed in one batch are one sync, both ways`, { timeout: 600_000 }, async () => {
  using store = await temporaryStore();
  store.context.store.db.pragma('synchronous = OFF');
  const path = (at: number) => `feedback/m${at}.toml`;
  for (let at = 0; at < MANY; at += 1) store.write(path(at), feedbackText({ situation: `"When ${at}"` }));
  expect(store.sync().imported).toBe(MANY);
  for (let at = 0; at < MANY; at += 1) {
    store.write(path(at), feedbackText({ situation: `"When ${at}"`, action: '"Edited"' }));
  }
  expect(store.sync().imported).toBe(MANY);
  store.sql('UPDATE memories SET needs_review = 0');
  expect(store.sync().steps).toEqual([]);
  expect(store.sql('SELECT count(*) AS n FROM changes')).toEqual([{ n: 0 }]);
  store.sql('DELETE FROM memories');
  expect(store.sync().heldDeletions).toHaveLength(MANY);
  expect(store.files()).toHaveLength(MANY);
});
