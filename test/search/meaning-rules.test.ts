import { expect, test } from 'vitest';
import { searchVector } from '../../src/search/embed/accept-vector.ts';
import { dot } from '../../src/search/embed/dot.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { vectorOfBytes } from '../../src/search/embed/vector-bytes.ts';
import { embedMissing } from '../../src/search/embed-missing.ts';
import { embeddedText } from '../../src/search/embedded-text.ts';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { search } from '../../src/search/search.ts';
import { openSpace } from '../../src/search/space.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { keepQueryVectors } from '../../src/store/query-vectors.ts';
import { allRows, oneRow, run } from '../../src/store/statement.ts';
import { activeSpace } from '../../src/store/vector-spaces.ts';
import { contentHash } from '../../src/text/content-hash.ts';
import { askEveryArm, hitOf, project, slugs } from '../support/ask.ts';
import { builtIn, embedAll, NOW_MS } from '../support/built-in-model.ts';
import { fact, feedback, storeWith } from '../support/memory-rows.ts';
import { ORDINARY_SITUATIONS } from '../support/ordinary-situations.ts';
import { near, noiseOf, noisyEmbedder } from '../support/test-embedder.ts';

const QUERY = 'rotating the webhook secret';
const ordinary = Object.fromEntries(ORDINARY_SITUATIONS.map((situation, i) => [`o${i}`, feedback(situation)]));
const find = (store: Store, text: string, embedder: Embedder = builtIn, request = {}) =>
  search(store, { text, project: project(null), ...request }, fixedSource(embedder), NOW_MS);

const vectorOf = async (text: string, kind: 'query' | 'document') => {
  const [embedding] = await builtIn.embed([text], kind);
  const vector = embedding === undefined ? 'none' : searchVector(embedding, builtIn.identity.dims);
  return typeof vector === 'string' ? expect.unreachable() : vector;
};

test('SE-22: a vector is the mean of those of situation and record, and similarity keeps the norm of that mean', async () => {
  const record = feedback('When keeping credentials', {
    behavior: 'Committed',
    impact: 'Leaked',
    action: 'Use a vault',
  });
  using store = await storeWith({ secrets: record });
  const answer = await askEveryArm(store, 'passwords in the repository', { explain: true, limit: 100 });
  const one = await vectorOf('When keeping credentials', 'document');
  const other = await vectorOf('When keeping credentials\nCommitted\nLeaked\nUse a vault', 'document');
  const mean = one.map((value, at) => (value + (other[at] ?? 0)) / 2);
  const norm = Math.hypot(...mean);
  expect(norm).toBeLessThan(0.99);
  const row = oneRow<{ norm: number; vector: Uint8Array }>(store.db, 'SELECT norm, vector FROM embeddings');
  expect(row?.norm).toBeCloseTo(norm, 5);
  expect(dot(vectorOfBytes(row?.vector ?? new Uint8Array()), mean) / norm).toBeCloseTo(1, 5);
  const similarity = dot(await vectorOf('passwords in the repository', 'query'), mean);
  expect(answer.hits[0]?.explain?.meaning?.similarity).toBeCloseTo(similarity, 5);
  expect(answer.hits[0]?.explain?.meaning?.norm).toBeCloseTo(norm, 5);
});

test('SE-22, SE-23: of a fact the model sees what it is about, and the hash is that of what it saw', async () => {
  const { embedder, embedded } = noisyEmbedder();
  using store = await storeWith({ port: fact('When starting the API', ['shop-api', 'listens on', '8080']) });
  const space = await openSpace(store, embedder);
  embedded.length = 0;
  await embedMissing(store, space, embedder, NOW_MS);
  const seen = ['When starting the API\nshop-api 8080', 'When starting the API\nshop-api listens on 8080'];
  expect(embedded).toEqual(seen);
  expect(allRows(store.db, 'SELECT text_hash FROM embeddings')).toEqual([{ text_hash: contentHash(seen.join('\0')) }]);
});

test('SE-23: keywords behind the situation are not given to the model', () => {
  const record = feedback('When deploying\nKeywords: release, rollout');
  expect(embeddedText(record).situation).toBe('When deploying');
});

test('SE-21: a vector of another space is neither compared nor counted', async () => {
  const { embedder } = noisyEmbedder((text) => (text.startsWith('When') ? near(QUERY, 0.9, text) : null));
  using store = await storeWith({ a: feedback('When exchanging what both sides sign with') });
  await embedAll(store, embedder);
  expect(slugs(await find(store, QUERY, embedder))).toEqual(['a']);
  run(store.db, `UPDATE embeddings SET space = 'of another model', state = 'ready'`);
  const failing: Embedder = {
    ...embedder,
    embed: async (texts, kind) => {
      if (kind === 'query') return embedder.embed(texts, kind);
      return texts.map(() => ({ vector: new Float32Array(64), tokens: null, isUnderstood: true }));
    },
  };
  const answer = await find(store, QUERY, failing);
  expect(answer).toMatchObject({ hits: [], degraded: ['vectors_partial'], vectors: { present: 0, of: 1 } });
});

