import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { ask, hitOf, project, slugs } from '../support/ask.ts';
import { fact, feedback, storeWith } from '../support/memory-rows.ts';
import { ORDINARY_SITUATIONS } from '../support/ordinary-situations.ts';

const ordinary = (count = 50): Record<string, MemoryRecord> =>
  Object.fromEntries(ORDINARY_SITUATIONS.slice(0, count).map((situation, i) => [`ordinary-${i}`, feedback(situation)]));

const AWKWARD = [
  'pre-edit',
  'prod:eu-west-1',
  '10:30',
  'src/auth/x.ts',
  'C++',
  'C#',
  'node.js',
  '--no-verify',
  "don't push",
  "what's wrong?",
];
const OPERATORS = ['build?', '(build', '"open', 'AND', 'go OR', 'NEAR(', '*', 'situation:build', '{situation}: build'];

test.each([...AWKWARD, ...OPERATORS])(
  'Q01: %s is text, never syntax, and finds the memory that holds it',
  async (text) => {
    using store = await storeWith({ ...ordinary(30), wanted: feedback(`When somebody says ${text} in a review`) });
    const answer = ask(store, text);
    if (answer.abstained === 'no_terms') expect(text).toMatch(/^(AND|\*)$/);
    else expect(slugs(answer)[0]).toBe('wanted');
  },
);

test('Q01: no column filter takes effect', async () => {
  using store = await storeWith({
    here: feedback('When packing'),
    there: feedback('When idle', { action: 'build it' }),
  });
  for (const text of ['situation:build', '{situation}: build', 'content:packing']) {
    expect([text, ask(store, text, { explain: true }).explain?.candidates.words]).toEqual([text, 1]);
  }
});

