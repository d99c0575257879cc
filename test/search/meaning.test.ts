import { expect, test } from 'vitest';
import { EngramError } from '../../src/errors.ts';
import { openBuiltIn } from '../../src/search/embed/built-in.ts';
import type { Embedder, Embedding } from '../../src/search/embed/embedder.ts';
import { embedMissing } from '../../src/search/embed-missing.ts';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { embeddingStatus as statusOf } from '../../src/search/embedding-status.ts';
import { fillEmbeddings } from '../../src/search/fill-embeddings.ts';
import { aboveBackground, fuse, meaningWeight, relevanceOf, rounded } from '../../src/search/relevance.ts';
import { anticipate, search } from '../../src/search/search.ts';
import { openSpace } from '../../src/search/space.ts';
import { countUnembedded } from '../../src/store/embeddings.ts';
import type { Store } from '../../src/store/open.ts';
import { allRows, oneRow, run } from '../../src/store/statement.ts';
import { activateSpace, activeSpace } from '../../src/store/vector-spaces.ts';
import { hitOf, project, slugs } from '../support/ask.ts';
import { feedback, storeWith } from '../support/memory-rows.ts';
import { ORDINARY_SITUATIONS } from '../support/ordinary-situations.ts';
import { shell } from '../support/sqlite-shell.ts';

const NOW_MS = Date.parse('2026-04-02T10:00:00Z');
const ordinary = Object.fromEntries(ORDINARY_SITUATIONS.map((situation, i) => [`o${i}`, feedback(situation)]));
const SECRETS = feedback('When keeping credentials', {
  behavior: 'A password was committed to the repository',
  impact: 'It leaked to everybody who could clone it',
  action: 'Read it from the vault when the program starts',
});
const PARAPHRASE = 'secret tokens and passphrases';

const builtIn = openBuiltIn();

const find = (store: Store, text: string, embedder: Embedder = builtIn, request = {}) =>
  search(store, { text, project: project(null), ...request }, fixedSource(embedder), NOW_MS);

const embeddingStatus = (store: Store, embedder: Embedder) => statusOf(store, fixedSource(embedder));

/** An embedder that gives what `vectorOf` says, and counts the texts it was given. */
function testEmbedder(vectorOf: (text: string) => Float32Array<ArrayBuffer>, revision = '1') {
  const embedded: string[] = [];
  const embedder: Embedder = {
    identity: { provider: 'test', model: 'test', revision, dims: 8, recipe: '' },
    window: 256,
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map((text): Embedding => ({ vector: vectorOf(text), tokens: null, isUnderstood: true }));
    },
  };
  return { embedder, embedded };
}

const noModel: Embedder = {
  ...builtIn,
  embed: async () => {
    throw new EngramError('model.missing', 'the model is not there', {});
  },
};

const states = (store: Store) =>
  allRows<{ state: string }>(store.db, 'SELECT state FROM embeddings ORDER BY pk').map(({ state }) => state);

test('Q13, SE-34: a paraphrase without a common word is first, above the floor', async () => {
  using store = await storeWith({ ...ordinary, secrets: SECRETS });
  await fillEmbeddings(store, builtIn, NOW_MS);
  const answer = await find(store, PARAPHRASE);
  expect(answer).toMatchObject({ modes: ['words', 'meaning', 'fine'], degraded: [] });
  expect(slugs(answer)[0]).toBe('secrets');
  expect(answer.hits[0]?.arms.words).toBe(0);
});

test('Q13: a unique identifier is first although the embedder returns noise', async () => {
  using store = await storeWith({ ...ordinary, id: feedback('When calling frobnicate_widget') });
  let seed = 1;
  const { embedder } = testEmbedder(() =>
    Float32Array.from({ length: 8 }, () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647 - 0.5;
    }),
  );
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(slugs(await find(store, 'frobnicate_widget', embedder))[0]).toBe('id');
  expect(slugs(await find(store, 'frobnicate_widget', embedder, { policy: 'surface' }))[0]).toBe('id');
});

