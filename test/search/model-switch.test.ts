import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Engram, openEngram } from '../../src/engram.ts';
import type { QueryAnswer } from '../../src/search/answer.ts';
import type { EmbeddingSettings } from '../../src/search/embedder-source.ts';
import { allRows, oneRow } from '../../src/store/statement.ts';
import { project } from '../support/ask.ts';
import {
  type Answerer,
  answerWell,
  embeddingServer,
  sendJson,
  sendVectors,
  vectorOf,
} from '../support/embedding-server.ts';
import { startEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const QUESTION = 'rotating the keys';

function place(count: number, situation = (at: number) => `When doing thing ${at}`) {
  const home = temporaryDirectory();
  const root = join(home, '.local/share/engram');
  const memories = join(root, 'memory/feedback');
  mkdirSync(memories, { recursive: true, mode: 0o700 });
  for (let at = 0; at < count; at++) {
    const text = feedbackText({ situation: JSON.stringify(situation(at)), action: JSON.stringify(`Do ${at}`) });
    writeFileSync(join(memories, `m${at}.toml`), text, { mode: 0o600 });
  }
  return { home, root };
}

const variables = (url: string, model: string) => ({
  ENGRAM_EMBED_PROVIDER: 'openai',
  ENGRAM_EMBED_URL: url,
  ENGRAM_EMBED_MODEL: model,
});

const settings = (url: string, model: string): EmbeddingSettings => ({
  provider: 'openai',
  environment: {},
  url,
  model,
  apiKeyEnv: null,
  allowRemote: false,
  allowHttp: false,
  queryPrefix: '',
  documentPrefix: '',
  dims: null,
  timeoutMs: 5000,
});

const ask = async (engram: Engram, text = QUESTION): Promise<QueryAnswer> => {
  const { stale, missing } = await engram.refresh();
  return engram.query({ text, project: project(null), stale, without: missing });
};

/** To the other model, a decoy is what this one takes for the question. */
const twoModels: Answerer = ({ body }, response) =>
  sendVectors(
    response,
    body.input.map((text) => {
      if (body.model === 'this') return vectorOf(text, 8);
      return text.includes('decoy') ? vectorOf(QUESTION, 8) : vectorOf(text.split('').reverse().join(''), 8);
    }),
  );

test('Q18, SE-21, SE-26: while other processes switch the model, no answer mixes spaces, and none is empty', async () => {
  await using server = await embeddingServer(twoModels);
  const { home, root } = place(40, (at) =>
    at === 0 ? 'When rotating the keys' : `When a decoy number ${at} comes by`,
  );
  using engram = await openEngram({ root, origin: 'test', embedding: settings(server.url, 'this') });
  await engram.sync();
  await engram.embed();
  expect(await ask(engram)).toMatchObject({ modes: ['words', 'meaning'], degraded: [] });
  const { db } = engram.context.store;
  const seen = new Set<string>();
  let questions = 0;
  for (const model of ['other', 'this', 'other', 'this']) {
    let isOver = false;
    const switching = startEngram(home, ['embed', 'apply'], { env: variables(server.url, model) });
    const end = switching.end.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      // Its vector is not known from before.
      const answer = await ask(engram, `${QUESTION} ${'again '.repeat(questions++ % 50)}`);
      seen.add(answer.degraded.join());
      expect(answer.hits[0]?.name).toBe('feedback/m0');
      expect(answer.hits.filter(({ arms }) => (arms.meaning ?? 0) > 0.9).map(({ name }) => name)).not.toContain(
        'feedback/m1',
      );
      const spaces = allRows<{ space: string }>(db, 'SELECT DISTINCT space FROM embeddings');
      expect(spaces.length).toBeLessThan(2);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await end).toMatchObject({ status: 0, stderr: '' });
    const active = oneRow<{ space: string; model: string }>(db, 'SELECT space, model FROM vector_spaces');
    expect(active?.model).toBe(model);
    const spaces = 'SELECT space FROM embeddings UNION SELECT space FROM query_vectors';
    for (const { space } of allRows<{ space: string }>(db, spaces)) expect(space).toBe(active?.space);
  }
  expect([...seen]).toContain('model_changed');
  expect(await ask(engram)).toMatchObject({ modes: ['words', 'meaning'], degraded: [] });
}, 60_000);

test('SE-26: memories that have their vector are found by it while the others wait', async () => {
  await using server = await embeddingServer((request, response, count) => {
    if (request.body.input.some((text) => text.includes('thing 3'))) return sendJson(response, 400, { error: 'no' });
    answerWell(request, response, count);
  });
  const { root } = place(6);
  using engram = await openEngram({ root, origin: 'test', embedding: settings(server.url, 'this') });
  await engram.sync();
  expect(await engram.embed()).toEqual({ embedded: 5, unreadable: 0, failed: 1 });
  const answer = await ask(engram, 'thing doing');
  expect(answer).toMatchObject({
    modes: ['words', 'meaning'],
    degraded: ['vectors_partial'],
    vectors: { present: 5, of: 6 },
  });
  const arms = Object.fromEntries(answer.hits.map((hit) => [hit.name, Object.keys(hit.arms)]));
  expect(arms['feedback/m1']).toEqual(['words', 'meaning']);
  expect(arms['feedback/m3']).toEqual(['words']);
});

