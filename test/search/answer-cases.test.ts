import { describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { hitOf, project, slugs, WAYS_OF_ASKING } from '../support/ask.ts';
import { meantMemories, recordsOf } from '../support/matching-fixture.ts';
import { feedback, storeWith } from '../support/memory-rows.ts';
import { ORDINARY_SITUATIONS } from '../support/ordinary-situations.ts';

const MEANT = meantMemories();
const ordinary = (count = 50): Record<string, MemoryRecord> =>
  Object.fromEntries(ORDINARY_SITUATIONS.slice(0, count).map((situation, i) => [`ordinary-${i}`, feedback(situation)]));

describe.each(WAYS_OF_ASKING)('$arms', ({ ask }) => {
  test('Q11: more of the query is strictly more relevant, and none is certain', async () => {
    const words = ['rotate', 'webhook', 'secret', 'staging', 'cluster'];
    const graded = words.map((_, i) => [`m${i + 1}`, feedback(`When you ${words.slice(0, i + 1).join(' ')} now`)]);
    using store = await storeWith(Object.fromEntries(graded));
    const answer = await ask(store, words.join(' '));
    expect(slugs(answer)).toEqual(['m5', 'm4', 'm3', 'm2', 'm1'].slice(0, answer.hits.length));
    const relevances = answer.hits.map((hit) => hit.relevance);
    expect(answer.hits.length).toBeGreaterThanOrEqual(4);
    expect(new Set(relevances).size).toBe(relevances.length);
    expect(Math.max(...relevances)).toBeLessThan(1);
  });

  test('Q12, SE-45: with 0 memories the answer says that nothing is stored', async () => {
    using store = await storeWith();
    expect((await ask(store, 'deploying')).abstained).toBe('nothing_stored');
  });

  test('Q12, SE-45: stores of 1, 2 and 10 memories give the same relevance, and nothing for what is unrelated', async () => {
    const found: number[] = [];
    for (const others of [0, 1, 9]) {
      using store = await storeWith({
        ...ordinary(others),
        wanted: feedback('When regenerating the API client after a schema change'),
      });
      const exact = await ask(store, 'When regenerating the API client after a schema change');
      const near = await ask(store, 'about to regenerate the client of the API');
      expect(slugs(exact)[0]).toBe('wanted');
      expect(hitOf(exact, 'wanted')?.relevance).toBe(1);
      found.push(hitOf(near, 'wanted')?.relevance ?? 0);
      expect((await ask(store, 'buy milk and oranges on Saturday')).hits).toEqual([]);
    }
    expect(Math.max(...found) - Math.min(...found)).toBeLessThanOrEqual(0.1);
    expect(Math.min(...found)).toBeGreaterThan(0.5);
  });

  test('Q13, SE-41: a unique identifier is first, above the floor of query, and passes surface', async () => {
    using store = await storeWith({ ...ordinary(), wanted: feedback('When settlement_ref is written by two workers') });
    const answer = await ask(store, 'settlement_ref');
    expect(slugs(answer)).toEqual(['wanted']);
    expect(answer.hits[0]?.relevance).toBeGreaterThanOrEqual(0.6);
    expect(slugs(await ask(store, 'settlement_ref', { policy: 'surface' }))).toEqual(['wanted']);
    expect(slugs(await ask(store, 'about to change settlement_ref', { policy: 'surface' }))).toEqual(['wanted']);
  });

  test('Q17, SE-30: what is not admitted takes no place of what is', async () => {
    const near = 'When rotating the webhook secret of staging';
    const foreign = Object.fromEntries(
      Array.from({ length: 5 }, (_, i) => [
        `foreign-${i}`,
        feedback(near, { project_scoped: true, project_slug: 'other', action: `f${i}` }),
      ]),
    );
    const own = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [
        `own-${i}`,
        feedback(`When rotating the webhook secret ${'somewhere else '.repeat(i)}`),
      ]),
    );
    using store = await storeWith({ ...foreign, ...own });
    for (let i = 0; i < 5; i++) {
      const record = JSON.stringify(feedback(near, { action: `a${i}` }));
      store.db
        .prepare(`INSERT INTO archive(name, record, record_hash, origin, at_ms) VALUES (?, ?, '', 'forget', 0)`)
        .run(`feedback/gone-${i}`, record);
    }
    const answer = await ask(store, near, { limit: 3, project: project('mine') });
    expect(slugs(answer)).toEqual(['own-0', 'own-1', 'own-2']);
  });

  test('Q19, SE-40: age never beats relevance; of equals the newer is first', async () => {
    using store = await storeWith({
      old: feedback('When rotating the webhook secret', { created_at: '2023-01-01T00:00:00Z' }),
      weak: feedback('When the webhook is mentioned somewhere in passing', { created_at: '2026-04-02T00:00:00Z' }),
    });
    expect(slugs(await ask(store, 'rotating the webhook secret'))[0]).toBe('old');
    using equals = await storeWith({
      a: feedback('When rotating the webhook secret', { created_at: '2026-01-01T00:00:00Z' }),
      b: feedback('When rotating the webhook secret', { created_at: '2026-01-01T00:00:00.5Z' }),
      c: feedback('When rotating the webhook secret', { created_at: null }),
    });
    expect(slugs(await ask(equals, 'rotating the webhook secret'))).toEqual(['b', 'a', 'c']);
  });

  test.each([
    'Finally the operator confirms the new quota in the billing console.',
    'After that, tell the team in the channel and close the ticket.',
    'Restart the quokka balancer.',
  ])('Q18, SE-35: the last of 24,000 characters, beyond the window of the model, is found: %s', async (last) => {
    const prose = MEANT.flatMap(({ record }) => record.action ?? []).join('. ');
    const long = feedback('When operating the platform', { action: `${prose.repeat(4).slice(0, 24_000)}. ${last}` });
    using store = await storeWith({ ...recordsOf(MEANT.slice(0, 50)), long });
    expect(slugs(await ask(store, last))).toEqual(['long']);
    // A long memory holds many words by chance: it may be listed for half of them, but interrupts nobody.
    const half = `${last} Then the penguins dance on the roof of the old lighthouse`;
    expect(hitOf(await ask(store, half), 'long')?.relevance ?? 0).toBeLessThan(0.5);
    expect(slugs(await ask(store, half, { policy: 'surface' }))).toEqual([]);
  });
});