test('SE-25: after 300 ms a question begins no other memory', async () => {
  using store = await storeWith(ordinary);
  const { embedder } = noisyEmbedder();
  await openSpace(store, embedder);
  let begun = 0;
  const slow: Embedder = {
    ...embedder,
    embed: async (texts, kind) => {
      if (kind === 'document') begun += texts.length / 2;
      for (const startMs = performance.now(); performance.now() - startMs < 120; );
      return embedder.embed(texts, kind);
    },
  };
  const answer = await find(store, QUERY, slow);
  expect(answer.degraded).toEqual(['vectors_partial']);
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThanOrEqual(4);
});

test('SE-25: nothing is locked while the model works', async () => {
  using store = await storeWith(ordinary);
  using other = await openStore(store.root);
  const { embedder } = noisyEmbedder();
  let asked = 0;
  const watching: Embedder = {
    ...embedder,
    embed: async (texts, kind) => {
      asked += 1;
      expect(store.db.inTransaction).toBe(false);
      run(other.db, 'BEGIN IMMEDIATE');
      run(other.db, 'ROLLBACK');
      return embedder.embed(texts, kind);
    },
  };
  await embedAll(store, watching);
  await find(store, QUERY, watching);
  expect(asked).toBeGreaterThan(4);
});

test('SE-27: a model to which all texts seem alike needs no threshold of its own', async () => {
  const alike = (text: string) => noiseOf('common ground').map((value, at) => 2 * value + (noiseOf(text)[at] ?? 0));
  const { embedder } = noisyEmbedder((text) => (text === QUERY || text.includes('sign') ? alike(QUERY) : alike(text)));
  using store = await storeWith({
    right: feedback('When exchanging what both sides sign with', { behavior: 'sign', impact: 'sign', action: 'sign' }),
    unrelated: feedback('When baking bread'),
  });
  await embedAll(store, embedder);
  expect(activeSpace(store.db)?.background.meaning).toBeGreaterThan(0.7);
  expect(slugs(await find(store, QUERY, embedder))).toEqual(['right']);
});

test('SE-28: of 1,000 questions the vectors are kept, the oldest go first', async () => {
  using store = await storeWith({ a: feedback('When deploying') });
  const { space } = await openSpace(store, builtIn);
  const vector = new Uint8Array(4);
  for (let i = 0; i < 1003; i += 17) {
    const some = Array.from({ length: Math.min(17, 1003 - i) }, (_, at) => ({
      textHash: `q${i + at}`,
      vector,
      tokens: null,
    }));
    keepQueryVectors(store, space, some, NOW_MS + i);
  }
  const hashes = allRows<{ hash: string }>(store.db, 'SELECT text_hash AS hash FROM query_vectors').map(
    ({ hash }) => hash,
  );
  expect(hashes).toHaveLength(1000);
  expect(['q0', 'q1', 'q2', 'q3', 'q1002'].map((hash) => hashes.includes(hash))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test('SY-12, SE-28: bytes that are no vector, zeros and NaN too, are no hit, and spoil no other', async () => {
  using store = await storeWith({
    right: feedback('When keeping credentials', { action: 'Use the vault for each password' }),
    short: feedback('When keeping credentials safe'),
    nan: feedback('When keeping passwords'),
    zero: feedback('When keeping a password'),
  });
  await embedAll(store);
  const set = (name: string, vector: Uint8Array) =>
    run(store.db, 'UPDATE embeddings SET vector = ? WHERE pk = (SELECT pk FROM memories WHERE name = ?)', vector, name);
  set('feedback/short', new Uint8Array(12));
  set('feedback/nan', new Uint8Array(new Float32Array(384).fill(Number.NaN).buffer));
  set('feedback/zero', new Uint8Array(4 * 384));
  // Rows of an ordinary table: any SQLite can read them, and replace them.
  run(store.db, 'INSERT OR REPLACE INTO embeddings SELECT * FROM embeddings');
  const answer = await find(store, 'secret tokens and passphrases');
  expect(slugs(answer)).toEqual(['right']);
  for (const { relevance } of answer.hits) expect(relevance).toBeGreaterThan(0);
});

test.each([
  ['Thai', 'เมื่อปรับใช้ระบบใหม่', 'ปรับใช้ระบบ', 'เมื่อเขียนเอกสาร'],
  ['Chinese', '部署新系统之前', '部署新系统', '编写用户文档的时候'],
])('SE-29: %s is matched by words alone, on either side', async (_, situation, query, unrelated) => {
  using store = await storeWith({
    ...ordinary,
    right: feedback(situation, { behavior: situation, impact: situation, action: situation }),
    other: feedback(unrelated, { behavior: unrelated, impact: unrelated, action: unrelated }),
  });
  const answer = await askEveryArm(store, query, { explain: true });
  expect(answer).toMatchObject({ modes: ['words'], degraded: [], vectors: { present: 50, of: 50 } });
  expect(slugs(answer)).toEqual(['right']);
  expect(answer.hits[0]?.explain).toMatchObject({ table: 'E', meaning: null, fine: null });
  const english = await askEveryArm(store, 'deploying the new system', { explain: true, limit: 100 });
  expect(english.modes).toEqual(['words', 'meaning', 'fine']);
  expect(hitOf(english, 'right')).toBeUndefined();
});