test('Q16, SE-24: equal vectors have similarity 1; zero, NaN and wrong-length ones fail and are tried again', async () => {
  using store = await storeWith({
    equal: feedback('equal'),
    zero: feedback('zero lines'),
    nan: feedback('nan lines'),
    short: feedback('short lines'),
  });
  const vectorOf = (text: string) => {
    if (text.startsWith('zero')) return new Float32Array(8);
    if (text.startsWith('nan')) return new Float32Array(8).fill(Number.NaN);
    return new Float32Array(text.startsWith('short') ? 7 : 8).fill(3);
  };
  const { embedder, embedded } = testEmbedder(vectorOf);
  const space = {
    ...embedder.identity,
    space: 'test',
    background: { meaning: 0, fine: null },
  };
  activateSpace(store, space);
  expect(await embedMissing(store, space, embedder, NOW_MS)).toEqual({ embedded: 1, unreadable: 0, failed: 3 });
  expect(states(store)).toEqual(['ready', 'failed:1', 'failed:1', 'failed:1']);
  const norm = oneRow<{ norm: number }>(store.db, `SELECT norm FROM embeddings WHERE state = 'ready'`)?.norm;
  expect(norm).toBeCloseTo(1, 3);

  embedded.length = 0;
  await embedMissing(store, space, embedder, NOW_MS + 1000);
  expect(embedded).toEqual([]);
  for (const [failures, hours] of [2, 3, 4, 5, 6].map((failures) => [failures, failures * 24] as const)) {
    await embedMissing(store, space, embedder, NOW_MS + hours * 3_600_000);
    expect(states(store)[1]).toBe(`failed:${Math.min(5, failures)}`);
  }
  run(store.db, `UPDATE memories SET behavior = 'another' WHERE name = 'feedback/zero'`);
  expect(countUnembedded(store.db, 'test', NOW_MS)).toBe(1);
});

test('Q16: random vectors stay below the floor of a query', async () => {
  using store = await storeWith({ ...ordinary, secrets: SECRETS });
  let seed = 1;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  const { embedder } = testEmbedder(() => Float32Array.from({ length: 384 }, random));
  const wide = { ...embedder, identity: { ...embedder.identity, dims: 384 } };
  await fillEmbeddings(store, wide, NOW_MS);
  expect(await find(store, PARAPHRASE, wide)).toMatchObject({ modes: ['words', 'meaning'], degraded: [], hits: [] });
});

test('Q16: a memory whose vector failed is found by its words', async () => {
  using store = await storeWith({ ...ordinary, zero: feedback('zero lines of the turbine') });
  const { embedder } = testEmbedder((text) => new Float32Array(8).fill(text.startsWith('zero') ? 0 : 1));
  const answer = await find(store, 'lines of the turbine', embedder);
  expect(hitOf(answer, 'zero')?.arms).toEqual({ words: expect.any(Number) });
  expect(answer.degraded).toEqual(['vectors_partial']);
});

test('SE-49: without a model words answer alone, and the answer says so', async () => {
  using store = await storeWith({ secrets: SECRETS });
  const answer = await find(store, 'keeping credentials', noModel);
  expect(answer).toMatchObject({ modes: ['words'], degraded: ['no_model'], vectors: null });
  expect(slugs(answer)).toEqual(['secrets']);
});

test('SE-28: the same question again embeds nothing', async () => {
  using store = await storeWith({ secrets: SECRETS });
  const { embedder, embedded } = testEmbedder((text) => new Float32Array(8).fill(text.length));
  const first = await find(store, PARAPHRASE, embedder);
  expect(embedded).toContain(PARAPHRASE);
  embedded.length = 0;
  expect(await find(store, PARAPHRASE, embedder)).toEqual(first);
  expect(embedded).toEqual([]);
});

test('SE-25: a question embeds at most 32 texts, and says how much is missing', async () => {
  using store = await storeWith(ordinary);
  const { embedder, embedded } = testEmbedder(() => new Float32Array(8).fill(1));
  await openSpace(store, embedder);
  embedded.length = 0;
  const answer = await find(store, PARAPHRASE, embedder);
  expect(embedded.length).toBeLessThanOrEqual(32);
  expect(answer.degraded).toEqual(['vectors_partial']);
  expect(answer.vectors).toEqual({ present: 15, of: ORDINARY_SITUATIONS.length });
});

