import { execFileSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { MemoryName } from '../../src/memory/slug.ts';
import { syncExit } from '../../src/sync/report.ts';
import { git } from '../support/git.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const M = 'feedback/m' as MemoryName;
const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));

const rows = (store: TestStore) => store.sql('SELECT * FROM memories ORDER BY name');

test('S10: equal size and old mtime, touched files, and a time in the future', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText({ action: '"abc"' }));
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  const { atime, mtime } = statSync(store.at('feedback/m.toml'));
  store.write('feedback/m.toml', feedbackText({ action: '"xyz"' }));
  utimesSync(store.at('feedback/m.toml'), atime, mtime);
  expect(store.sync().imported).toBe(1);
  expect(store.row(M)).toMatchObject({ action: 'xyz' });
  const before = rows(store);
  for (const path of store.files()) utimesSync(store.at(path), new Date(), new Date());
  expect(store.sync().steps).toEqual([]);
  expect(rows(store)).toEqual(before);
  const future = new Date('2099-01-01T00:00:00Z');
  store.write('feedback/m.toml', feedbackText({ action: '"from 2099"' }));
  utimesSync(store.at('feedback/m.toml'), future, future);
  expect(store.sync().imported).toBe(1);
  expect(store.sync().steps).toEqual([]);
  store.write('feedback/m.toml', feedbackText({ action: '"after 2099"' }));
  utimesSync(store.at('feedback/m.toml'), future, future);
  expect(store.sync().imported).toBe(1);
  expect(store.row(M)).toMatchObject({ action: 'after 2099' });
});

test('S12: SQL changes one field, an editor another: both in both', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.sql(`UPDATE memories SET action = 'X'`);
  store.write('feedback/m.toml', feedbackText({ impact: '"Y"' }));
  expect(store.sync()).toMatchObject({ merged: 1, openConflicts: 0 });
  expect(store.row(M)).toMatchObject({ action: 'X', impact: 'Y' });
  expect(store.read('feedback/m.toml')).toContain('impact = "Y"\naction = "X"\n');
  expect(store.sync().steps).toEqual([]);
});

test('S13: every fixture, read, and through git to another store and back, says the same in the same bytes', async () => {
  using a = await temporaryStore();
  cpSync(join(FIXTURES, 'memories'), a.at('.'), { recursive: true });
  a.sync();
  expect(rows(a).length).toBeGreaterThan(70);
  const texts = () => a.files().map((path) => a.read(path));
  const before = texts();
  git(a.at('.'), '-c', 'init.defaultBranch=main', 'init', '-q');
  git(a.at('.'), 'add', '-A');
  git(a.at('.'), 'commit', '-qm', 'all of them');
  using b = await temporaryStore(mkdtempSync(join(a.root, 'b-')));
  git(b.root, 'clone', '-q', a.at('.'), b.at('.'));
  b.sync();
  const records = (store: TestStore) => rows(store).map(({ pk: _, ...row }) => row);
  expect(records(b)).toEqual(records(a));
  expect(b.sync()).toMatchObject({ steps: [], quarantined: [] });
  git(b.at('.'), 'commit', '-qm', 'nothing', '--allow-empty');
  git(a.at('.'), 'pull', '-q', b.at('.'), 'main');
  const report = a.sync();
  expect([report.steps, syncExit(report)]).toEqual([[], 0]);
  expect(texts()).toEqual(before);
});

