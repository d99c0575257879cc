import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type OpenAiOptions, type OpenAiSettings, openOpenAi } from '../../../src/search/embed/openai.ts';
import {
  type Answerer,
  answerWell,
  type EmbeddingServer,
  embeddingServer,
  sendJson,
  sendVectors,
  vectorOf,
} from '../../support/embedding-server.ts';

const SETTINGS: Omit<OpenAiSettings, 'url'> = {
  model: 'test-model',
  apiKeyEnv: null,
  allowRemote: false,
  allowHttp: false,
  queryPrefix: '',
  documentPrefix: '',
  dims: null,
  timeoutMs: 5000,
};

interface Given {
  readonly settings?: Partial<OpenAiSettings>;
  readonly options?: Partial<OpenAiOptions>;
}

/** An embedder whose number of values is known, so that the server is asked nothing yet. */
const open = ({ url }: Pick<EmbeddingServer, 'url'>, { settings = {}, options = {} }: Given = {}) =>
  openOpenAi({ ...SETTINGS, url, ...settings }, { environment: {}, knownDims: 8, pauseMs: 1, ...options });

const vectors = async (embeddings: Promise<readonly { readonly vector: Float32Array }[]>) =>
  (await embeddings).map(({ vector }) => [...vector]);

const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 5));

describe('SE-20: a server that does as it should', () => {
  test('gets model and texts in one request, and gives unit vectors without token vectors (SE-73)', async () => {
    await using server = await embeddingServer();
    const embedder = await open(server);
    const [one, two] = await embedder.embed(['run the build', 'rotate keys'], 'document');
    expect(server.requests).toEqual([
      {
        path: '/v1/embeddings',
        authorization: undefined,
        body: { model: 'test-model', input: ['run the build', 'rotate keys'], encoding_format: 'float' },
      },
    ]);
    expect([...(one?.vector ?? [])]).toEqual(near(vectorOf('run the build', 8)));
    expect(two).toMatchObject({ tokens: null, isUnderstood: true });
    expect(two).not.toHaveProperty('fault');
  });

  test('is asked for its number of values when nobody knows it, and never when somebody does', async () => {
    await using server = await embeddingServer(({ body }, response) =>
      sendVectors(
        response,
        body.input.map(() => new Array(17).fill(1)),
      ),
    );
    const embedder = await open(server, { options: { knownDims: null } });
    expect(embedder.identity).toEqual({
      provider: 'openai',
      model: 'test-model',
      revision: `${server.url}/v1/embeddings`,
      dims: 17,
      recipe: expect.any(String),
    });
    expect(server.requests).toHaveLength(1);
    await open(server);
    expect(server.requests).toHaveLength(1);
  });

  test('is asked for shorter vectors when the configuration says so', async () => {
    await using server = await embeddingServer();
    const embedder = await open(server, { settings: { dims: 5 } });
    expect(await vectors(embedder.embed(['a'], 'query'))).toEqual([near(vectorOf('a', 5))]);
    expect(server.requests[0]?.body.dimensions).toBe(5);
  });

  test('SE-21: prefixes go before the texts and into the recipe, so that other prefixes are another space', async () => {
    await using server = await embeddingServer();
    const settings = { queryPrefix: 'search_query: ', documentPrefix: 'search_document: ' };
    const embedder = await open(server, { settings });
    await embedder.embed(['a'], 'query');
    await embedder.embed(['b'], 'document');
    expect(server.texts).toEqual(['search_query: a', 'search_document: b']);
    const recipes = [
      settings,
      { ...settings, queryPrefix: '' },
      { ...settings, documentPrefix: '' },
      { ...settings, dims: 8 },
    ].map(async (changed) => (await open(server, { settings: changed })).identity.recipe);
    expect(new Set(await Promise.all(recipes)).size).toBe(4);
  });

  test('gets many texts in requests of at most 32, two of them at a time, and the order stays', async () => {
    const texts = Array.from({ length: 150 }, (_, at) => `text ${'abcdefghij'[at % 10]} ${at}`);
    let most = 0;
    const held: (() => void)[] = [];
    await using server = await embeddingServer((request, response, count) => {
      most = Math.max(
        most,
        held.push(() => answerWell(request, response, count)),
      );
      // One after the other would wait for ever.
      if (held.length === 2 || count === 5) for (const each of held.splice(0)) each();
    });
    expect(await vectors((await open(server)).embed(texts, 'document'))).toEqual(
      texts.map((text) => near(vectorOf(text, 8))),
    );
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([32, 32, 32, 32, 22]);
    expect(most).toBe(2);
  });

  test('gets long texts in smaller requests, and no text of more than 32,768 characters', async () => {
    await using server = await embeddingServer();
    await (await open(server)).embed(
      Array.from({ length: 4 }, () => `${'x'.repeat(32_767)}\u{1f680}`),
      'document',
    );
    expect(server.requests.map(({ body }) => body.input.map((text) => text.length))).toEqual([
      [32_767, 32_767, 32_767],
      [32_767],
    ]);
  });

  test('never gets a blank text, which has no vector (SE-29)', async () => {
    await using server = await embeddingServer();
    const [blank, word] = await (await open(server, { settings: { documentPrefix: 'p: ' } })).embed(
      [' \n', 'word'],
      'document',
    );
    expect(blank).toMatchObject({ isUnderstood: false });
    expect(word).toMatchObject({ isUnderstood: true });
    expect(server.texts).toEqual(['p: word']);
  });

  test.each([
    ['the server', '', '/v1/embeddings'],
    ['its /v1', '/v1/', '/v1/embeddings'],
    ['the whole address', '/v1/embeddings', '/v1/embeddings'],
    ['a path before it', '/openai', '/openai/v1/embeddings'],
    ['another version', '/api/v3', '/api/v3/embeddings'],
    ['what Azure wants behind it', '/openai/v1/?api-version=1', '/openai/v1/embeddings?api-version=1'],
  ])('is found by %s', async (_, path, asked) => {
    await using server = await embeddingServer();
    await (await open({ url: `${server.url}${path}` })).embed(['a'], 'query');
    expect(server.requests[0]?.path).toBe(asked);
  });

  test('is reached by the name localhost', async () => {
    await using server = await embeddingServer();
    const embedder = await open({ url: server.url.replace('127.0.0.1', 'localhost') });
    expect(await embedder.embed(['a'], 'query')).toHaveLength(1);
  });

  test('may send base64, and the vectors in any order or without numbers', async () => {
    const base64 = (text: string) => Buffer.from(Float32Array.from(vectorOf(text, 8)).buffer).toString('base64');
    const item = (text: string, index?: number) => ({
      embedding: base64(text),
      ...(index === undefined ? {} : { index }),
    });
    await using server = await embeddingServer((_, response, count) =>
      sendJson(response, 200, { data: count === 1 ? [item('b', 1), item('a', 0)] : [item('a'), item('b')] }),
    );
    const embedder = await open(server);
    const expected = [near(vectorOf('a', 8)), near(vectorOf('b', 8))];
    expect(await vectors(embedder.embed(['a', 'b'], 'document'))).toEqual(expected);
    expect(await vectors(embedder.embed(['a', 'b'], 'document'))).toEqual(expected);
  });
});

