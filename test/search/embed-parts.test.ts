import { expect, test } from 'vitest';
import { openBuiltIn } from '../../src/search/embed/built-in.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { fillEmbeddings } from '../../src/search/fill-embeddings.ts';
import { compareTexts } from '../../src/search/sim.ts';
import type { Store } from '../../src/store/open.ts';
import { allRows, run } from '../../src/store/statement.ts';
import { fact, feedback, storeWith } from '../support/memory-rows.ts';

const NOW_MS = Date.parse('2026-04-02T10:00:00Z');
const PUSH = feedback('When pushing', {
  behavior: 'Pushed without running the checks',
  action: 'Run make check first',
});
const PORT = fact('When starting the shop', ['shop-api', 'listens on', '8080']);

/** The model of the package, with the texts that it was given. */
function listening(): { readonly embedder: Embedder; readonly given: string[] } {
  const [real, given]: [Embedder, string[]] = [openBuiltIn(), []];
  const embed: Embedder['embed'] = (texts, kind, options) => {
    given.push(...texts);
    return real.embed(texts, kind, options);
  };
  return { embedder: { ...real, embed }, given };
}

const parts = (store: Store) =>
  allRows<{ name: string; part: string; state: string }>(
    store.db,
    `SELECT name, part, e.state FROM embeddings e JOIN memories USING (pk)
     WHERE part <> 'record' AND text_hash IS NOT NULL ORDER BY name, part`,
  );

test('SE-22: feedback keeps the vectors of its behavior and its action, with which texts compare as without', async () => {
  using store = await storeWith({ push: PUSH, port: PORT });
  const { embedder, given } = listening();
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(parts(store)).toEqual([
    { name: 'feedback/push', part: 'action', state: 'ready' },
    { name: 'feedback/push', part: 'behavior', state: 'ready' },
  ]);
  const announced = 'I will push now and skip the checks';
  const texts = [announced, PUSH.behavior ?? '', PUSH.action ?? ''];
  given.length = 0;
  const pks = allRows<{ pk: number }>(store.db, 'SELECT pk FROM memories').map(({ pk }) => pk);
  const kept = await compareTexts(store, texts, fixedSource(embedder), pks);
  expect(given).toEqual([announced]);
  const anew = await compareTexts(store, texts, fixedSource(embedder));
  for (const text of texts.slice(1)) expect(kept.sim(announced, text)).toBe(anew.sim(announced, text));
});

test('SE-22, SE-23: a changed text is embedded again, and nothing else is', async () => {
  using store = await storeWith({ push: PUSH, other: feedback('When idle') });
  const { embedder, given } = listening();
  await fillEmbeddings(store, embedder, NOW_MS);
  run(store.db, `UPDATE memories SET action = 'Ask somebody' WHERE name = 'feedback/push'`);
  expect(parts(store).map(({ name }) => name)).toEqual(['feedback/other', 'feedback/other']);
  given.length = 0;
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(given).toContain('Ask somebody');
  expect(given).not.toContain('act');
  given.length = 0;
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(given).toEqual([]);
});

test('SE-22: vectors for search come first, and an interrupted filling goes on', async () => {
  using store = await storeWith({ push: PUSH, other: feedback('When idle') });
  const { embedder } = listening();
  const stop = new AbortController();
  const stopping: Embedder = {
    ...embedder,
    embed: (texts, kind, options) => {
      if (texts.includes('act')) stop.abort();
      return stop.signal.aborted ? Promise.reject(stop.signal.reason) : embedder.embed(texts, kind, options);
    },
  };
  const report = await fillEmbeddings(store, stopping, NOW_MS, { signal: stop.signal });
  expect(report).toEqual({ embedded: 2, unreadable: 0, failed: 0 });
  expect(parts(store)).toEqual([]);
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(parts(store)).toHaveLength(4);
});

test('SE-22, SE-29: a part that the model cannot read is not asked for again', async () => {
  const impact = 'The build of everybody else was broken for the whole afternoon, and a release had to be taken back';
  using store = await storeWith({ push: { ...PUSH, impact, action: '先检查' } });
  const { embedder, given } = listening();
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(parts(store).map(({ part, state }) => `${part} ${state}`)).toEqual(['action unreadable', 'behavior ready']);
  given.length = 0;
  await fillEmbeddings(store, embedder, NOW_MS);
  expect(given).toEqual([]);
});
