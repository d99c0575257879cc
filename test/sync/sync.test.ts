import { expect, test } from 'vitest';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';

test('SY-18: a new file becomes a row, and the second sync finds nothing', async () => {
  using store = await temporaryStore();
  store.write('feedback/add-column.toml', feedbackText());
  const first = store.sync();
  expect(first.imported).toBe(1);
  expect(store.row('feedback/add-column')).toMatchObject({ followed_count: 4, core: 0, type: 'feedback' });
  const second = store.sync();
  expect(second.steps).toEqual([]);
  expect(store.sql('SELECT * FROM changes')).toEqual([]);
  expect(store.sql('SELECT sum(delta) AS n FROM outcome_events')).toEqual([{ n: 11 }]);
});

test('SY-14: an UPDATE of a row is written to its file, two lines differ', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  store.sql(`UPDATE memories SET action = 'Do it in two steps' WHERE name = 'feedback/a'`);
  const report = store.sync();
  expect(report.exported).toBe(1);
  const changed = store
    .read('feedback/a.toml')
    .split('\n')
    .filter((line) => !feedbackText().split('\n').includes(line));
  expect(changed).toHaveLength(2);
  expect(changed[1]).toBe('action = "Do it in two steps"');
  expect(store.sync().steps).toEqual([]);
});

test('SY-33: a removed file is archived, a DELETE removes its file', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.write('feedback/b.toml', feedbackText({ situation: '"When b"' }));
  store.sync();
  const { rmSync, existsSync } = await import('node:fs');
  rmSync(`${store.root}/memory/feedback/a.toml`);
  store.sql(`DELETE FROM memories WHERE name = 'feedback/b'`);
  const report = store.sync();
  expect(report.archived).toBe(2);
  expect(existsSync(`${store.root}/memory/feedback/b.toml`)).toBe(false);
  expect(store.sql('SELECT name, origin FROM archive ORDER BY name')).toEqual([
    { name: 'feedback/a', origin: 'file-removed' },
    { name: 'feedback/b', origin: 'sql-delete' },
  ]);
  expect(store.sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: 0 }]);
  expect(store.sync().steps).toEqual([]);
});