describe('SE-20: where texts and key may go', () => {
  const allowed = async (url: string, settings: Partial<OpenAiSettings> = {}) =>
    (await open({ url }, { settings })).identity.revision;

  test.each([
    'http://localhost:11434',
    'http://127.0.0.1',
    'http://127.8.9.1',
    'http://[::1]:80',
    'http://x.localhost',
  ])('%s is this machine', async (url) => {
    await expect(allowed(url)).resolves.toContain('/v1/embeddings');
  });

  test.each([
    'https://api.openai.com',
    'http://192.168.0.5:11434',
    'http://localhost.example.com',
    'http://127.0.0.1.nip.io',
    'http://0.0.0.0:11434',
    'http://[::2]',
  ])('%s is another one, and has to be allowed', async (url) => {
    await expect(allowed(url)).rejects.toMatchObject({
      code: 'config.invalid',
      hint: expect.stringContaining('--allow-remote'),
    });
  });

  test('another machine wants https, unless that is allowed too', async () => {
    await expect(allowed('https://api.openai.com', { allowRemote: true })).resolves.toContain('api.openai.com');
    await expect(allowed('http://gpu.lan', { allowRemote: true })).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('unencrypted'),
    });
    await expect(allowed('http://gpu.lan', { allowRemote: true, allowHttp: true })).resolves.toContain('gpu.lan');
  });

  test('the key comes from the variable that is named, and goes into the header alone', async () => {
    await using server = await embeddingServer();
    const given = { settings: { apiKeyEnv: 'THE_KEY' }, options: { environment: { THE_KEY: 'sk-secret' } } };
    const embedder = await open(server, given);
    await embedder.embed(['a'], 'query');
    expect(server.requests[0]?.authorization).toBe('Bearer sk-secret');
    expect(JSON.stringify([embedder.identity, server.requests[0]?.body])).not.toContain('sk-secret');
  });

  test.each([
    [undefined, 'is not set'],
    ['', 'is not set'],
    ['two\nlines', 'holds something that is no key'],
  ])('a key of %j is an error that names the variable', async (key, reason) => {
    const opening = open(
      { url: 'http://localhost' },
      { settings: { apiKeyEnv: 'THE_KEY' }, options: { environment: { THE_KEY: key } } },
    );
    await expect(opening).rejects.toMatchObject({
      code: 'model.refused',
      message: expect.stringContaining(`THE_KEY, named by embed.api_key_env, ${reason}`),
    });
  });

  test('a server that repeats the key in its message does not get it printed', async () => {
    await using server = await embeddingServer((_, response) =>
      sendJson(response, 401, { error: { message: 'bad key sk-secret\x1b[31m' } }),
    );
    const given = { settings: { apiKeyEnv: 'THE_KEY' }, options: { environment: { THE_KEY: 'sk-secret' } } };
    const error = await (await open(server, given)).embed(['a'], 'document').catch((each) => each);
    expect(error).toMatchObject({ code: 'model.refused', hint: expect.stringContaining('--api-key-env') });
    expect(error.message).toContain('answered 401: bad key ***');
    expect(JSON.stringify([error, error.message, error.hint, error.stack])).not.toMatch(/sk-secret|\x1b/);
  });

  test('a redirect is not followed', async () => {
    await using other = await embeddingServer();
    await using server = await embeddingServer((_, response) =>
      response.writeHead(307, { location: `${other.url}/v1/embeddings` }).end(),
    );
    const given = { settings: { apiKeyEnv: 'THE_KEY' }, options: { environment: { THE_KEY: 'sk-secret' } } };
    await expect((await open(server, given)).embed(['a'], 'document')).rejects.toMatchObject({
      code: 'model.refused',
      message: expect.stringContaining(other.url),
    });
    expect(other.requests).toEqual([]);
  });
});

