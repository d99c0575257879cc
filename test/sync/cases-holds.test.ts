import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forget } from '../../src/learning/forget.ts';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { syncExit } from '../../src/sync/report.ts';
import { undoHolds } from '../../src/sync/undo-holds.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

async function storeOf(count: number): Promise<TestStore> {
  const store = await temporaryStore();
  for (let at = 10; at < 10 + count; at += 1) {
    store.write(`feedback/m${at}.toml`, feedbackText({ situation: `"When ${at}"` }));
  }
  store.sync();
  return store;
}

const nameOf = (at: number) => `feedback/m${at}` as MemoryName;

test('SY-31: the brake counts what sync deleted in the last ten minutes, and forget not at all', async () => {
  using store = await storeOf(40);
  for (let at = 10; at < 18; at += 1) forget(store.context, nameOf(at));
  for (let at = 20; at < 28; at += 1) store.remove(`feedback/m${at}.toml`);
  expect(store.sync()).toMatchObject({ archived: 8, heldDeletions: [] });
  for (let at = 30; at < 33; at += 1) store.remove(`feedback/m${at}.toml`);
  const held = store.sync();
  expect([held.archived, held.heldDeletions.length, syncExit(held)]).toEqual([0, 3, 1]);
  // A held deletion stays held, however long ago the others were.
  store.advance(11 * 60 * 1000);
  expect(store.sync().heldDeletions).toHaveLength(3);
  store.remove('feedback/m40.toml');
  expect(store.sync()).toMatchObject({ archived: 1 });
});

test('SY-31, SY-32: deletions by SQL are held on the side of the row; undo brings the rows back with their counts', async () => {
  using store = await storeOf(20);
  store.write('feedback/m10.toml', feedbackText({ situation: '"When broken', surfaced_count: '6' }));
  store.sync();
  countOutcome(store.context, nameOf(10), { kind: 'surfaced' });
  store.write('feedback/m10.toml', feedbackText({ situation: '"When 10"' }));
  store.sql(`DELETE FROM memories`);
  const held = store.sync();
  expect(held.heldDeletions).toHaveLength(20);
  expect(store.sql('SELECT DISTINCT side, reason FROM deletion_holds')).toEqual([{ side: 'row', reason: 'brake' }]);
  expect(store.files()).toHaveLength(20);
  expect(undoHolds(store.context)).toMatchObject({ failed: [], restored: { length: 20 } });
  const after = store.sync();
  expect([after.heldDeletions, syncExit(after)]).toEqual([[], 0]);
  expect(store.row(nameOf(10))).toMatchObject({ surfaced_count: 7 });
  expect(store.read('feedback/m10.toml')).toContain('surfaced_count = 7\n');
  expect(listCounterMismatches(store.context.store.db)).toEqual([]);
  expect(store.sync().steps).toEqual([]);
});

test('SY-32: undo never replaces a file that has come back, and what rows changed meanwhile is exported', async () => {
  using store = await storeOf(12);
  renameSync(join(store.root, 'memory'), join(store.root, 'gone'));
  mkdirSync(store.at('feedback'), { recursive: true });
  mkdirSync(store.at('facts'));
  expect(store.sync().heldDeletions).toHaveLength(12);
  store.write('feedback/m11.toml', feedbackText({ action: '"Written anew"' }));
  store.sql(`UPDATE memories SET action = 'By SQL' WHERE name = ?`, nameOf(12));
  expect(undoHolds(store.context).failed).toEqual([]);
  expect(store.read('feedback/m11.toml')).toBe(feedbackText({ action: '"Written anew"' }));
  const report = store.sync();
  expect([report.heldDeletions, syncExit(report)]).toEqual([[], 0]);
  expect(store.row(nameOf(11))).toMatchObject({ action: 'Written anew' });
  expect(store.read('feedback/m12.toml')).toContain('action = "By SQL"\n');
  expect(store.files()).toHaveLength(12);
});

test('SY-32: a file that returns releases its own hold only', async () => {
  using store = await storeOf(20);
  for (let at = 10; at < 25; at += 1) renameSync(store.at(`feedback/m${at}.toml`), join(store.root, `m${at}`));
  expect(store.sync().heldDeletions).toHaveLength(15);
  renameSync(join(store.root, 'm12'), store.at('feedback/m12.toml'));
  const report = store.sync();
  expect(report.heldDeletions).toHaveLength(14);
  expect(report.heldDeletions.map(({ name }) => name)).not.toContain(nameOf(12));
});

test('SY-14: DELETE of a memory whose file is broken brings the row back; the wish stays held until it can be judged', async () => {
  using store = await storeOf(3);
  store.write('feedback/m10.toml', 'not = toml =\n');
  store.sync();
  store.sql('DELETE FROM memories WHERE name = ?', nameOf(10));
  const report = store.sync();
  expect(report.heldDeletions).toEqual([{ name: nameOf(10), reason: 'file-quarantined' }]);
  expect(store.row(nameOf(10))).toMatchObject({ situation: 'When 10', followed_count: 4 });
  expect(store.sync().heldDeletions).toHaveLength(1);
  store.write('feedback/m10.toml', feedbackText({ situation: '"When 10"' }));
  expect(store.sync().heldDeletions).toEqual([]);
  expect(store.row(nameOf(10))).toMatchObject({ followed_count: 4 });
});

test('SY-67: a dry run writes nothing and exits as the real run does', async () => {
  using store = await storeOf(12);
  for (let at = 10; at < 21; at += 1) store.remove(`feedback/m${at}.toml`);
  const before = store.everything();
  const dry = store.sync({ dryRun: true });
  expect([dry.heldDeletions.length, syncExit(dry)]).toEqual([11, 1]);
  store.write('feedback/new.toml', 'not = toml =\n');
  expect(syncExit(store.sync({ dryRun: true }))).toBe(6);
  store.remove('feedback/new.toml');
  expect(store.everything()).toEqual(before);
  expect(store.sql('SELECT count(*) AS n FROM deletion_holds')).toEqual([{ n: 0 }]);
  expect(store.sync().heldDeletions).toEqual(dry.heldDeletions);
});
