import { expect, test } from 'vitest';
import type { MemoryName } from '../../src/memory/slug.ts';
import { runQuery } from '../../src/search/query.ts';
import { relatedRequest } from '../../src/search/related.ts';
import { adjustedRelevance, relevanceOf, rounded } from '../../src/search/relevance.ts';
import { evidenceOf } from '../../src/search/words-arm.ts';
import { admit } from '../../src/store/admitted.ts';
import { candidateSql, MOST_CANDIDATES } from '../../src/store/candidates.ts';
import { appendEvent } from '../../src/store/outcomes.ts';
import { allRows } from '../../src/store/statement.ts';
import { ask, hitOf, project, slugs, WAYS_OF_ASKING } from '../support/ask.ts';
import { fact, feedback, storeWith } from '../support/memory-rows.ts';
import { ORDINARY_SITUATIONS } from '../support/ordinary-situations.ts';

const NEAR = 'When rotating the webhook secret of staging';
const QUERY = 'rotating the webhook secret';
const ordinary = Object.fromEntries(ORDINARY_SITUATIONS.map((situation, i) => [`ordinary-${i}`, feedback(situation)]));

test('SE-9: a row whose text changed is not found by what it said before', async () => {
  using store = await storeWith({ a: feedback(NEAR) });
  store.db.exec(`UPDATE memories SET situation = 'When something else happens'`);
  expect(ask(store, QUERY).hits).toEqual([]);
  store.db.exec('DELETE FROM memories');
  expect(ask(store, 'something else happens').abstained).toBe('nothing_stored');
});

test('SE-8: a query indexes at most 500 rows and reports the rest', async () => {
  using store = await storeWith();
  const insert = store.db.prepare(`INSERT INTO memories(name, type, situation) VALUES (?, 'feedback', ?)`);
  for (let i = 0; i < 1100; i++) insert.run(`feedback/m${i}`, i === 0 ? NEAR : 'When idle');
  const first = ask(store, QUERY);
  expect(first.degraded).toEqual(['index_partial']);
  expect(slugs(first)).toEqual(['m0']);
  ask(store, QUERY);
  expect(ask(store, QUERY).degraded).toEqual([]);
});

test('SE-12: relevance does not depend on how many memories there are', async () => {
  const relevanceAmong = async (count: number) => {
    const around = Object.fromEntries(Object.entries(ordinary).slice(0, count));
    using store = await storeWith({ ...around, a: feedback(NEAR) });
    return hitOf(ask(store, 'rotate the secret of the webhook now'), 'a')?.relevance ?? 0;
  };
  expect(Math.abs((await relevanceAmong(0)) - (await relevanceAmong(50)))).toBeLessThan(0.15);
});

test('SE-14: a match in the situation counts more than one in the content', async () => {
  using store = await storeWith({
    situation: feedback('When the webhook secret rotates'),
    content: feedback('When idle hands are busy', { action: 'Rotate the webhook secret' }),
  });
  expect(slugs(ask(store, QUERY))).toEqual(['situation', 'content']);
});

test('SE-15, SE-16: many rare words beat one, and words beyond the memory count against it', async () => {
  using store = await storeWith({ a: feedback(NEAR) });
  const relevance = (text: string) => hitOf(ask(store, text), 'a')?.relevance ?? 0;
  expect(relevance('webhook secret rotating')).toBeGreaterThan(relevance('webhook'));
  expect(relevance('webhook secret rotating')).toBeGreaterThan(
    relevance('webhook secret rotating printer juice holiday'),
  );
});

test('SE-30: FTS5 is asked once, and the admitted set looked up, not the other way round', async () => {
  using store = await storeWith(ordinary);
  admit(store.db, { type: null, scopes: [], without: [] });
  for (const table of ['fts_prose', 'fts_terms'] as const) {
    const plan = allRows<{ detail: string }>(
      store.db,
      `EXPLAIN QUERY PLAN ${candidateSql(table)}`,
      '"when"',
      MOST_CANDIDATES,
    );
    const steps = plan.map((row) => row.detail);
    // An index of `0:M...` is a MATCH alone; `=` in it would be a probe for each memory.
    expect(steps.filter((step) => step.includes(`${table} VIRTUAL TABLE INDEX`))).toEqual([
      expect.stringMatching(/^SCAN .* VIRTUAL TABLE INDEX \d+:M\d+$/),
    ]);
    expect(steps.join('\n')).toMatch(/admitted FOR IN-OPERATOR|USING ROWID SEARCH ON TABLE admitted/);
  }
});