test('SE-24, SE-49: a vector that failed is named with its error and its next try', async () => {
  await using server = await embeddingServer(({ body }, response) =>
    sendVectors(
      response,
      body.input.map((text) => (text.includes('thing 1') ? new Array(8).fill(0) : vectorOf(text, 8))),
    ),
  );
  const { home } = place(2);
  const env = variables(server.url, 'this');
  const run = (...args: readonly string[]) => startEngram(home, args, { env }).end;
  const before = Date.now();
  expect(await run('db', 'sync')).toMatchObject({ status: 0 });
  const status = JSON.parse((await run('embed', 'status', '--json')).stdout);
  expect(status).toMatchObject({ ready: 1, failed: 1, missing: 0 });
  expect(status.failures).toEqual([
    { name: 'feedback/m1', error: 'the model gave a vector without length', tries: 1, retry_at: expect.any(String) },
  ]);
  const waitMs = Date.parse(status.failures[0].retry_at) - before;
  expect(waitMs).toBeGreaterThan(59_000);
  expect(waitMs).toBeLessThan(180_000);
  expect((await run('embed', 'status')).stdout).toMatch(
    /^failed {2}feedback\/m1: the model gave a vector without length \(tried once, again after 2/m,
  );
  expect((await run('db', 'status')).stdout).toMatch(
    /^degraded {2}vectors_partial: 1 of 2 memories have their vector; engram embed apply adds/m,
  );
  expect((await run('query', 'thing 1')).stdout).toContain('feedback/m1');
}, 30_000);

test('SE-49: a server that is gone leaves words, and every command says how to go on', async () => {
  const server = await embeddingServer();
  const { home } = place(3);
  const env = variables(server.url, 'this');
  const run = (...args: readonly string[]) => startEngram(home, args, { env }).end;
  expect(await run('db', 'sync')).toMatchObject({ status: 0, stderr: '' });
  await server[Symbol.asyncDispose]();
  const query = JSON.parse((await run('query', 'doing thing 1', '--json')).stdout);
  expect(query).toMatchObject({ modes: ['words'], degraded: ['no_model'] });
  expect(query.hits[0].name).toBe('feedback/m1');
  expect((await run('db', 'status')).stdout).toMatch(/^degraded {2}no_model: .*connection refused. Start the server/m);
  const fields = ['--situation', 'When waiting', '--behavior', 'a', '--impact', 'b', '--action', 'c'];
  const learned = await run('learn', 'feedback', ...fields, '--everywhere');
  expect(learned).toMatchObject({ status: 0, stderr: expect.stringContaining('no_model: ') });
  expect(await run('embed', 'apply')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('connection refused'),
  });
}, 30_000);

test('a server that stalls holds up neither a question nor learn', async () => {
  let stalls = false;
  await using server = await embeddingServer((request, response, count) => {
    if (!stalls) answerWell(request, response, count);
  });
  const { home } = place(3);
  const env = { ...variables(server.url, 'this'), ENGRAM_EMBED_TIMEOUT_MS: '200' };
  const run = (...args: readonly string[]) => startEngram(home, args, { env }).end;
  await run('db', 'sync');
  stalls = true;
  expect(JSON.parse((await run('query', 'doing thing 1', '--json')).stdout)).toMatchObject({ degraded: ['no_model'] });
  const fields = ['--situation', 'When waiting', '--behavior', 'a', '--impact', 'b', '--action', 'c'];
  expect(await run('learn', 'feedback', ...fields, '--everywhere')).toMatchObject({ status: 0 });
  stalls = false;
  expect(JSON.parse((await run('embed', 'apply', '--json')).stdout)).toEqual({ embedded: 1, unreadable: 0, failed: 0 });
}, 30_000);

/** What a request of embed apply is about: one word, unrelated texts, or the memories of this test. */
const stageOf = (texts: readonly string[]) =>
  texts.length === 1 ? 'probe' : texts.some((text) => text.includes('doing thing')) ? 'memories' : 'background';

test.each([
  ['while the server is asked what it is', 'probe', 1],
  ['while the background is measured', 'background', 1],
  // The first four are one batch, which is written.
  ['while memories are embedded', 'memories', 6],
])(
  'embed apply, interrupted %s, ends at once and goes on from there',
  async (_, stage, nth) => {
    let left = Number.POSITIVE_INFINITY;
    let reached: () => void = () => {};
    await using server = await embeddingServer((request, response, count) => {
      if (left > 0 && stageOf(request.body.input) === stage) left--;
      if (left > 0) return answerWell(request, response, count);
      reached();
    });
    const { home } = place(150);
    const start = (model: string, ...args: readonly string[]) =>
      startEngram(home, ['embed', ...args, '--json'], { env: variables(server.url, model) });
    const json = async (model: string, ...args: readonly string[]) =>
      JSON.parse((await start(model, ...args).end).stdout);
    expect(await json('old', 'apply')).toMatchObject({ embedded: 150 });

    left = nth;
    const stalled = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const first = start('new', 'apply');
    await stalled;
    first.process.kill('SIGINT');
    await first.end;
    expect(first.process.signalCode).toBe('SIGINT');

    left = Number.POSITIVE_INFINITY;
    const isSwitched = stage === 'memories';
    const between = await json(isSwitched ? 'new' : 'old', 'status');
    expect(between.is_active).toBe(true);
    const ready = isSwitched ? 64 : 150;
    expect(between.ready).toBe(ready);
    expect(await json('new', 'apply')).toEqual({ embedded: isSwitched ? 150 - ready : 150, unreadable: 0, failed: 0 });
    expect(await json('new', 'status')).toMatchObject({ ready: 150, missing: 0, failed: 0 });
  },
  60_000,
);
