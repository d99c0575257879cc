import { appendFileSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { syncExit } from '../../src/sync/report.ts';
import { syncAll } from '../../src/sync/sync.ts';
import { learned } from '../learning/drafts.ts';
import { engramError } from '../support/engram-error.ts';
import { type Call, faultyFileSystem } from '../support/failing-file-system.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const M = 'feedback/m' as MemoryName;

/** The store's context, in which `interfere` runs once, just before the first such call. */
function interfered(store: TestStore, call: Call, interfere: () => void): TestStore['context'] {
  let done = false;
  const fs = faultyFileSystem((name) => {
    if (name === call && !done) {
      done = true;
      interfere();
    }
    return null;
  });
  return { ...store.context, fs };
}

async function storeWithM(changes: Readonly<Record<string, string>> = {}): Promise<TestStore> {
  const store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText(changes));
  store.sync();
  return store;
}

const surfaced = (store: TestStore) =>
  store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE name = ? AND kind = 'surfaced'`, M)[0]?.n;

test('S03, SY-29: learn creates a memory between plan and apply: it is in both sides', async () => {
  using store = await storeWithM();
  store.sql(`UPDATE memories SET action = 'By SQL'`);
  const draft = {
    type: 'feedback',
    situation: 'When learnt meanwhile',
    behavior: 'b',
    impact: 'i',
    action: 'a',
  } as const;
  const context = interfered(store, 'renameSync', () => learned(store, draft));
  expect(syncAll(context)).toMatchObject({ exported: 1, archived: 0 });
  expect(store.exists('feedback/when-learnt-meanwhile.toml')).toBe(true);
  expect(store.row('feedback/when-learnt-meanwhile')).toMatchObject({ action: 'a' });
  expect(store.sync().steps).toEqual([]);
});

test('SY-36, SY-72: an import by another process between plan and write counts nothing twice', async () => {
  using store = await storeWithM();
  store.write('feedback/m.toml', feedbackText({ surfaced_count: '9' }));
  // Another process imports the edit while the first one has planned to import and count on top of it.
  const context = interfered(store, 'fsyncSync', () => syncAll(store.context));
  countOutcome(context, M, { kind: 'surfaced' });
  expect(store.row(M)).toMatchObject({ surfaced_count: 10 });
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 10\n');
  expect(surfaced(store)).toBe(10);
});

test('SY-36 step 7: an UPDATE that a shell makes during the write stays pending and is exported next', async () => {
  using store = await storeWithM();
  const context = interfered(store, 'renameSync', () => store.sql(`UPDATE memories SET action = 'Meanwhile'`));
  countOutcome(context, M, { kind: 'surfaced' });
  expect(store.row(M)).toMatchObject({ surfaced_count: 7, action: 'Meanwhile' });
  expect(store.sync().exported).toBe(1);
  expect(store.read('feedback/m.toml')).toContain('action = "Meanwhile"\n');
  expect([store.row(M)?.surfaced_count, surfaced(store)]).toEqual([7, 7]);
});

test('SY-36 step 7: a DELETE that a shell makes during the write is a deletion wish of its own', async () => {
  using store = await storeWithM();
  const context = interfered(store, 'renameSync', () => store.sql('DELETE FROM memories'));
  countOutcome(context, M, { kind: 'surfaced' });
  expect(store.sync().archived).toBe(1);
  expect(store.exists('feedback/m.toml')).toBe(false);
  expect(store.sql(`SELECT json_extract(record, '$.surfaced_count') AS n FROM archive`)).toEqual([{ n: 7 }]);
});

test('MF-41: an editor that saves just before the rename is planned again, both are kept', async () => {
  using store = await storeWithM();
  const edited = feedbackText({ impact: '"Saved at the last moment"' });
  const context = interfered(store, 'closeSync', () => store.write('feedback/m.toml', edited));
  countOutcome(context, M, { kind: 'surfaced' });
  expect(store.read('feedback/m.toml')).toContain('impact = "Saved at the last moment"\n');
  expect(store.row(M)).toMatchObject({ impact: 'Saved at the last moment', surfaced_count: 7 });
  expect(surfaced(store)).toBe(7);
});

test('MF-41: an edit in place between the last check and the rename is found in the old file', async () => {
  using store = await storeWithM();
  const edited = feedbackText({ impact: '"Saved in place"' });
  const context = interfered(store, 'renameSync', () => {
    const descriptor = openSync(store.at('feedback/m.toml'), 'r+');
    writeSync(descriptor, edited.padEnd(feedbackText().length, '\n'));
  });
  countOutcome(context, M, { kind: 'surfaced' });
  expect(store.row(M)).toMatchObject({ impact: 'Saved in place', surfaced_count: 7 });
  expect(store.read('feedback/m.toml')).toContain('impact = "Saved in place"\n');
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7\n');
  expect(store.sql('SELECT reason FROM history')).toContainEqual({ reason: 'edited-while-written' });
  expect(surfaced(store)).toBe(7);
});

test('SY-43: a user edit milliseconds after the rename is an edit, not our own write', async () => {
  using store = await storeWithM();
  let renamed = false;
  const fs = faultyFileSystem((call) => {
    if (call === 'renameSync') renamed = true;
    else if (renamed) {
      renamed = false;
      appendFileSync(store.at('feedback/m.toml'), '# five milliseconds later\n');
      const text = readFileSync(store.at('feedback/m.toml'), 'utf8');
      writeFileSync(store.at('feedback/m.toml'), text.replace('Add it nullable', 'Make it nullable'));
    }
    return null;
  });
  countOutcome({ ...store.context, fs }, M, { kind: 'surfaced' });
  expect(store.sync().imported).toBe(1);
  expect(store.row(M)).toMatchObject({ surfaced_count: 7, action: expect.stringContaining('Make it nullable') });
  expect(surfaced(store)).toBe(7);
  expect(store.sync().steps).toEqual([]);
});

test.each(['EBUSY', 'EPERM'])('X03: a rename that fails with %s three times, then works', async (code) => {
  using store = await storeWithM();
  const fs = faultyFileSystem((call, nth) => (call === 'renameSync' && nth <= 3 ? code : null));
  countOutcome({ ...store.context, fs }, M, { kind: 'surfaced' });
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7\n');
  expect(store.sync().steps).toEqual([]);
});

test.each(['EBUSY', 'EPERM'])(
  'X03: a rename that always fails with %s keeps the old bytes, and the sync goes on',
  async (code) => {
    using store = await storeWithM();
    store.write('feedback/n.toml', feedbackText({ situation: '"When n"' }));
    store.sync();
    const before = store.read('feedback/m.toml');
    const fs = faultyFileSystem((call) => (call === 'renameSync' ? code : null));
    const startedMs = Date.now();
    expect(() => countOutcome({ ...store.context, fs }, M, { kind: 'surfaced' })).toThrow(engramError('file.write'));
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(1900);
    expect(store.read('feedback/m.toml')).toBe(before);
    expect(store.files()).toEqual(['feedback/m.toml', 'feedback/n.toml']);
    store.sql(`UPDATE memories SET action = 'By SQL' WHERE name = ?`, M);
    store.write('feedback/n.toml', feedbackText({ situation: '"When n"', action: '"Edited"' }));
    const report = syncAll({ ...store.context, fs });
    expect([report.imported, report.unfinished, syncExit(report)]).toEqual([1, [{ name: M, reason: 'file.write' }], 5]);
    expect(store.read('feedback/m.toml')).toBe(before);
    expect(store.sync().exported).toBe(1);
    expect([surfaced(store), listCounterMismatches(store.context.store.db)]).toEqual([6, []]);
    expect(store.exists(join('feedback', 'm.toml.lock'))).toBe(false);
  },
);

test('SY-37, SY-39: a rename by SQL whose lock is busy waits, and everything else syncs', async () => {
  using store = await storeWithM();
  store.write('feedback/n.toml', feedbackText({ situation: '"When n"' }));
  store.sync();
  store.sql(`UPDATE memories SET name = 'feedback/moved' WHERE name = ?`, M);
  store.sql(`UPDATE memories SET action = 'By SQL' WHERE name = 'feedback/n'`);
  writeFileSync(store.at('feedback/moved.toml.lock'), `${process.ppid}\n`);
  const busy = store.sync({ patient: false });
  expect([busy.exported, busy.unfinished, syncExit(busy)]).toEqual([1, [{ name: M, reason: 'lock.timeout' }], 5]);
  expect([store.exists('feedback/m.toml'), store.row(M)]).toEqual([true, undefined]);
  store.remove('feedback/moved.toml.lock');
  expect(store.sync()).toMatchObject({ renamed: 1 });
  expect(store.files()).toEqual(['feedback/moved.toml', 'feedback/n.toml']);
  expect(store.sync().steps).toEqual([]);
});