test.each(WAYS_OF_ASKING)(
  'SE-31: scoped memories show in their project, an alias of it and a path of it, else only on demand, $arms',
  async ({ ask }) => {
    const scopedTo = (slug: string) => feedback(NEAR, { project_scoped: true, project_slug: slug, action: slug });
    using store = await storeWith({
      everywhere: feedback(NEAR),
      mine: scopedTo('shop-api'),
      alias: scopedTo('old-shop'),
      path: scopedTo('-home-dana-src-shop-api'),
      other: scopedTo('blog'),
    });
    const shop = project('shop-api', { aliases: ['old-shop'], paths: ['/home/dana/src/shop-api'] });
    expect(slugs(await ask(store, QUERY, { project: shop })).sort()).toEqual(['alias', 'everywhere', 'mine', 'path']);
    expect(slugs(await ask(store, QUERY))).toEqual(['everywhere']);
    const all = await ask(store, QUERY, { project: shop, allProjects: true });
    expect(hitOf(all, 'other')?.project_relation).toBe('other_project');
    expect(hitOf(all, 'mine')?.project_relation).toBe('scoped');
    expect(hitOf(all, 'everywhere')?.project_relation).toBe('unscoped');
  },
);

test('SE-31: archived memories are admitted on demand only, and marked', async () => {
  using store = await storeWith({ live: feedback(NEAR) });
  const archive = store.db.prepare(
    `INSERT INTO archive(name, record, record_hash, origin, at_ms) VALUES (?, ?, '', ?, 0)`,
  );
  archive.run('feedback/gone', JSON.stringify(feedback(NEAR)), 'forget');
  archive.run('feedback/replaced', JSON.stringify(feedback(NEAR)), 'superseded');
  archive.run(
    'feedback/elsewhere',
    JSON.stringify(feedback(NEAR, { project_scoped: true, project_slug: 'blog' })),
    'forget',
  );
  archive.run('feedback/live', JSON.stringify(feedback(NEAR)), 'forget');
  expect(slugs(ask(store, QUERY))).toEqual(['live']);
  const all = ask(store, QUERY, { archived: true });
  expect(slugs(all).sort()).toEqual(['gone', 'live', 'replaced']);
  expect(hitOf(all, 'gone')?.marks).toEqual(['archived']);
  expect(hitOf(all, 'replaced')?.marks).toEqual(['archived', 'superseded']);
  expect(hitOf(all, 'live')?.marks).toEqual([]);
});

test.each(WAYS_OF_ASKING)(
  'SE-33: without a hit in scope the answer names projects and counts, no content, $arms',
  async ({ ask }) => {
    const blog = { project_scoped: true, project_slug: 'blog' };
    using store = await storeWith({
      a: feedback(NEAR, blog),
      b: feedback(NEAR, { ...blog, action: 'other' }),
      c: feedback('When idle'),
    });
    const answer = await ask(store, QUERY, { project: project('shop-api') });
    expect(answer.hits).toEqual([]);
    expect(answer.abstained).toBe('below_floor');
    expect(answer.elsewhere).toEqual([{ project: 'blog', hits: 2 }]);
    expect(JSON.stringify(answer)).not.toContain('staging');
    expect((await ask(store, 'printer juice', { project: project('shop-api') })).elsewhere).toEqual([]);
  },
);

test.each(WAYS_OF_ASKING)(
  'SE-38, SE-39: outcomes sink a hit below a floor, never lift one over it, $arms',
  async ({ ask }) => {
    const outcomes = { surfaced_count: 60, followed_count: 0, not_followed_count: 60 };
    using plain = await storeWith({ a: feedback(NEAR) });
    using sunk = await storeWith({ a: feedback(NEAR, outcomes) });
    using lifted = await storeWith({ a: feedback(NEAR, { ...outcomes, followed_count: 60, not_followed_count: 0 }) });
    const r = async (store: typeof plain) => (await ask(store, QUERY, { explain: true })).hits[0];
    expect((await r(sunk))?.relevance).toBeLessThan((await r(plain))?.relevance ?? 0);
    expect((await r(lifted))?.relevance).toBeGreaterThan((await r(plain))?.relevance ?? 1);
    expect((await r(lifted))?.explain?.gates).toEqual((await r(plain))?.explain?.gates);
  },
);

