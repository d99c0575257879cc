import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { hitOf, slugs, WAYS_OF_ASKING } from '../support/ask.ts';
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

describe.each(WAYS_OF_ASKING)('$arms', ({ arms, ask }) => {
  test.each([...AWKWARD, ...OPERATORS])(
    'Q01: %s is text, never syntax, and finds the memory that holds it',
    async (text) => {
      using store = await storeWith({ ...ordinary(30), wanted: feedback(`When somebody says ${text} in a review`) });
      const answer = await ask(store, text);
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
      expect([text, (await ask(store, text, { explain: true })).explain?.candidates.words]).toEqual([text, 1]);
    }
  });

  test('Q01: any Unicode at all is answered', { timeout: 120_000 }, async () => {
    using store = await storeWith(ordinary(20));
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    const answered = fc.asyncProperty(texts, async (text) => {
      expect(Array.isArray((await ask(store, text)).hits)).toBe(true);
    });
    // A text costs the model some milliseconds, and words almost nothing.
    await fc.assert(answered, { numRuns: arms === 'words alone' ? 10_000 : 500 });
  });

  test.each([
    ['NUL', 'rolling\0back \0'],
    ['1 MB of words', 'failed release '.repeat(70_000)],
    ['1 MB without a space', 'x_'.repeat(500_000)],
    ['1 MB of quotes', '"'.repeat(1_000_000)],
  ])('Q01, SE-2: %s is answered', async (_, text) => {
    using store = await storeWith(ordinary(40));
    const answer = await ask(store, text);
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
    for (const [i, id] of VERBATIM.entries()) expect([id, slugs(await ask(store, id))[0]]).toEqual([id, `holder-${i}`]);
  });

  test.each([
    ['', 'no_terms'],
    ['   ', 'no_terms'],
    ['???', 'no_terms'],
    ['\u{1f680}', 'no_terms'],
    ['\u2764\ufe0f', 'no_terms'],
  ])('Q03: %j has no terms', async (text, reason) => {
    using store = await storeWith({ deploy: feedback('When you deploy') });
    const answer = await ask(store, text);
    expect(answer.abstained).toBe(reason);
    expect(answer.hits).toEqual([]);
  });

  test('Q03: an emoji beside a word does not hide it', async () => {
    using store = await storeWith({ deploy: feedback('When you deploy') });
    expect(slugs(await ask(store, '\u{1f680} deploy'))).toEqual(['deploy']);
  });

  test('Q04: a question finds the memory that says it in other words of the same stems', async () => {
    using store = await storeWith({
      ...ordinary(),
      wanted: feedback('When pushing', { action: 'run make check before pushing a build' }),
    });
    expect(slugs(await ask(store, 'how should I run the build before pushing?'))[0]).toBe('wanted');
  });

  test('Q05: words that say nothing find nothing', async () => {
    using store = await storeWith(ordinary(20));
    expect((await ask(store, 'when I am in the project')).hits).toEqual([]);
  });

  test('Q05, SE-18: a query of stop words only is a phrase', async () => {
    using store = await storeWith({
      ...ordinary(20),
      hamlet: feedback('When quoting to be or not to be in a comment'),
    });
    const answer = await ask(store, 'to be or not to be');
    expect(slugs(answer)).toEqual(['hamlet']);
    expect(answer.hits[0]?.arms.words).toBe(0.6);
  });

  test('Q05: one word finds the one memory that holds it', async () => {
    using store = await storeWith({
      ...ordinary(20),
      build: feedback('When the build is slow on the runner of the night'),
    });
    expect(slugs(await ask(store, 'build'))).toEqual(['build']);
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
      for (const query of queries) expect([query, slugs(await ask(store, query))[0]]).toEqual([query, 'wanted']);
      for (const hit of (await ask(store, single)).hits) expect(hit.relevance).toBeLessThanOrEqual(0.4);
    },
  );

  test('Q06: a run mixed with Latin finds both parts', async () => {
    using store = await storeWith({ ...ordinary(30), wanted: feedback('调用微信api之前') });
    expect(slugs(await ask(store, '微信api'))[0]).toBe('wanted');
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
      expect(slugs(await ask(one, plain))).toEqual(['marked']);
      using other = await storeWith({ ...ordinary(20), plain: situation(plain) });
      expect(slugs(await ask(other, marked.normalize(form)))).toEqual(['plain']);
      using both = await storeWith({ ...ordinary(20), marked: situation(marked), plain: situation(plain) });
      expect(slugs(await ask(both, plain))).toEqual(['plain', 'marked']);
      expect(slugs(await ask(both, marked.normalize(form)))).toEqual(['marked', 'plain']);
    }
  });

  const NAMES = ['getUserName', 'get_user_name', 'user name'];

  test.each(NAMES.flatMap((asked) => NAMES.map((stored) => [asked, stored])))(
    'Q08: %s finds %s',
    async (asked, stored) => {
      using store = await storeWith({ ...ordinary(), wanted: feedback(`When calling ${stored} in a loop`) });
      expect(slugs(await ask(store, asked))[0]).toBe('wanted');
    },
  );

  test.each(['auth/useAuthToken.ts', 'useAuthToken.ts', '/home/dana/src/web/auth/useAuthToken.ts', 'auth token'])(
    'Q08: %s finds the path',
    async (asked) => {
      using store = await storeWith({ ...ordinary(), wanted: feedback('When changing auth/useAuthToken.ts') });
      expect(slugs(await ask(store, asked))[0]).toBe('wanted');
    },
  );

  test('Q09, SE-19: misspelled words are found and the replacement is named', async () => {
    using store = await storeWith({
      ...ordinary(),
      build: feedback('When running the build on Windows'),
      cluster: feedback('When the kubernetes cluster is upgraded'),
    });
    const typed = await ask(store, 'runing biuld');
    expect(slugs(typed)[0]).toBe('build');
    expect(typed.query.rescued).toEqual({ runing: ['running'], biuld: ['build'] });
    const cluster = await ask(store, 'kuberntes');
    expect(slugs(cluster)).toEqual(['cluster']);
    expect(cluster.query.rescued).toEqual({ kuberntes: ['kubernetes'] });
  });

  test('Q09: a short or known word is not replaced', async () => {
    using store = await storeWith({ ...ordinary(20), rest: feedback('When the rest is done') });
    expect((await ask(store, 'test')).query.rescued).toEqual({});
    expect(hitOf(await ask(store, 'test'), 'rest')).toBeUndefined();
  });

  test('Q09: the same stem alone is no strong match', async () => {
    using store = await storeWith({ ...ordinary(20), campus: feedback('When the university opens') });
    expect(hitOf(await ask(store, 'universal'), 'campus')?.relevance ?? 0).toBeLessThan(0.55);
  });

  test('Q01, SE-11: facts are found by subject, object and predicate', async () => {
    using store = await storeWith({
      ...ordinary(20),
      port: fact('When starting the API', ['shop-api', 'listens-on', '8080']),
    });
    for (const text of ['shop-api', '8080', 'listens-on']) expect(slugs(await ask(store, text))).toEqual(['port']);
  });
});