test('S20: 99 good files and one of each kind of bad one: 99 rows, exit 6, reason and path, no hang', async () => {
  using store = await temporaryStore();
  for (let at = 0; at < 99; at += 1) store.write(`feedback/m${at}.toml`, feedbackText({ situation: `"When ${at}"` }));
  store.write('feedback/escape.toml', feedbackText({ action: '"\\q"' }));
  store.write('feedback/nul.toml', feedbackText({ action: '"a\0b"' }));
  store.write('feedback/utf8.toml', Buffer.concat([Buffer.from(feedbackText()), Buffer.from([0x23, 0xff, 0x0a])]));
  store.write('feedback/big.toml', Buffer.alloc(50 * 1024 * 1024, '#\n'));
  mkdirSync(store.at('feedback/x.toml'));
  execFileSync('mkfifo', [store.at('feedback/y.toml')]);
  symlinkSync('/nowhere/at-all.toml', store.at('feedback/dangling.toml'));
  const report = store.sync();
  expect(syncExit(report)).toBe(6);
  const reasons = report.quarantined.map(({ path, reason }) => [path, reason]);
  expect(reasons).toEqual([
    ['feedback/big.toml', 'too-large'],
    ['feedback/dangling.toml', 'unreadable'],
    ['feedback/escape.toml', 'syntax'],
    ['feedback/nul.toml', 'syntax'],
    ['feedback/utf8.toml', 'not-utf8'],
    ['feedback/x.toml', 'not-regular'],
    ['feedback/y.toml', 'not-regular'],
  ]);
  expect(report.quarantined.find(({ path }) => path === 'feedback/escape.toml')).toMatchObject({
    line: 20,
    column: 12,
  });
  expect(rows(store)).toHaveLength(99);
  const again = store.sync();
  expect([again.steps, syncExit(again), again.quarantined.length]).toEqual([[], 6, 7]);
  // All are gone or repaired: nothing is left of the quarantine.
  for (const { path } of report.quarantined) rmSync(store.at(path), { recursive: true });
  expect(syncExit(store.sync())).toBe(0);
});

test('S33, SY-3: a dot directory above the root hides nothing, a dot file inside is ignored', async () => {
  using outer = await temporaryStore();
  const root = join(outer.root, '.hidden/.local/share/engram');
  mkdirSync(root, { recursive: true });
  using store = await temporaryStore(root);
  store.write('feedback/m.toml', feedbackText());
  store.write('feedback/.foo.toml', feedbackText());
  store.write('feedback/m.toml.bak', 'no memory');
  expect(store.sync()).toMatchObject({ imported: 1, quarantined: [] });
  expect(rows(store)).toHaveLength(1);
});

test('S35, SY-47: a linked file is never replaced, its row changes wait, an edit of its target is imported', async () => {
  using store = await temporaryStore();
  const target = join(store.root, 'elsewhere.toml');
  writeFileSync(target, feedbackText());
  mkdirSync(store.at('feedback'), { recursive: true });
  symlinkSync(target, store.at('feedback/m.toml'));
  store.sync();
  store.sql(`UPDATE memories SET action = 'By SQL'`);
  expect(store.sync().waiting).toEqual([{ name: M, reason: 'read-only' }]);
  expect(lstatSync(store.at('feedback/m.toml')).isSymbolicLink()).toBe(true);
  expect(readlinkSync(store.at('feedback/m.toml'))).toBe(target);
  expect(store.read('feedback/m.toml')).toBe(feedbackText());
  writeFileSync(target, feedbackText({ impact: '"Edited at its place"' }));
  store.sync();
  expect(store.row(M)).toMatchObject({ action: 'By SQL', impact: 'Edited at its place' });
  expect(store.read('feedback/m.toml')).toBe(feedbackText({ impact: '"Edited at its place"' }));
});

test('S35, SY-4: é in both Unicode forms is a name-clash; the quarantined one returns when the other is gone', async () => {
  using store = await temporaryStore();
  const [composed, decomposed] = ['feedback/\u00e9.toml', 'feedback/e\u0301.toml'];
  store.write(composed, feedbackText({ action: '"composed"' }));
  store.sync();
  store.write(decomposed, feedbackText({ action: '"decomposed"' }));
  const report = store.sync();
  expect(report.quarantined).toMatchObject([{ path: decomposed, reason: 'name-clash' }]);
  expect(rows(store)).toMatchObject([{ name: 'feedback/\u00e9', action: 'composed' }]);
  store.remove(composed);
  const after = store.sync();
  expect([after.quarantined, syncExit(after)]).toEqual([[], 0]);
  expect(rows(store)).toMatchObject([{ name: 'feedback/\u00e9', action: 'decomposed' }]);
  expect(store.sync().steps).toEqual([]);
});