test.each(WAYS_OF_ASKING)(
  'Q25, SE-38: irrelevant in one situation lowers it there by 5 to 15 %, elsewhere not at all, $arms',
  async ({ ask }) => {
    using store = await storeWith({ a: feedback(NEAR, { irrelevant_count: 100 }) });
    for (let i = 0; i < 100; i++) {
      appendEvent(store.db, {
        name: 'feedback/a' as MemoryName,
        kind: 'irrelevant',
        delta: 1,
        origin: 'cli',
        atMs: i,
        situation: QUERY,
      });
    }
    const here = (await ask(store, QUERY, { explain: true })).hits[0]?.explain;
    expect(here?.adjustment.total).toBeLessThanOrEqual(-0.05);
    expect(here?.adjustment.total).toBeGreaterThanOrEqual(-0.15);
    expect((await ask(store, 'staging is down', { explain: true })).hits[0]?.explain?.adjustment.total ?? 0).toBe(0);
  },
);

test.each(WAYS_OF_ASKING)('Q25, D12: being shown changes nothing, $arms', async ({ ask }) => {
  using never = await storeWith({ a: feedback(NEAR) });
  using often = await storeWith({ a: feedback(NEAR, { surfaced_count: 1000, missed_count: 9, core: true }) });
  expect((await ask(often, QUERY)).hits[0]?.relevance).toBe((await ask(never, QUERY)).hits[0]?.relevance);
});

test('SE-40: equal relevance is ordered by age, then by name', async () => {
  const at = (created_at: string | null) => feedback(NEAR, { created_at });
  using store = await storeWith({
    z: at('2026-01-01T00:00:00Z'),
    b: at(null),
    a: at(null),
    y: at('2026-02-01T00:00:00Z'),
  });
  expect(slugs(ask(store, QUERY))).toEqual(['y', 'z', 'a', 'b']);
});

test('SE-41: surface shows at most 8 feedback memories and 3 facts, near the best, none that needs review', async () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`m${i}`, feedback(NEAR, { action: `a${i}` })]));
  const facts = Object.fromEntries(
    Array.from({ length: 5 }, (_, i) => [`f${i}`, fact(NEAR, ['webhook', 'uses', `secret-${i}`])]),
  );
  using store = await storeWith({ ...ordinary, ...many, ...facts, review: feedback(NEAR, { needs_review: true }) });
  const { hits } = ask(store, `${QUERY} of staging`, { policy: 'surface' });
  expect(hits.filter((hit) => hit.type === 'feedback')).toHaveLength(8);
  expect(hits.filter((hit) => hit.type === 'fact')).toHaveLength(3);
  expect(hits.map((hit) => hit.name)).not.toContain('feedback/review');
});

test('SE-41: surface wants more of unscoped memories that were learned in another project', async () => {
  using store = await storeWith({
    ...ordinary,
    here: feedback(NEAR, { project_slug: 'shop-api' }),
    there: feedback(NEAR, { project_slug: 'blog' }),
  });
  const text = 'rotating the webhook secret of staging on a rainy Monday';
  const surfaced = ask(store, text, { policy: 'surface', project: project('shop-api') });
  expect(slugs(surfaced)).toEqual(['here']);
  expect(hitOf(ask(store, text, { project: project('shop-api') }), 'there')?.project_relation).toBe(
    'learned_elsewhere',
  );
});

test.each(WAYS_OF_ASKING)('SE-74: a long intent passes by its best sentence, $arms', async ({ ask }) => {
  using store = await storeWith({ ...ordinary, wanted: feedback(NEAR) });
  const padding =
    'The sprint went fine and everybody enjoyed lunch outside. Tomorrow the office moves upstairs near the printer.';
  const text = `${padding} I am rotating the webhook secret of staging. ${padding}`;
  const answer = await ask(store, text, { policy: 'surface', explain: true });
  expect(slugs(answer)).toEqual(['wanted']);
  expect(answer.hits[0]?.explain?.sentence?.text).toBe('I am rotating the webhook secret of staging.');
});

