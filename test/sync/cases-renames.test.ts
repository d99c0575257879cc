import { renameSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { syncExit } from '../../src/sync/report.ts';
import { git } from '../support/git.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const A = 'feedback/a' as MemoryName;

/** Two memories with some history each. */
async function storeWithTwo(): Promise<TestStore> {
  const store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText({ action: '"a"' }));
  store.write(
    'feedback/b.toml',
    feedbackText({ action: '"b"', situation: '"When b"', updated_at: '"2026-04-21T10:00:00Z"' }),
  );
  store.sync();
  countOutcome(store.context, A, { kind: 'followed' });
  store.sql(`UPDATE memories SET impact = 'changed once' WHERE name = ?`, A);
  store.sync();
  return store;
}

const eventsOf = (store: TestStore, name: string) =>
  store.sql(`SELECT coalesce(sum(delta), 0) AS n FROM outcome_events WHERE name = ? AND kind = 'followed'`, name)[0]?.n;

test('S25, SY-21: git mv: row, pk, history, events and base move, the old name says where it went', async () => {
  using store = await storeWithTwo();
  git(store.at('.'), '-c', 'init.defaultBranch=main', 'init', '-q');
  git(store.at('.'), 'add', '-A');
  git(store.at('.'), 'commit', '-qm', 'start');
  const before = store.row(A);
  git(store.at('.'), 'mv', 'feedback/a.toml', 'feedback/moved.toml');
  const report = store.sync();
  expect(report.steps).toEqual([{ name: A, action: 'rename', reason: 'file-renamed', other: 'feedback/moved' }]);
  expect(store.row(A)).toBeUndefined();
  expect(store.row('feedback/moved')).toEqual({ ...before, name: 'feedback/moved' });
  expect([eventsOf(store, A), eventsOf(store, 'feedback/moved')]).toEqual([0, 5]);
  expect(store.sql('SELECT DISTINCT name FROM history')).toEqual([{ name: 'feedback/moved' }]);
  expect(store.sql('SELECT name, origin, gone_to FROM archive')).toEqual([
    { name: A, origin: 'renamed', gone_to: 'feedback/moved' },
  ]);
  const after = store.sync();
  expect([after.steps, syncExit(after)]).toEqual([[], 0]);
});

test('S25: names that swapped contents are two edits', async () => {
  using store = await storeWithTwo();
  renameSync(store.at('feedback/a.toml'), store.at('feedback/tmp'));
  renameSync(store.at('feedback/b.toml'), store.at('feedback/a.toml'));
  renameSync(store.at('feedback/tmp'), store.at('feedback/b.toml'));
  const pks = [store.row(A)?.pk, store.row('feedback/b')?.pk];
  expect(store.sync()).toMatchObject({ imported: 2, renamed: 0, archived: 0 });
  expect([store.row(A)?.action, store.row('feedback/b')?.action]).toEqual(['b', 'a']);
  expect([store.row(A)?.pk, store.row('feedback/b')?.pk]).toEqual(pks);
  expect([eventsOf(store, A), eventsOf(store, 'feedback/b')]).toEqual([4, 5]);
});

test('S25: a copy is a new memory, reported once with its source', async () => {
  using store = await storeWithTwo();
  store.write('feedback/c.toml', store.read('feedback/a.toml'));
  const report = store.sync();
  expect(report.steps).toEqual([
    { name: 'feedback/c', action: 'note', reason: 'duplicate-of', other: A },
    { name: 'feedback/c', action: 'import', reason: 'new', other: null },
  ]);
  expect(store.row('feedback/c')).toMatchObject({ action: 'a', followed_count: 5 });
  expect([eventsOf(store, A), eventsOf(store, 'feedback/c')]).toEqual([5, 5]);
  expect(store.sync().steps).toEqual([]);
});

test.each([false, true])(
  'S25, SY-22: a rename of case alone, edited meanwhile: %s, is done in one sync',
  async (edited) => {
    using store = await storeWithTwo();
    const before = store.row(A);
    renameSync(store.at('feedback/a.toml'), store.at('feedback/A.toml'));
    if (edited) writeFileSync(store.at('feedback/A.toml'), store.read('feedback/A.toml').replace('"a"', '"A"'));
    const report = store.sync();
    expect([report.renamed, report.archived, syncExit(report)]).toEqual([1, 0, 0]);
    const action = edited ? 'A' : 'a';
    expect(store.row('feedback/A')).toEqual({
      ...before,
      name: 'feedback/A',
      action,
      text_updated_at: expect.anything(),
    });
    expect(store.row(A)).toBeUndefined();
    expect(store.sync().steps).toEqual([]);
  },
);

test('SY-22: from one Unicode form to the other it stays the same memory', async () => {
  using store = await temporaryStore();
  store.write('feedback/\u00e9.toml', feedbackText());
  store.sync();
  const before = store.row('feedback/\u00e9');
  renameSync(store.at('feedback/\u00e9.toml'), store.at('feedback/e\u0301.toml'));
  const report = store.sync();
  expect([report.archived, report.unfinished, syncExit(report)]).toEqual([0, [], 0]);
  expect(store.row('feedback/\u00e9')).toEqual(before);
  expect(store.sql('SELECT path FROM bases')).toEqual([{ path: 'feedback/e\u0301.toml' }]);
  expect(store.sync().steps).toEqual([]);
});

test('SY-21: several equal candidates pair in byte order', async () => {
  using store = await temporaryStore();
  for (const name of ['p', 'q']) store.write(`feedback/${name}.toml`, feedbackText());
  store.write('feedback/stays.toml', feedbackText({ situation: '"When it stays"' }));
  store.sync();
  const pks = ['p', 'q'].map((name) => store.row(`feedback/${name}`)?.pk);
  renameSync(store.at('feedback/p.toml'), store.at('feedback/z.toml'));
  renameSync(store.at('feedback/q.toml'), store.at('feedback/y.toml'));
  expect(store.sync().renamed).toBe(2);
  expect(['y', 'z'].map((name) => store.row(`feedback/${name}`)?.pk)).toEqual(pks);
});

test('SY-21: without a second look a new file equal to a missing one waits for the verdict', async () => {
  using store = await storeWithTwo();
  renameSync(store.at('feedback/a.toml'), store.at('feedback/moved.toml'));
  const hasty = store.sync({ patient: false });
  expect(hasty.steps).toEqual([]);
  expect(hasty.unfinished).toContainEqual({ name: 'feedback/moved', reason: 'rename-not-verified' });
  expect(store.row('feedback/moved')).toBeUndefined();
  expect(store.sync().renamed).toBe(1);
});

test('SY-21, SY-15: a row edited by SQL keeps its edit when its file is renamed', async () => {
  using store = await storeWithTwo();
  store.sql(`UPDATE memories SET source = 'SQL' WHERE name = ?`, A);
  renameSync(store.at('feedback/a.toml'), store.at('feedback/moved.toml'));
  expect(store.sync()).toMatchObject({ renamed: 1, exported: 1 });
  expect(store.row('feedback/moved')).toMatchObject({ source: 'SQL', followed_count: 5 });
  expect(store.read('feedback/moved.toml')).toContain('source = "SQL"\n');
  expect(store.sync().steps).toEqual([]);
});