describe('SE-24: vectors that are none', () => {
  test.each([
    ['NaN', [null, 1, 1, 1, 1, 1, 1, 1], 'no numbers'],
    ['infinite', [1e300, 1, 1, 1, 1, 1, 1, 1], 'no numbers'],
    ['zero', new Array(8).fill(0), 'without length'],
    ['short', [1, 2, 3], '3 values instead of 8'],
    ['long', new Array(9).fill(1), '9 values instead of 8'],
    ['empty', [], '0 values instead of 8'],
  ])('%s among the documents is a fault of its text alone, and among the queries an error', async (_, bad, fault) => {
    await using server = await embeddingServer(({ body }, response) =>
      sendVectors(
        response,
        body.input.map((text) => (text === 'bad' ? bad : vectorOf(text, 8))),
      ),
    );
    const embedder = await open(server);
    const [good, faulty] = await embedder.embed(['good', 'bad'], 'document');
    expect(good).not.toHaveProperty('fault');
    expect(faulty?.fault).toContain(fault);
    await expect(embedder.embed(['bad'], 'query')).rejects.toMatchObject({ code: 'model.answer' });
    expect(server.requests).toHaveLength(2);
  });

  test('a vector of another length is scaled to norm 1', async () => {
    await using server = await embeddingServer((_, response) => sendVectors(response, [[0, 0, 0, 0, 0, 0, 3, 4]]));
    expect(await vectors((await open(server)).embed(['a'], 'query'))).toEqual([near([0, 0, 0, 0, 0, 0, 0.6, 0.8])]);
  });

  const trips =
    (status: number): Answerer =>
    (request, response, count) => {
      if (request.body.input.some((text) => text.includes('poison')))
        return sendJson(response, status, { error: 'unsupported value: NaN' });
      answerWell(request, response, count);
    };

  test.each([500, 400, 422])(
    'one text that a server trips over with status %i does not take the others with it',
    async (status) => {
      await using server = await embeddingServer(trips(status));
      const texts = Array.from({ length: 40 }, (_, at) => (at === 17 ? 'poison' : `text ${at}`));
      const embeddings = await (await open(server)).embed(texts, 'document');
      expect(embeddings.flatMap(({ fault }, at) => (fault === undefined ? [] : [[at, fault]]))).toEqual([
        [17, expect.stringContaining(`answered ${status}: unsupported value: NaN`)],
      ]);
      await expect((await open(server)).embed(['poison'], 'query')).rejects.toMatchObject({ code: 'model.answer' });
    },
  );

  test('a server that takes one text at a time gets one at a time', async () => {
    await using server = await embeddingServer(({ body }, response) =>
      sendVectors(response, [vectorOf(body.input[0] ?? '', 8)]),
    );
    const expected = ['a', 'b', 'c'].map((text) => near(vectorOf(text, 8)));
    expect(await vectors((await open(server)).embed(['a', 'b', 'c'], 'document'))).toEqual(expected);
  });

  test('a text that is too long for the model is cut until it fits', async () => {
    await using server = await embeddingServer((request, response, count) => {
      if (request.body.input.some((text) => text.length > 2000)) return sendJson(response, 413, { error: 'too long' });
      answerWell(request, response, count);
    });
    const [short, long] = await (await open(server)).embed(['short', 'word '.repeat(1500)], 'document');
    expect(short).not.toHaveProperty('fault');
    expect(long).not.toHaveProperty('fault');
    expect(server.texts.at(-1)).toBe('word '.repeat(375));
  });
});

