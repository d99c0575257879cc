import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storeStatus } from '../../src/sync/status.ts';
import { apply, edits, firstFiles } from '../property/store-edits.ts';
import { askEveryArm } from '../support/ask.ts';
import { hastyStore } from '../support/hasty-store.ts';
import { feedbackText, type TestStore } from '../support/sync-store.ts';

const QUERY = 'adding a column to a table with many rows';

const found = async (store: TestStore) => (await askEveryArm(store.context.store, QUERY)).hits.map(({ name }) => name);

test('Q29: the only file deleted is no hit', async () => {
  using store = await hastyStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  expect(await found(store)).toEqual(['feedback/a']);
  store.remove('feedback/a.toml');
  store.sync();
  expect(await found(store)).toEqual([]);
  expect(storeStatus(store.context).index).toEqual({ lag: 0, orphans: 0 });
});

test('Q29: all files of a directory deleted, and that wished, leave no hit', async () => {
  using store = await hastyStore();
  const paths = Array.from({ length: 30 }, (_, at) => `feedback/m${at}.toml`);
  for (const [at, path] of paths.entries()) store.write(path, feedbackText({ action: `"Do ${at}"` }));
  store.sync();
  expect(await found(store)).toHaveLength(10);
  for (const path of paths) store.remove(path);
  expect(store.sync().heldDeletions).toHaveLength(30);
  store.sync({ allowMassDelete: true });
  expect(await found(store)).toEqual([]);
  expect(store.sql('SELECT pk FROM embeddings')).toEqual([]);
  expect(storeStatus(store.context).index).toEqual({ lag: 0, orphans: 0 });
});

test('Q29: after 1,000 operations every hit is a live memory, and no index has more than there is', async () => {
  using store = await hastyStore();
  firstFiles(store);
  const operations = fc.sample(edits, { numRuns: 400, seed: 29 }).flat().slice(0, 1000);
  expect(operations).toHaveLength(1000);
  for (const [number, edit] of operations.entries()) {
    apply(store, edit, `token-${number}`);
    if (number % 10 !== 9) continue;
    store.sync({ allowMassDelete: true });
    if (number % 50 !== 49) continue;
    const live = new Set(store.sql('SELECT name FROM memories').map(({ name }) => name));
    const answer = await askEveryArm(store.context.store, 'token start behavior', { limit: 100 });
    for (const { name } of answer.hits) expect(live).toContain(name);
  }
  store.sync({ allowMassDelete: true });
  await found(store);
  expect(storeStatus(store.context).index).toEqual({ lag: 0, orphans: 0 });
  expect(store.sql('SELECT pk FROM embeddings WHERE pk NOT IN (SELECT pk FROM memories)')).toEqual([]);
});
