import { expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import { parseMemoryName } from '../../src/memory/slug.ts';
import { checkFreshness } from '../../src/sync/freshness.ts';
import { importSteps } from '../../src/sync/pass.ts';
import { StepLog } from '../../src/sync/report.ts';
import { runThrough } from '../../src/sync/steps.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';

const A = parseMemoryName('feedback/a');
const B = parseMemoryName('feedback/b');

async function twoMemories() {
  const store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText({ situation: '"When a"' }));
  store.write('feedback/b.toml', feedbackText({ situation: '"When b"' }));
  store.sync();
  // The files are older than the grain of their times now, so that their signatures prove something.
  store.advance(3000);
  store.sync();
  return store;
}

test('SY-57: nothing changed is fresh; a file, a row or a new file that changed is not', async () => {
  using store = await twoMemories();
  expect(checkFreshness(store.context)).toEqual({ fresh: true, missing: [] });
  store.write('feedback/a.toml', feedbackText({ situation: '"When a changed"' }));
  expect(checkFreshness(store.context).fresh).toBe(false);
  store.sync();
  store.advance(3000);
  store.sync();
  store.sql(`UPDATE memories SET impact = 'x' WHERE name = 'feedback/a'`);
  expect(checkFreshness(store.context).fresh).toBe(false);
  store.sync();
  store.advance(6000);
  store.sync();
  store.write('facts/c.toml', feedbackText({ situation: '"When c"' }));
  expect(checkFreshness(store.context).fresh).toBe(false);
});

test('SY-57: a memory whose file is gone is missing at once, while nothing is archived yet', async () => {
  using store = await twoMemories();
  store.remove('feedback/b.toml');
  expect(checkFreshness(store.context)).toEqual({ fresh: false, missing: [B] });
  store.sync({ patient: false });
  expect(store.row('feedback/b')).toBeDefined();
  expect(store.sql('SELECT * FROM archive')).toEqual([]);
});

test('SY-39, SY-72: a file read before somebody counted in it is read again, and no count is taken back', async () => {
  using store = await twoMemories();
  using other = await temporaryStore(store.root);
  let reads = 0;
  const clock = () => {
    // The clock is asked before each read: at the second one the first file has been read, but not stored.
    reads += 1;
    if (reads === 2) countOutcome(other.context, A, { kind: 'followed' });
    return Date.now() + 10_000;
  };
  const items = [A, B].map((name) => ({ name, path: null, sight: 'read' as const }));
  const rest = runThrough(importSteps({ ...store.context, clock }, items, new StepLog(), { dryRun: false }));
  expect(rest.sections.map((view) => view.name)).toEqual([A]);
  expect(store.row('feedback/a')).toMatchObject({ followed_count: 5 });
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({ followed_count: 5 });
  expect(store.read('feedback/a.toml')).toContain('followed_count = 5');
  const origins = store.sql(`SELECT origin, delta FROM outcome_events WHERE name = 'feedback/a' AND kind = 'followed'`);
  expect(origins).toEqual([
    { origin: 'import', delta: 4 },
    { origin: 'test', delta: 1 },
  ]);
});

test('SY-5: no time decides: an older file with an older updated_at is the edit, and wins over the row it changed', async () => {
  using store = await twoMemories();
  const old = feedbackText({
    situation: '"When a"',
    action: '"The older advice"',
    updated_at: '"2020-01-01T00:00:00Z"',
  });
  store.write('feedback/a.toml', old);
  const { utimesSync } = await import('node:fs');
  utimesSync(store.at('feedback/a.toml'), new Date('2020-01-01'), new Date('2020-01-01'));
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({ action: 'The older advice' });
});

test('SY-35: the file lock comes first, and no transaction is open while it is awaited', async () => {
  using store = await twoMemories();
  const { writeFileSync, rmSync } = await import('node:fs');
  const lock = `${store.at('feedback/a.toml')}.lock`;
  writeFileSync(lock, `${process.ppid}\n`);
  store.sql(`UPDATE memories SET impact = 'x' WHERE name = 'feedback/a'`);
  const report = store.sync({ patient: false });
  expect(report.unfinished).toEqual([{ name: A, reason: 'lock.timeout' }]);
  expect(store.context.store.db.inTransaction).toBe(false);
  rmSync(lock);
  store.sync();
  expect(store.read('feedback/a.toml')).toContain('impact = "x"');
});
