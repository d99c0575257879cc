import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listDirectory } from '../../src/files/memory-directory.ts';
import { restore } from '../../src/learning/forget.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { syncExit } from '../../src/sync/report.ts';
import { syncAll } from '../../src/sync/sync.ts';
import { undoHolds } from '../../src/sync/undo-holds.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

function fill(store: TestStore, count: number, directory = 'feedback'): string[] {
  const paths = Array.from({ length: count }, (_, at) => `${directory}/m${String(at).padStart(3, '0')}.toml`);
  for (const [at, path] of paths.entries()) store.write(path, feedbackText({ situation: `"When it is number ${at}"` }));
  return paths;
}

const rowCount = (store: TestStore) => store.sql('SELECT count(*) AS n FROM memories')[0]?.n;
const archivedCount = (store: TestStore) => store.sql('SELECT count(*) AS n FROM archive')[0]?.n;

test.each(['EACCES', 'EIO', 'EMFILE', 'ESTALE'])(
  'S01, SY-29: a directory that answers %s deletes nothing, is named, and the other one still syncs',
  async (code) => {
    let broken = false;
    using store = await temporaryStore(undefined, {
      list: (directory) =>
        broken && directory.endsWith('facts') ? { kind: 'unreadable', code } : listDirectory(directory),
    });
    fill(store, 10);
    fill(store, 10, 'facts');
    store.sync();
    store.write('feedback/m000.toml', feedbackText({ situation: '"When edited"' }));
    const before = store.everything();
    broken = true;
    const first = store.sync();
    expect(syncExit(first)).toBe(1);
    expect(first.unreadable).toEqual([{ path: store.at('facts'), reason: code }]);
    expect(first.steps).toMatchObject([{ name: 'feedback/m000', action: 'import' }]);
    expect(archivedCount(store)).toBe(0);
    broken = false;
    const after = store.sync();
    expect([after.steps, syncExit(after)]).toEqual([[], 0]);
    expect(rowCount(store)).toBe(20);
    expect(store.everything()).not.toEqual(before);
  },
);

test('S01: chmod 000 facts, as the kernel does it to somebody who is not root', async () => {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return;
  using store = await temporaryStore();
  fill(store, 20, 'facts');
  store.sync();
  const before = store.everything();
  chmodSync(store.at('facts'), 0o000);
  // Only the look at the directories happens as somebody else: the database stays root's.
  const list = (directory: string) => {
    chmodSync(store.root, 0o755);
    chmodSync(join(store.root, 'memory'), 0o755);
    process.seteuid?.(65534);
    try {
      return listDirectory(directory);
    } finally {
      process.seteuid?.(0);
    }
  };
  const first = syncAll({ ...store.context, list });
  expect(first.unreadable).toContainEqual({ path: store.at('facts'), reason: 'EACCES' });
  expect(syncExit(first)).toBe(1);
  expect(archivedCount(store)).toBe(0);
  chmodSync(store.at('facts'), 0o755);
  expect(store.sync().steps).toEqual([]);
  expect(store.everything()).toEqual(before);
});

test('S02: a listing that leaves names out deletes nothing; 60 of 200 really removed are held, then accepted', async () => {
  let short = false;
  using store = await temporaryStore(undefined, {
    list: (directory) => {
      const listing = listDirectory(directory);
      return short && listing.kind === 'complete' ? { ...listing, names: listing.names.slice(0, 60) } : listing;
    },
  });
  const paths = fill(store, 200);
  store.sync();
  const before = store.everything();
  short = true;
  expect(store.sync().steps).toEqual([]);
  expect(store.everything()).toEqual(before);
  short = false;
  for (const path of paths.slice(0, 60)) store.remove(path);
  store.write('feedback/m199.toml', feedbackText({ situation: '"When the rest runs"' }));
  const held = store.sync();
  expect(held.heldDeletions).toHaveLength(60);
  expect([syncExit(held), held.imported, held.archived]).toEqual([1, 1, 0]);
  expect(rowCount(store)).toBe(200);
  expect(store.sync().heldDeletions).toHaveLength(60);
  const accepted = store.sync({ allowMassDelete: true });
  expect([accepted.archived, syncExit(accepted)]).toEqual([60, 0]);
  expect(rowCount(store)).toBe(140);
  restore(store.context, 'feedback/m003' as MemoryName);
  expect(store.read('feedback/m003.toml')).toBe(feedbackText({ situation: '"When it is number 3"' }));
  expect(store.sync().steps).toEqual([]);
});