test.each(WAYS_OF_ASKING)('SE-74: sentences let a memory pass, the whole text orders, $arms', async ({ ask }) => {
  using store = await storeWith({
    ...ordinary,
    sentence: feedback(NEAR),
    whole: feedback('When the printer of the office jams before the budget report about the webhook secret is due'),
  });
  const text =
    'The printer of the office jams and the budget report is due. I am rotating the webhook secret of staging. The report about the budget is due before the printer jams.';
  const answer = await ask(store, text, { policy: 'surface', explain: true });
  expect(slugs(answer)).toEqual(['whole', 'sentence']);
  const [whole, sentence] = answer.hits.map(({ explain }) => explain);
  expect(whole?.relevance).toBeGreaterThan(sentence?.relevance ?? 1);
  expect(sentence?.sentence?.relevance).toBeGreaterThan(whole?.sentence?.relevance ?? whole?.relevance ?? 1);
});

test.each([
  ['no_terms', '???', {}],
  ['below_floor', 'printer juice holiday', {}],
  ['thin_evidence', 'webhook', { policy: 'surface' }],
] as const)('SE-43: an answer without hits says why: %s', async (reason, text, request) => {
  using store = await storeWith({ a: feedback(NEAR) });
  const answer = ask(store, text, request);
  expect(answer.abstained).toBe(reason);
  expect(answer.hits).toEqual([]);
});

test('SE-43: an error is never an empty answer', async () => {
  using store = await storeWith({ a: feedback(NEAR) });
  store.db.exec('DROP TABLE fts_terms');
  expect(() => ask(store, QUERY)).toThrow(expect.objectContaining({ code: 'database.damaged' }));
});

test.each([
  ['imported from notes.json', false, 'imported'],
  ['user correction, 2026-04-02', true, 'imported'],
  ['observed in thread 4', false, 'observed'],
  ['learned message 12', false, 'observed'],
  ['user correction, 2026-04-02', false, 'user'],
  ['', false, 'user'],
])('SE-44: the source %j (needs review: %s) is %s', async (source, needs_review, trust) => {
  using store = await storeWith({ a: feedback(NEAR, { source, needs_review }) });
  expect(ask(store, QUERY).hits[0]?.source_trust).toBe(trust);
});

test('SE-47: the answer as JSON', async () => {
  using store = await storeWith({
    a: feedback(NEAR, { core: true, surfaced_count: 9, followed_count: 7, not_followed_count: 1 }),
  });
  const { hits, ...answer } = ask(store, 'the webhook secret', {
    project: { ...project('shop-api'), foundBy: 'origin' },
  });
  expect(answer).toEqual({
    query: { terms: ['webhook', 'secret'], stop_words: ['the'], rescued: {}, truncated: false },
    project: { name: 'shop-api', found_by: 'origin' },
    policy: 'query',
    floor: 0.15,
    modes: ['words'],
    degraded: [],
    vectors: null,
    stale: false,
    abstained: null,
    elsewhere: [],
    explain: null,
  });
  expect(hits[0]).toMatchObject({
    name: 'feedback/a',
    type: 'feedback',
    marks: ['core'],
    source_trust: 'user',
    explain: null,
  });
  expect(hits[0]?.counts).toEqual({
    surfaced_count: 9,
    followed_count: 7,
    not_followed_count: 1,
    irrelevant_count: 0,
    missed_count: 0,
  });
  expect(Object.keys(hits[0]?.arms ?? {})).toEqual(['words']);
});

test('SE-47: what the caller found out before is passed on', async () => {
  using store = await storeWith({ a: feedback(NEAR) });
  expect(ask(store, QUERY, { stale: true, degraded: ['read_only'] })).toMatchObject({
    stale: true,
    degraded: ['read_only'],
  });
  expect(ask(store, QUERY, { without: ['feedback/a' as MemoryName] }).hits).toEqual([]);
});