test('SE-25: a question begins with the memories that its words find, however old they are', async () => {
  using store = await storeWith({ secrets: SECRETS, ...ordinary });
  const first = await find(store, 'keeping credentials', builtIn);
  expect(first.degraded).toEqual(['vectors_partial']);
  expect(hitOf(first, 'secrets')?.arms).toMatchObject({ words: expect.any(Number), meaning: expect.any(Number) });
});

test('SE-23: a changed text makes the vector stale until it is embedded again', async () => {
  using store = await storeWith({ a: feedback('When deploying'), b: feedback('When testing') });
  await fillEmbeddings(store, builtIn, NOW_MS);
  expect(await embeddingStatus(store, builtIn)).toMatchObject({ isActive: true, ready: 2, missing: 0 });
  run(store.db, `UPDATE memories SET followed_count = 3`);
  expect(await embeddingStatus(store, builtIn)).toMatchObject({ ready: 2, missing: 0 });
  run(store.db, `UPDATE memories SET action = 'Ask first' WHERE name = 'feedback/a'`);
  expect(await embeddingStatus(store, builtIn)).toMatchObject({ ready: 1, missing: 1 });
  expect(await fillEmbeddings(store, builtIn, NOW_MS)).toEqual({ embedded: 1, unreadable: 0, failed: 0 });
});

test('SE-23: a text that changes while it is embedded is not written with the old vector', async () => {
  using store = await storeWith({ a: feedback('When deploying') });
  const { embedder } = testEmbedder(() => {
    run(store.db, `UPDATE memories SET action = 'Ask first'`);
    return new Float32Array(8).fill(1);
  });
  const space = { ...embedder.identity, space: 'test', background: { meaning: 0, fine: null } };
  activateSpace(store, space);
  await embedMissing(store, space, embedder, NOW_MS);
  expect(countUnembedded(store.db, 'test', NOW_MS)).toBe(1);
});

test('Q18, SE-26: another model drops the space of the first, and answers are not empty meanwhile', async () => {
  using store = await storeWith({ ...ordinary, secrets: SECRETS });
  const { embedder: old } = testEmbedder(() => new Float32Array(8).fill(1));
  await fillEmbeddings(store, old, NOW_MS);
  const before = activeSpace(store.db)?.space;
  const { embedder } = testEmbedder((text) => new Float32Array(8).fill(text.length), '2');
  expect(slugs(await find(store, 'keeping credentials', embedder))).toContain('secrets');
  const spaces = allRows<{ space: string }>(
    store.db,
    'SELECT space FROM embeddings UNION SELECT space FROM query_vectors',
  ).map(({ space }) => space);
  expect(spaces).toEqual([activeSpace(store.db)?.space]);
  expect(spaces).not.toContain(before);
});

test('SE-29: a query that the model cannot read is answered by words', async () => {
  using store = await storeWith({ ...ordinary, thai: feedback('เมื่อปรับใช้ระบบใหม่') });
  await fillEmbeddings(store, builtIn, NOW_MS);
  expect(await embeddingStatus(store, builtIn)).toMatchObject({ unreadable: 1, missing: 0 });
  const answer = await find(store, 'ปรับใช้ระบบ');
  expect(answer).toMatchObject({ modes: ['words'], degraded: [] });
  expect(slugs(answer)[0]).toBe('thai');
});