test('S04: a lost database is rebuilt from the files, byte for byte untouched', async () => {
  using store = await temporaryStore();
  fill(store, 50);
  store.sync();
  const { files } = store.everything() as { files: string[] };
  store.context.store.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(store.root, `engram.db${suffix}`), { force: true });
  using again = await temporaryStore(store.root);
  expect(again.sync().imported).toBe(50);
  expect(rowCount(again)).toBe(50);
  expect((again.everything() as { files: string[] }).files).toEqual(files);
});

test.each([50, 5])(
  'S04, S27, SY-28: memory/ replaced by an empty one holds all %d, undo writes them back',
  async (count) => {
    using store = await temporaryStore();
    fill(store, count);
    store.sync();
    const texts = store.files().map((path) => store.read(path));
    rmSync(join(store.root, 'memory'), { recursive: true });
    mkdirSync(store.at('feedback'), { recursive: true });
    mkdirSync(store.at('facts'));
    const held = store.sync();
    expect(held.heldDeletions).toHaveLength(count);
    expect([syncExit(held), rowCount(store)]).toEqual([1, count]);
    expect(store.sync().heldDeletions).toHaveLength(count);
    expect(undoHolds(store.context).restored).toHaveLength(count);
    expect(store.files().map((path) => store.read(path))).toEqual(texts);
    const after = store.sync();
    expect([after.steps, syncExit(after), rowCount(store)]).toEqual([[], 0, count]);
  },
);

test('SY-28, SY-32: a missing directory is held, and what returns releases its own hold', async () => {
  using store = await temporaryStore();
  fill(store, 3);
  fill(store, 3, 'facts');
  store.sync();
  const before = store.everything();
  renameSync(store.at('facts'), join(store.root, 'unmounted'));
  const held = store.sync();
  expect(held.heldDeletions.map((hold) => hold.reason)).toEqual(Array(3).fill('directory-missing'));
  renameSync(join(store.root, 'unmounted'), store.at('facts'));
  const after = store.sync();
  expect([after.heldDeletions, syncExit(after)]).toEqual([[], 0]);
  expect(store.everything()).toEqual(before);
});

test('SY-28: a copied directory that lacks a few is another one: those are held until a person accepts', async () => {
  using store = await temporaryStore();
  const paths = fill(store, 10);
  store.sync();
  const kept = paths.slice(2).map((path) => [path, store.read(path)] as const);
  rmSync(store.at('feedback'), { recursive: true });
  mkdirSync(store.at('feedback'));
  for (const [path, text] of kept) store.write(path, text);
  const held = store.sync();
  expect(held.heldDeletions).toEqual([
    { name: 'feedback/m000', reason: 'directory-replaced' },
    { name: 'feedback/m001', reason: 'directory-replaced' },
  ]);
  expect(store.sync().heldDeletions).toHaveLength(2);
  const accepted = store.sync({ allowMassDelete: true });
  expect([accepted.archived, syncExit(accepted)]).toEqual([2, 0]);
  // The new directory is the recorded one now: a single deletion is a deletion again.
  store.remove('feedback/m005.toml');
  expect(store.sync().archived).toBe(1);
});

test('SY-28, SY-29: a name that became a directory, and a file that returns at the second look, delete nothing', async () => {
  let late: (() => void) | null = null;
  using store = await temporaryStore(undefined, {
    list: (directory) => {
      const listing = listDirectory(directory);
      if (directory.endsWith('facts')) late?.();
      return listing;
    },
  });
  const [first = '', second = ''] = fill(store, 3);
  store.sync();
  const text = store.read(second);
  store.remove(first);
  mkdirSync(store.at(first));
  store.remove(second);
  late = () => writeFileSync(store.at(second), text);
  const report = store.sync();
  late = null;
  expect(report.archived).toBe(0);
  expect(report.quarantined).toMatchObject([{ path: first, reason: 'not-regular' }]);
  expect(report.unfinished).toEqual([{ name: 'feedback/m001', reason: 'reappeared' }]);
  const after = store.sync();
  expect([after.unfinished, syncExit(after), rowCount(store)]).toEqual([[], 6, 3]);
});