test('Q01: any Unicode at all is answered', { timeout: 120_000 }, async () => {
  using store = await storeWith(ordinary(20));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (text) => {
      expect(Array.isArray(ask(store, text).hits)).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ['NUL', 'rolling\0back \0'],
  ['1 MB of words', 'failed release '.repeat(70_000)],
  ['1 MB without a space', 'x_'.repeat(500_000)],
  ['1 MB of quotes', '"'.repeat(1_000_000)],
])('Q01, SE-2: %s is answered', async (_, text) => {
  using store = await storeWith(ordinary(40));
  const answer = ask(store, text);
  expect(answer.query.truncated).toBe(text.length > 32 * 1024);
  if (text.startsWith('failed')) expect(slugs(answer)[0]).toBe('ordinary-32');
});

const VERBATIM = [
  'memory_id',
  'multi-agent',
  'v1.2.3',
  'GB/s',
  '@scope/pkg',
  '--no-verify',
  'C++',
  '.env',
  'a/b/c.ts:42',
];

test('Q02: identifiers asked verbatim find their memory first among 50 others', async () => {
  const holders = Object.fromEntries(
    VERBATIM.map((id, i) => [`holder-${i}`, feedback(`When the value ${id} appears in a diff`)]),
  );
  const near = {
    c: feedback('When writing C code'),
    env: feedback('When the env variable is unset'),
    v1: feedback('When v1.2.4 is out'),
  };
  using store = await storeWith({ ...ordinary(), ...holders, ...near });
  for (const [i, id] of VERBATIM.entries()) expect([id, slugs(ask(store, id))[0]]).toEqual([id, `holder-${i}`]);
});

test.each([
  ['', 'no_terms'],
  ['   ', 'no_terms'],
  ['???', 'no_terms'],
  ['\u{1f680}', 'no_terms'],
  ['\u2764\ufe0f', 'no_terms'],
])('Q03: %j has no terms', async (text, reason) => {
  using store = await storeWith({ deploy: feedback('When you deploy') });
  const answer = ask(store, text);
  expect(answer.abstained).toBe(reason);
  expect(answer.hits).toEqual([]);
});

test('Q03: an emoji beside a word does not hide it', async () => {
  using store = await storeWith({ deploy: feedback('When you deploy') });
  expect(slugs(ask(store, '\u{1f680} deploy'))).toEqual(['deploy']);
});

test('Q04: a question finds the memory that says it in other words of the same stems', async () => {
  using store = await storeWith({
    ...ordinary(),
    wanted: feedback('When pushing', { action: 'run make check before pushing a build' }),
  });
  expect(slugs(ask(store, 'how should I run the build before pushing?'))[0]).toBe('wanted');
});

test('Q05: words that say nothing find nothing', async () => {
  using store = await storeWith(ordinary(20));
  expect(ask(store, 'when I am in the project').hits).toEqual([]);
});

test('Q05, SE-18: a query of stop words only is a phrase', async () => {
  using store = await storeWith({ ...ordinary(20), hamlet: feedback('When quoting to be or not to be in a comment') });
  const answer = ask(store, 'to be or not to be');
  expect(slugs(answer)).toEqual(['hamlet']);
  expect(answer.hits[0]?.arms.words).toBe(0.6);
});

test('Q05: one word finds the one memory that holds it', async () => {
  using store = await storeWith({
    ...ordinary(20),
    build: feedback('When the build is slow on the runner of the night'),
  });
  expect(slugs(ask(store, 'build'))).toEqual(['build']);
});

const SCRIPTS: Record<string, { memory: string; queries: string[]; single: string; others: string }> = {
  Chinese: {
    memory: '部署微信支付接口之前',
    queries: ['微信', '微信支', '微信支付接口'],
    single: '微',
    others: '更新数据库时检查索引和缓存配置文件日志',
  },
  Japanese: {
    memory: 'サーバをデプロイするまえに',
    queries: ['デプ', 'デプロ', 'デプロイする'],
    single: 'プ',
    others: 'テストをかくときはログとキャッシュをみる',
  },
  Korean: {
    memory: '서비스를 배포하기 전에',
    queries: ['배포', '배포하', '배포하기'],
    single: '배',
    others: '데이터 모델을 바꿀 때 색인과 기록을 확인',
  },
  Thai: { memory: 'ก่อนปล่อยรุ่นใหม่', queries: ['ปล่', 'ปล่อย', 'ปล่อยรุ่น'], single: 'ป', others: 'เมื่อแก้ไขตารางให้ตรวจดัชนี' },
};

test.each(Object.entries(SCRIPTS))(
  'Q06, SE-5: %s is found from two characters on',
  async (_, { memory, queries, single, others }) => {
    const characters = [...others.replaceAll(' ', '')];
    const turned = (i: number) =>
      [...characters.slice(i % characters.length), ...characters.slice(0, i % characters.length)].join('');
    const around = Object.fromEntries(Array.from({ length: 30 }, (__, i) => [`other-${i}`, feedback(turned(i))]));
    using store = await storeWith({ ...around, wanted: feedback(memory) });
    for (const query of queries) expect([query, slugs(ask(store, query))[0]]).toEqual([query, 'wanted']);
    for (const hit of ask(store, single).hits) expect(hit.relevance).toBeLessThanOrEqual(0.4);
  },
);

test('Q06: a run mixed with Latin finds both parts', async () => {
  using store = await storeWith({ ...ordinary(30), wanted: feedback('调用微信api之前') });
  expect(slugs(ask(store, '微信api'))[0]).toBe('wanted');
});

const FOLDED = [
  ['Okland', 'Økland'],
  ['Lodz', 'Łódź'],
  ['strasse', 'Straße'],
  ['isik', 'Işık'],
  ['Dang', 'Đặng'],
  ['aether', 'æther'],
  ['naive', 'naïve'],
] as const;

test.each(FOLDED)('Q07, SE-4: %s and %s find each other, the exact spelling ranks above', async (plain, marked) => {
  const situation = (word: string) => feedback(`When ${word} shows up in the imported list`);
  for (const form of ['NFC', 'NFD'] as const) {
    using one = await storeWith({ ...ordinary(20), marked: situation(marked.normalize(form)) });
    expect(slugs(ask(one, plain))).toEqual(['marked']);
    using other = await storeWith({ ...ordinary(20), plain: situation(plain) });
    expect(slugs(ask(other, marked.normalize(form)))).toEqual(['plain']);
    using both = await storeWith({ ...ordinary(20), marked: situation(marked), plain: situation(plain) });
    expect(slugs(ask(both, plain))).toEqual(['plain', 'marked']);
    expect(slugs(ask(both, marked.normalize(form)))).toEqual(['marked', 'plain']);
  }
});

const NAMES = ['getUserName', 'get_user_name', 'user name'];

test.each(NAMES.flatMap((asked) => NAMES.map((stored) => [asked, stored])))(
  'Q08: %s finds %s',
  async (asked, stored) => {
    using store = await storeWith({ ...ordinary(), wanted: feedback(`When calling ${stored} in a loop`) });
    expect(slugs(ask(store, asked))[0]).toBe('wanted');
  },
);

test.each(['auth/useAuthToken.ts', 'useAuthToken.ts', '/home/dana/src/web/auth/useAuthToken.ts', 'auth token'])(
  'Q08: %s finds the path',
  async (asked) => {
    using store = await storeWith({ ...ordinary(), wanted: feedback('When changing auth/useAuthToken.ts') });
    expect(slugs(ask(store, asked))[0]).toBe('wanted');
  },
);

test('Q09, SE-19: misspelled words are found and the replacement is named', async () => {
  using store = await storeWith({
    ...ordinary(),
    build: feedback('When running the build on Windows'),
    cluster: feedback('When the kubernetes cluster is upgraded'),
  });
  const typed = ask(store, 'runing biuld');
  expect(slugs(typed)[0]).toBe('build');
  expect(typed.query.rescued).toEqual({ runing: ['running'], biuld: ['build'] });
  const cluster = ask(store, 'kuberntes');
  expect(slugs(cluster)).toEqual(['cluster']);
  expect(cluster.query.rescued).toEqual({ kuberntes: ['kubernetes'] });
});

test('Q09: a short or known word is not replaced', async () => {
  using store = await storeWith({ ...ordinary(20), rest: feedback('When the rest is done') });
  expect(ask(store, 'test').query.rescued).toEqual({});
  expect(hitOf(ask(store, 'test'), 'rest')).toBeUndefined();
});

test('Q09: the same stem alone is no strong match', async () => {
  using store = await storeWith({ ...ordinary(20), campus: feedback('When the university opens') });
  expect(hitOf(ask(store, 'universal'), 'campus')?.relevance ?? 0).toBeLessThan(0.55);
});

test('Q11: more of the query is strictly more relevant, and none is certain', async () => {
  const words = ['rotate', 'webhook', 'secret', 'staging', 'cluster'];
  const graded = words.map((_, i) => [`m${i + 1}`, feedback(`When you ${words.slice(0, i + 1).join(' ')} now`)]);
  using store = await storeWith(Object.fromEntries(graded));
  const answer = ask(store, words.join(' '));
  expect(slugs(answer)).toEqual(['m5', 'm4', 'm3', 'm2', 'm1'].slice(0, answer.hits.length));
  const relevances = answer.hits.map((hit) => hit.relevance);
  expect(answer.hits.length).toBeGreaterThanOrEqual(4);
  expect(new Set(relevances).size).toBe(relevances.length);
  expect(Math.max(...relevances)).toBeLessThan(1);
});

test('Q12, SE-45: with 0 memories the answer says that nothing is stored', async () => {
  using store = await storeWith();
  expect(ask(store, 'deploying').abstained).toBe('nothing_stored');
});

test('Q12, SE-45: stores of 1, 2 and 10 memories give the same relevance, and nothing for what is unrelated', async () => {
  const found: number[] = [];
  for (const others of [0, 1, 9]) {
    using store = await storeWith({
      ...ordinary(others),
      wanted: feedback('When regenerating the API client after a schema change'),
    });
    const exact = ask(store, 'When regenerating the API client after a schema change');
    const near = ask(store, 'about to regenerate the client of the API');
    expect(slugs(exact)[0]).toBe('wanted');
    expect(hitOf(exact, 'wanted')?.relevance).toBe(1);
    found.push(hitOf(near, 'wanted')?.relevance ?? 0);
    expect(ask(store, 'buy milk and oranges on Saturday').hits).toEqual([]);
  }
  expect(Math.max(...found) - Math.min(...found)).toBeLessThanOrEqual(0.1);
  expect(Math.min(...found)).toBeGreaterThan(0.5);
});

test('Q13, SE-41: a unique identifier is first, above the floor of query, and passes surface', async () => {
  using store = await storeWith({ ...ordinary(), wanted: feedback('When settlement_ref is written by two workers') });
  const answer = ask(store, 'settlement_ref');
  expect(slugs(answer)).toEqual(['wanted']);
  expect(answer.hits[0]?.relevance).toBeGreaterThanOrEqual(0.6);
  expect(slugs(ask(store, 'settlement_ref', { policy: 'surface' }))).toEqual(['wanted']);
  expect(slugs(ask(store, 'about to change settlement_ref', { policy: 'surface' }))).toEqual(['wanted']);
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
  const answer = ask(store, near, { limit: 3, project: project('mine') });
  expect(slugs(answer)).toEqual(['own-0', 'own-1', 'own-2']);
});

test('Q19, SE-40: age never beats relevance; of equals the newer is first', async () => {
  using store = await storeWith({
    old: feedback('When rotating the webhook secret', { created_at: '2023-01-01T00:00:00Z' }),
    weak: feedback('When the webhook is mentioned somewhere in passing', { created_at: '2026-04-02T00:00:00Z' }),
  });
  expect(slugs(ask(store, 'rotating the webhook secret'))[0]).toBe('old');
  using equals = await storeWith({
    a: feedback('When rotating the webhook secret', { created_at: '2026-01-01T00:00:00Z' }),
    b: feedback('When rotating the webhook secret', { created_at: '2026-01-01T00:00:00.5Z' }),
    c: feedback('When rotating the webhook secret', { created_at: null }),
  });
  expect(slugs(ask(equals, 'rotating the webhook secret'))).toEqual(['b', 'a', 'c']);
});

test('Q01, SE-11: facts are found by subject, object and predicate', async () => {
  using store = await storeWith({
    ...ordinary(20),
    port: fact('When starting the API', ['shop-api', 'listens-on', '8080']),
  });
  for (const text of ['shop-api', '8080', 'listens-on']) expect(slugs(ask(store, text))).toEqual(['port']);
});