test('SE-48: the figures recompute to the printed relevance', async () => {
  const record = feedback(NEAR, { followed_count: 3, surfaced_count: 3, action: 'Rotate get_secret twice' });
  using store = await storeWith({ ...ordinary, a: record });
  for (const text of [QUERY, 'the webhook get_secret staging printer', 'webhok rotation on stagin', NEAR]) {
    const answer = ask(store, text, { explain: true });
    const hit = hitOf(answer, 'a');
    const explained = hit?.explain;
    if (!hit || !explained) throw new Error(`no hit for ${text}`);
    const weights = explained.terms.map((term) => term.weight);
    const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
    const matched = explained.terms.reduce((sum, term) => sum + term.weight * (term.match ?? 0), 0);
    expect(matched).toBeCloseTo(explained.matched, 10);
    const cover = Math.min(1, matched / totalWeight);
    expect(cover ** 0.75 * (1 - Math.exp(-matched / 2))).toBeCloseTo(explained.evidence, 10);
    const identity = {
      equal: explained.equal_text,
      wholeIdentifier: explained.whole_identifier,
      otherIdentifier: explained.other_identifier,
      verbatim: explained.verbatim,
    };
    expect(relevanceOf(explained.fused, identity)).toBe(explained.relevance);
    expect(rounded(adjustedRelevance(explained.relevance, explained.adjustment))).toBe(hit.relevance);
    expect(answer.explain).toMatchObject({ admitted: 51, excluded: { type: 0, project: 0, name: 0, notIndexed: 0 } });
  }
  expect(
    evidenceOf([], {
      weights: [],
      totalWeight: 0,
      lengths: { lengthOf: () => 0, average: { situation: 1, entity: 1, content: 1 } },
    }).evidence,
  ).toBe(0);
});

test('SE-48: explain says how many memories each filter kept out', async () => {
  using store = await storeWith({
    a: feedback(NEAR),
    b: feedback(NEAR, { project_scoped: true, project_slug: 'blog' }),
    c: fact(NEAR, ['a', 'b', 'c']),
  });
  const { explain } = ask(store, QUERY, { explain: true, type: 'feedback' });
  expect(explain).toMatchObject({
    admitted: 1,
    candidates: { words: 1, meaning: 0, fine: 0 },
    excluded: { type: 1, project: 1 },
  });
});

test('SE-50: related memories are those near its situation and entities, without itself', async () => {
  const port = fact('When starting the shop API locally', ['shop-api', 'listens-on', '8080']);
  using store = await storeWith({
    ...ordinary,
    port,
    proxy: fact('When configuring the proxy of the shop API locally', ['proxy', 'forwards-to', 'shop-api']),
  });
  const answer = runQuery(
    store,
    relatedRequest({ name: 'facts/port' as MemoryName, record: port }, { project: project(null) }),
  );
  expect(slugs(answer)[0]).toBe('proxy');
  expect(slugs(answer)).not.toContain('port');
});

test('SE-17: from 20 memories on, a word that is common in the store weighs less', async () => {
  const weightAmong = async (count: number) => {
    const holders = Array.from(
      { length: count },
      (_, i) => [`m${i}`, feedback(`When webhook number ${i} fires`)] as const,
    );
    using store = await storeWith(Object.fromEntries(holders));
    return hitOf(ask(store, 'webhook', { explain: true }), 'm0')?.explain?.terms[0]?.weight ?? 0;
  };
  const background = await weightAmong(1);
  expect(await weightAmong(19)).toBe(background);
  expect(await weightAmong(21)).toBeLessThan(background);
  expect(await weightAmong(90)).toBeLessThan(await weightAmong(21));
});

test('AG-16: with a floor of 0 the best there are come, in the same order; surface keeps its own', async () => {
  using store = await storeWith({ a: feedback(NEAR), ...ordinary });
  const text = `${QUERY} while nobody is looking at any of the many other things that go on here`;
  const shown = slugs(ask(store, text));
  const all = slugs(ask(store, text, { floor: 0, limit: 5 }));
  expect(all.slice(0, shown.length)).toEqual(shown);
  expect(all.length).toBeGreaterThan(shown.length);
  expect(ask(store, text, { policy: 'surface', floor: 0 }).hits).toEqual(ask(store, text, { policy: 'surface' }).hits);
});