test('SE-48: the figures of all arms recompute to the printed relevance', async () => {
  using store = await storeWith({ ...ordinary, secrets: SECRETS });
  await fillEmbeddings(store, builtIn, NOW_MS);
  const answer = await find(store, 'keeping a password out of the repository', builtIn, { explain: true });
  const hit = hitOf(answer, 'secrets');
  const { meaning, fine, evidence, table, fused, relevance } = hit?.explain ?? {};
  const background = activeSpace(store.db)?.background;
  if (!meaning || !fine || !background || evidence === undefined || fused === undefined) throw new Error('no figures');
  expect(aboveBackground(meaning.similarity, background.meaning)).toBeCloseTo(meaning.evidence, 10);
  const idf = fine.tokens.reduce((sum, token) => sum + token.idf, 0);
  const explained = fine.tokens.reduce((sum, token) => sum + token.idf * token.cosine, 0) / idf;
  expect(explained).toBeCloseTo(fine.explained, 5);
  expect(fine.tokens.map(({ token }) => token)).toContain('password');
  expect(Math.max(0, aboveBackground(fine.explained, background.fine?.explained ?? 0))).toBeCloseTo(fine.evidence, 10);
  const { coverage } = fine;
  if (!coverage) throw new Error('no coverage');
  expect(Math.max(0, aboveBackground(coverage.covered, background.fine?.covered ?? 0))).toBeCloseTo(
    coverage.evidence,
    10,
  );
  const arms = { words: evidence, meaning: meaning.evidence, fine: fine.evidence, coverage };
  expect(fuse(arms)).toEqual({ fused, table: 'AELC' });
  const weight = meaningWeight(coverage.tokens);
  const sum = weight * Math.max(0, meaning.evidence) + evidence + fine.evidence + coverage.evidence;
  expect(fused).toBeCloseTo(sum / (3 + weight), 10);
  expect(
    relevanceOf(fused, { equal: false, wholeIdentifier: false, otherIdentifier: false, verbatim: false }, table),
  ).toBe(relevance);
  expect(hit?.relevance).toBe(rounded(relevance ?? 0));
});

test('SE-25: many memories are embedded on threads, with the same bytes', async () => {
  using store = await storeWith(ordinary);
  const seen: number[] = [];
  const report = await fillEmbeddings(store, builtIn, NOW_MS, { onProgress: (done) => seen.push(done) });
  expect(report.embedded).toBe(ORDINARY_SITUATIONS.length);
  // Once for search, and once for what a judge compares.
  expect(seen.at(-1)).toBe(2 * ORDINARY_SITUATIONS.length);
  const bytes = () => allRows(store.db, `SELECT pk, vector, tokens FROM embeddings WHERE part = 'record' ORDER BY pk`);
  const onThreads = bytes();
  run(store.db, 'DELETE FROM embeddings');
  await embedMissing(store, await openSpace(store, builtIn), builtIn, NOW_MS);
  expect(bytes()).toEqual(onThreads);
});

test('SE-49: with damaged full text meaning answers alone, and the answer says so', async () => {
  using store = await storeWith({ ...ordinary, secrets: SECRETS });
  await fillEmbeddings(store, builtIn, NOW_MS);
  shell(store.db.name, `UPDATE fts_terms_data SET block = x'00' WHERE id > 10`);
  const answer = await find(store, PARAPHRASE, builtIn, { explain: true });
  expect(answer).toMatchObject({ modes: ['meaning', 'fine'], degraded: ['fts_damaged'] });
  expect(slugs(answer)[0]).toBe('secrets');
  expect(answer.hits[0]?.arms).toEqual({ meaning: expect.any(Number), fine: expect.any(Number) });
  expect(answer.hits[0]?.explain?.table).toBe('ALC');
  await expect(find(store, 'keeping credentials', noModel)).rejects.toMatchObject({ code: 'database.damaged' });
});

test('SE-28: the model is loaded ahead for a question that is new, and not for one whose vector is kept', async () => {
  using store = await storeWith({ secrets: SECRETS });
  const { embedder } = testEmbedder((text) => new Float32Array(8).fill(text.length));
  let prepared = 0;
  const source = fixedSource({
    ...embedder,
    prepare: () => {
      prepared += 1;
    },
  });
  await anticipate(store, PARAPHRASE, source);
  expect(prepared).toBe(1);
  await search(store, { text: PARAPHRASE, project: project(null) }, source, NOW_MS);
  await anticipate(store, PARAPHRASE, source);
  expect(prepared).toBe(1);
  await anticipate(store, 'another question', source);
  expect(prepared).toBe(2);
});

test('SE-28: after the vector of a question is kept, what is written waits for the disk again', async () => {
  using store = await storeWith({ secrets: SECRETS });
  await find(store, PARAPHRASE);
  expect(oneRow(store.db, 'SELECT count(*) AS n FROM query_vectors')).toEqual({ n: 1 });
  expect(store.db.pragma('synchronous', { simple: true })).toBe(2);
});
