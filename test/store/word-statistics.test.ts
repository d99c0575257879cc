import { expect, test } from 'vitest';
import { updateIndexes } from '../../src/store/indexes.ts';
import { oneRow } from '../../src/store/statement.ts';
import { listVocabulary, wordStatistics } from '../../src/store/word-statistics.ts';
import { fact, feedback, storeWith } from '../support/memory-rows.ts';

const someStore = () =>
  storeWith({
    a: feedback('When deploying the build', { behavior: 'b', impact: 'i', action: 'build_all now' }),
    b: fact('When deploying', ['shop-api', 'uses', 'redis']),
  });

test('SE-17: document frequencies of the store, by stem and by token', async () => {
  using store = await someStore();
  const statistics = wordStatistics(store.db);
  expect(statistics.liveCount).toBe(2);
  expect(statistics.stemCount('deploi')).toBe(2);
  expect(statistics.stemCount('redi')).toBe(1);
  expect(statistics.tokenCount('deploying')).toBe(2);
  expect(statistics.tokenCount('\ue001build\ue15fall')).toBe(1);
  expect(statistics.tokenCount('absent')).toBe(0);
});

test('SE-15: mean lengths are those that FTS5 counts', async () => {
  using store = await someStore();
  store.db.exec(`CREATE VIRTUAL TABLE temp.places USING fts5vocab('main', 'fts_terms', 'instance')`);
  for (const field of ['situation', 'entity', 'content'] as const) {
    const total = oneRow<{ n: number }>(store.db, 'SELECT count(*) AS n FROM temp.places WHERE col = ?', field)?.n;
    expect(wordStatistics(store.db).meanTokens[field]).toBe((total ?? 0) / 2);
  }
});

test('SE-17: statistics follow every change of the store', async () => {
  using store = await someStore();
  const before = wordStatistics(store.db);
  expect(wordStatistics(store.db)).toBe(before);
  store.db.exec(
    `INSERT INTO memories(name, type, situation) VALUES ('feedback/c', 'feedback', 'When deploying again')`,
  );
  updateIndexes(store);
  expect(wordStatistics(store.db).stemCount('deploi')).toBe(3);
  expect(wordStatistics(store.db).liveCount).toBe(3);
});

test('SE-19: the vocabulary by first character and length', async () => {
  using store = await someStore();
  expect(listVocabulary(store.db, 'd', 8, 10)).toEqual([{ word: 'deploying', count: 2 }]);
  expect(listVocabulary(store.db, 'd', 4, 8)).toEqual([]);
});
