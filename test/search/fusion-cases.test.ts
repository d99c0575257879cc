import { expect, test } from 'vitest';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { FINE_CANDIDATES } from '../../src/search/fine-arm.ts';
import { fuse, relevanceOf } from '../../src/search/relevance.ts';
import { search } from '../../src/search/search.ts';
import { run } from '../../src/store/statement.ts';
import { askEveryArm, hitOf, project, slugs } from '../support/ask.ts';
import { builtIn, embedAll, NOW_MS } from '../support/built-in-model.ts';
import { meantMemories, recordsOf } from '../support/matching-fixture.ts';
import { feedback, storeWith } from '../support/memory-rows.ts';
import { near, noiseOf, noisyEmbedder } from '../support/test-embedder.ts';

const QUERY = 'rotating the webhook secret of staging';
const PLAIN = { equal: false, wholeIdentifier: false, otherIdentifier: false, verbatim: false };

test.each([
  ['words', 'When rotating the webhook secret of staging again', 0],
  ['meaning', 'When exchanging what both sides sign with', 0.9],
])(
  'Q14: what is first in the %s arm alone stays ahead of eight that are weak in both',
  async (_, situation, cosine) => {
    const weak = Array.from(
      { length: 8 },
      (__, i) => [`weak-${i}`, feedback(`When staging is slow, part ${i}`)] as const,
    );
    const { embedder } = noisyEmbedder((text) => {
      if (text === QUERY) return noiseOf(QUERY);
      if (text.startsWith('When staging')) return near(QUERY, 0.3, text);
      return text.startsWith(situation) ? near(QUERY, cosine, text) : null;
    });
    using store = await storeWith({ ...Object.fromEntries(weak), wanted: feedback(situation) });
    await embedAll(store, embedder);
    const answer = await search(store, { text: QUERY, project: project(null) }, fixedSource(embedder), NOW_MS);
    expect(answer.modes).toEqual(['words', 'meaning']);
    expect(slugs(answer)[0]).toBe('wanted');
  },
);

test('Q14: a perfect and a poor query differ by 0.3 at least in what they find first', async () => {
  using store = await storeWith(recordsOf(meantMemories().slice(0, 50)));
  const top = async (text: string) => (await askEveryArm(store, text)).hits[0]?.relevance ?? 0;
  const perfect = await top('we rotate the credentials of the payment provider');
  const poor = await top('the provider sent us a nice calendar with photos of mountains');
  expect(perfect - poor).toBeGreaterThanOrEqual(0.3);
});

test('SE-73: a provider without token vectors has no fine arm, and nothing is missing', async () => {
  const { embedder } = noisyEmbedder((text) => (text === QUERY ? null : near(QUERY, 0.9, text)));
  using store = await storeWith({ wanted: feedback('When exchanging the webhook key that both sides sign with') });
  await embedAll(store, embedder);
  const asked = { text: QUERY, project: project(null), explain: true };
  const answer = await search(store, asked, fixedSource(embedder), NOW_MS);
  expect(answer).toMatchObject({ modes: ['words', 'meaning'], degraded: [] });
  expect(answer.hits[0]?.explain).toMatchObject({ table: 'AE', fine: null });
});

test('SE-35, SE-25: a memory without its vector is judged by words, in the table of words', async () => {
  using store = await storeWith({
    whole: feedback('When rotating the webhook secret'),
    bare: feedback('When rotating the webhook secret', { action: 'Tell them before' }),
  });
  await embedAll(store);
  run(
    store.db,
    `UPDATE embeddings SET state = 'failed:5', vector = NULL, norm = NULL, tokens = NULL
    WHERE pk = (SELECT pk FROM memories WHERE name = 'feedback/bare')`,
  );
  const asked = { text: QUERY, project: project(null), explain: true };
  const answer = await search(store, asked, fixedSource(builtIn), NOW_MS);
  expect(answer).toMatchObject({ degraded: ['vectors_partial'], vectors: { present: 1, of: 2 } });
  expect(hitOf(answer, 'whole')?.explain?.table).toBe('AELC');
  const bare = hitOf(answer, 'bare')?.explain;
  expect(bare).toMatchObject({ table: 'E', meaning: null, fine: null });
  expect(bare?.relevance).toBe(relevanceOf(bare?.evidence ?? 0, PLAIN, 'E'));
});

test('SE-34: a text that only stop words make has the table of meaning and tokens', () => {
  expect(fuse({ words: null, meaning: 0.5, fine: 0.3, coverage: null })).toEqual({ fused: 0.4, table: 'AL' });
  expect(fuse({ words: null, meaning: -0.5, fine: null, coverage: null })).toEqual({ fused: 0, table: 'A' });
  expect(fuse({ words: null, meaning: null, fine: null, coverage: null })).toBeNull();
});

test('SE-72, SE-35: the 60 best by meaning and the 60 best by words get L, and no memory beyond is a hit', async () => {
  const many = Array.from(
    { length: 200 },
    (_, i) => [`m${i}`, feedback(`When polishing brass lamp number ${i}`)] as const,
  );
  const worded = Array.from(
    { length: 90 },
    (_, i) => [`w${i}`, feedback(`When frobnicating unit ${i} of the plant`)] as const,
  );
  using store = await storeWith(Object.fromEntries([...many, ...worded]));
  const answer = await askEveryArm(store, 'buffing metal lights, frobnicating', { limit: 100, explain: true });
  expect(answer.explain?.candidates).toMatchObject({ meaning: FINE_CANDIDATES, words: 90 });
  expect(answer.explain?.candidates.fine).toBeGreaterThan(FINE_CANDIDATES);
  expect(answer.explain?.candidates.fine).toBeLessThanOrEqual(2 * FINE_CANDIDATES);
  expect(answer.hits.filter(({ arms }) => arms.words === 0).length).toBeLessThanOrEqual(FINE_CANDIDATES);
  expect(answer.hits.filter(({ arms }) => arms.fine !== undefined).length).toBeLessThanOrEqual(2 * FINE_CANDIDATES);
});