describe('SE-24: a server that stalls, fails and lies', () => {
  const raw =
    (text: string): Answerer =>
    (_, response) =>
      void response.writeHead(200).end(text);
  const data = (items: readonly unknown[]) => JSON.stringify({ data: items });
  const item = (index: unknown) => ({ index, embedding: vectorOf('a', 8) });

  test.each([
    ['no JSON', raw('<html>'), 'no JSON'],
    ['half of a JSON', raw('{"data":[{"index":0,"embedding":[1,'), 'no JSON'],
    ['nothing', raw(''), 'no JSON'],
    ['another JSON', raw('[1]'), 'no list "data"'],
    ['null', raw('null'), 'no list "data"'],
    ['too few vectors', raw(data([])), '0 vectors for 2 texts'],
    ['too many vectors', raw(data([item(0), item(1), item(2)])), '3 vectors for 2 texts'],
    ['a doubled index', raw(data([item(0), item(0)])), 'not numbered'],
    ['an index out of range', raw(data([item(1), item(2)])), 'not numbered'],
    ['an index that is no number', raw(data([item('0'), item('1')])), 'not numbered'],
    ['a missing index', raw(data([item(0), item(undefined)])), 'not numbered'],
    ['no vector', raw(data([{ index: 0 }, { index: 1 }])), 'neither a list nor base64'],
    [
      'broken base64',
      raw(
        data([
          { index: 0, embedding: 'AAA' },
          { index: 1, embedding: '!' },
        ]),
      ),
      'neither a list nor base64',
    ],
  ])('%s is an error, never a vector', async (_, answer, reason) => {
    await using server = await embeddingServer(answer);
    const embedder = await open(server);
    const refused = {
      code: 'model.answer',
      message: expect.stringContaining(reason),
      hint: expect.stringContaining('engram embed use'),
    };
    await expect(embedder.embed(['a', 'b'], 'document')).rejects.toMatchObject(refused);
    await expect(embedder.embed(['a', 'b'], 'query')).rejects.toMatchObject({ code: 'model.answer' });
  });

  const stalls: Answerer = () => {};
  const drips: Answerer = (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  };
  const headersOnly: Answerer = (_, response) => void response.writeHead(200).flushHeaders();

  test.each([
    ['stalls', stalls],
    ['answers byte by byte', drips],
    ['stops after the headers', headersOnly],
  ])('a question does not wait longer than its time for a server that %s', async (_, answer) => {
    await using server = await embeddingServer(answer);
    const embedder = await open(server, { settings: { timeoutMs: 100 } });
    const late = {
      code: 'model.unreachable',
      retryable: true,
      message: expect.stringContaining('no answer within 100 ms'),
    };
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject(late);
    expect(server.requests).toHaveLength(1);
  });

  test('bulk work does not wait for ever either', async () => {
    await using server = await embeddingServer(stalls);
    const embedder = await open(server, { options: { requestMs: 100 } });
    await expect(embedder.embed(['a'], 'document')).rejects.toMatchObject({ code: 'model.unreachable' });
  });

  test('a call can be broken off while a server stalls, and before it begins', async () => {
    await using server = await embeddingServer(stalls);
    const embedder = await open(server);
    const controller = new AbortController();
    const call = embedder.embed(['a'], 'document', { signal: controller.signal });
    await server.requested();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'model.unreachable' });
    await expect(embedder.embed(['a'], 'document', { signal: controller.signal })).rejects.toMatchObject({
      code: 'model.unreachable',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a call can be broken off in the pause before another attempt', async () => {
    await using server = await embeddingServer((_, response) => sendJson(response, 503, {}));
    const embedder = await open(server, { options: { pauseMs: 50_000 } });
    const controller = new AbortController();
    const call = embedder.embed(['a'], 'document', { signal: controller.signal });
    await server.requested();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'model.unreachable' });
  });

  test('an answer of 500 MB is cut off', async () => {
    let sent = 0;
    const flood = (response: ServerResponse) => {
      const chunk = Buffer.alloc(1 << 16, 0x20);
      const more = () => {
        while (sent < 500e6) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      response.writeHead(200);
      more();
    };
    await using server = await embeddingServer((_, response) => flood(response));
    const refused = { code: 'model.answer', message: expect.stringContaining('more than 465536 bytes') };
    await expect((await open(server)).embed(['a'], 'document')).rejects.toMatchObject(refused);
    expect(sent).toBeLessThan(20e6);
    expect(server.requests).toHaveLength(1);
  });

  test.each([429, 500, 502, 503, 504])('status %i is asked again, a few times', async (status) => {
    await using server = await embeddingServer((request, response, count) =>
      count < 3
        ? sendJson(response, status, { error: { message: 'overloaded' } })
        : answerWell(request, response, count),
    );
    expect(await vectors((await open(server)).embed(['a'], 'document'))).toEqual([near(vectorOf('a', 8))]);
    await using broken = await embeddingServer((_, response) =>
      sendJson(response, status, { error: { message: 'overloaded' } }),
    );
    const refused = { code: 'model.unreachable', message: expect.stringContaining(`answered ${status}: overloaded`) };
    await expect((await open(broken)).embed(['a'], 'document')).rejects.toMatchObject(refused);
    expect(broken.requests.length).toBeGreaterThan(2);
    expect(broken.requests.length).toBeLessThan(9);
  });

  test.each([400, 401, 403, 404])('status %i is not asked again', async (status) => {
    await using server = await embeddingServer((_, response) => sendJson(response, status, { message: 'no' }));
    await expect((await open(server)).embed(['a'], 'document')).rejects.toMatchObject({
      code: 'model.refused',
      retryable: false,
    });
    // Where the text may be the reason, a plain word is tried.
    expect(server.requests).toHaveLength(status === 400 ? 2 : 1);
  });

  test.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2000).toUTCString()],
  ])('Retry-After in %s is waited for', async (_, retryAfter) => {
    const arrivals: number[] = [];
    await using server = await embeddingServer((request, response, count) => {
      arrivals.push(performance.now());
      if (count === 1) sendJson(response, 429, {}, { 'retry-after': retryAfter() });
      else answerWell(request, response, count);
    });
    await (await open(server)).embed(['a'], 'document');
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(990);
  });

  test('a pause beyond the time of a question, or of an hour, is not waited for', async () => {
    await using server = await embeddingServer((_, response) => sendJson(response, 429, {}, { 'retry-after': '3600' }));
    const embedder = await open(server);
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ code: 'model.unreachable' });
    await expect(embedder.embed(['a'], 'document')).rejects.toMatchObject({ code: 'model.unreachable' });
    expect(server.requests).toHaveLength(2);
  });

  test('a connection that closes in the middle of an answer is asked again', async () => {
    await using server = await embeddingServer((request, response, count) => {
      if (count > 1) return answerWell(request, response, count);
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"data":[', () => response.destroy());
    });
    expect(await (await open(server)).embed(['a'], 'document')).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  test('where nobody listens, that is said at once', async () => {
    const server = await embeddingServer();
    await server[Symbol.asyncDispose]();
    const absent = {
      code: 'model.unreachable',
      message: `${server.url}/v1/embeddings: connection refused`,
      hint: expect.stringContaining('Start the server.'),
    };
    await expect((await open(server)).embed(['a'], 'document')).rejects.toMatchObject(absent);
  });

  test('after a failure the other requests of the call are not begun', async () => {
    await using server = await embeddingServer((_, response) => sendJson(response, 401, {}));
    await expect(
      (await open(server)).embed(
        Array.from({ length: 320 }, (_, at) => `${at}`),
        'document',
      ),
    ).rejects.toMatchObject({ code: 'model.refused' });
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });
});
