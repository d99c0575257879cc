import { expect, test } from 'vitest';
import type { MemoryName } from '../../src/memory/slug.ts';
import { countOrphans, updateIndexes } from '../../src/store/indexes.ts';
import { deleteRow } from '../../src/store/memories.ts';
import type { Store } from '../../src/store/open.ts';
import { allRows, oneRow } from '../../src/store/statement.ts';
import { INDEX_RECIPE } from '../../src/text/index-text.ts';
import { feedback, storeWith } from '../support/memory-rows.ts';

const matching = (store: Store, table: 'fts_prose' | 'fts_terms', match: string): number[] =>
  allRows<{ rowid: number }>(store.db, `SELECT rowid FROM ${table} WHERE ${table} MATCH ?`, match).map(
    (row) => row.rowid,
  );

const three = () =>
  storeWith({
    a: feedback('When deploying services', { action: 'call make_check' }),
    b: feedback('When reviewing'),
    c: feedback('When naming Łódź'),
  });

test('SE-8: new rows are indexed in both tables, with their hash and recipe', async () => {
  using store = await three();
  expect(matching(store, 'fts_prose', '"deploy"')).toHaveLength(1);
  expect(matching(store, 'fts_terms', '"deploying"')).toHaveLength(1);
  expect(matching(store, 'fts_terms', '"\ue001make\ue15fcheck"')).toHaveLength(1);
  expect(matching(store, 'fts_terms', '"\ue003lodz"')).toHaveLength(1);
  const states = allRows<{ text_hash: string; recipe: string }>(store.db, 'SELECT text_hash, recipe FROM index_state');
  expect(states.map((state) => state.recipe)).toEqual([INDEX_RECIPE, INDEX_RECIPE, INDEX_RECIPE]);
  for (const state of states) expect(state.text_hash).toMatch(/^[0-9a-f]{64}$/);
});

test('SE-8: another recipe means "not indexed"; at most `limit` rows are made anew', async () => {
  using store = await three();
  store.db.exec(`UPDATE index_state SET recipe = 'older'`);
  expect(updateIndexes(store, { limit: 2 })).toEqual({ indexed: 2, remaining: 1 });
  expect(updateIndexes(store)).toEqual({ indexed: 1, remaining: 0 });
  expect(updateIndexes(store)).toEqual({ indexed: 0, remaining: 0 });
  expect(matching(store, 'fts_prose', '"when"')).toHaveLength(3);
});

test('SE-9: a changed text is found under its new words only, once updated', async () => {
  using store = await three();
  store.db.exec(`UPDATE memories SET situation = 'When profiling' WHERE name = 'feedback/b'`);
  expect(oneRow(store.db, 'SELECT count(*) AS n FROM index_state WHERE text_hash IS NULL')).toEqual({ n: 1 });
  expect(updateIndexes(store)).toEqual({ indexed: 1, remaining: 0 });
  expect(matching(store, 'fts_prose', '"review"')).toEqual([]);
  expect(matching(store, 'fts_prose', '"profile"')).toHaveLength(1);
});

test('SE-9: a change of a counter leaves the index alone', async () => {
  using store = await three();
  store.db.exec('UPDATE memories SET surfaced_count = 3');
  expect(updateIndexes(store)).toEqual({ indexed: 0, remaining: 0 });
});

test('SE-9: what a deletion leaves is counted, then removed', async () => {
  using store = await three();
  deleteRow(store.db, 'feedback/a' as MemoryName);
  expect(countOrphans(store.db)).toBe(1);
  updateIndexes(store);
  expect(countOrphans(store.db)).toBe(0);
  expect(matching(store, 'fts_prose', '"deploy"')).toEqual([]);
  expect(matching(store, 'fts_terms', '"deploying"')).toEqual([]);
});

test('SY-11: INSERT OR REPLACE from a shell, which fires no delete trigger, leaves no ghost', async () => {
  using store = await three();
  store.db.exec(
    `INSERT OR REPLACE INTO memories(name, type, situation) VALUES ('feedback/a', 'feedback', 'When rolling back')`,
  );
  updateIndexes(store);
  expect(countOrphans(store.db)).toBe(0);
  expect(matching(store, 'fts_prose', '"deploy"')).toEqual([]);
  expect(matching(store, 'fts_prose', '"rolling"')).toHaveLength(1);
  for (const table of ['fts_prose', 'fts_terms']) {
    store.db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
  }
});

test('SY-9: updating again, in any order of edits, ends in the same index as a rebuild', async () => {
  using store = await three();
  store.db.exec(`UPDATE memories SET action = 'x ' || action; DELETE FROM memories WHERE name = 'feedback/c'`);
  updateIndexes(store);
  store.db.exec(`INSERT INTO memories(name, type, situation) VALUES ('feedback/d', 'feedback', 'When d')`);
  updateIndexes(store);
  const dump = () =>
    ['fts_prose', 'fts_terms'].map((table) => allRows(store.db, `SELECT rowid, * FROM ${table} ORDER BY rowid`));
  const incremental = dump();
  store.db.exec('DELETE FROM fts_prose; DELETE FROM fts_terms; DELETE FROM index_state');
  updateIndexes(store);
  expect(dump()).toEqual(incremental);
});

test('SE-9: REPLACE with the pk of another row makes its index old, though no delete trigger fires', async () => {
  using store = await three();
  const pk = oneRow<{ pk: number }>(store.db, `SELECT pk FROM memories WHERE name = 'feedback/b'`)?.pk ?? 0;
  store.db
    .prepare('REPLACE INTO memories(name, type, situation, pk) VALUES (?, ?, ?, ?)')
    .run('feedback/b', 'feedback', 'When profiling', pk);
  expect(updateIndexes(store)).toEqual({ indexed: 1, remaining: 0 });
  expect(matching(store, 'fts_prose', '"review"')).toEqual([]);
  expect(matching(store, 'fts_prose', '"profile"')).toEqual([pk]);
});
