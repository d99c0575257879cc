import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerWell, embeddingServer, sendJson } from '../support/embedding-server.ts';
import { type RunOptions, startEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function place() {
  const home = temporaryDirectory();
  const memories = join(home, '.local/share/engram/memory/feedback');
  mkdirSync(memories, { recursive: true, mode: 0o700 });
  writeFileSync(join(memories, 'a.toml'), feedbackText({ situation: '"When rotating keys"' }), { mode: 0o600 });
  writeFileSync(join(memories, 'b.toml'), feedbackText({ situation: '"When building"' }), { mode: 0o600 });
  const file = join(home, '.config/engram/config.toml');
  const run = (args: readonly string[], options?: Omit<RunOptions, 'input'>) => startEngram(home, args, options).end;
  const json = async (...args: readonly string[]) => JSON.parse((await run([...args, '--json'])).stdout);
  return { home, file, run, json };
}

test('SE-20, SE-26: switching to a server and back: asked first, written down, said what follows, applied', async () => {
  await using server = await embeddingServer();
  const { file, run, json } = place();
  await run(['db', 'sync']);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '# mine\ncolor = "never" # loud screens\n');

  const use = await run(['embed', 'use', 'openai', '--url', server.url, '--model', 'nomic-embed-text']);
  expect(use).toMatchObject({ status: 0, stderr: '' });
  expect(use.stdout).toBe(
    `using nomic-embed-text at ${server.url}/v1/embeddings, 8 values\n` +
      `  written to ${file}\n` +
      '  the vectors of all-MiniLM-L6-v2 are dropped by the next embed apply or db sync; until then words answer alone\n' +
      '  2 memories to embed\n' +
      'next: engram embed apply\n',
  );
  expect(readFileSync(file, 'utf8')).toBe(
    `# mine\ncolor = "never" # loud screens\n\n[embed]\nprovider = "openai"\nquery_prefix = "search_query: "\n` +
      `document_prefix = "search_document: "\nurl = "${server.url}"\nmodel = "nomic-embed-text"\n`,
  );

  const asked = server.requests.length;
  const between = await json('query', 'rotating keys');
  expect(between).toMatchObject({ modes: ['words'], degraded: ['model_changed'] });
  expect(between.hits[0].name).toBe('feedback/a');
  expect(server.requests).toHaveLength(asked);
  expect((await json('db', 'status')).degraded.join('\n')).toMatch(
    /^model_changed: the vectors are of all-MiniLM-L6-v2/m,
  );

  expect(await json('embed', 'apply')).toEqual({ embedded: 2, unreadable: 0, failed: 0 });
  expect(server.texts.some((text) => text.startsWith('search_document: When rotating keys'))).toBe(true);
  expect(await json('query', 'rotating keys')).toMatchObject({ modes: ['words', 'meaning'], degraded: [] });
  expect(server.texts.at(-1)).toBe('search_query: rotating keys');
  expect(await json('embed', 'status')).toMatchObject({
    model: { provider: 'openai', model: 'nomic-embed-text', dims: 8 },
    is_active: true,
    ready: 2,
    degraded: [],
  });
  expect(await json('db', 'status')).toMatchObject({ vectors: { model: 'nomic-embed-text', ready: 2 }, degraded: [] });

  expect(await json('embed', 'use', 'built-in')).toMatchObject({
    drops: 'nomic-embed-text',
    to_embed: 2,
    sends_to: null,
  });
  await run(['db', 'sync']);
  expect(await json('query', 'rotating keys')).toMatchObject({ modes: ['words', 'meaning', 'fine'], degraded: [] });
});

test('a provider that does not answer is not written down', async () => {
  await using server = await embeddingServer((_, response) =>
    sendJson(response, 404, { error: { message: 'model "x" not found' } }),
  );
  const { file, run } = place();
  const use = await run(['embed', 'use', 'openai', '--url', server.url, '--model', 'x']);
  expect(use.status).toBe(1);
  expect(use.stderr).toContain('answered 404: model "x" not found');
  expect(existsSync(file)).toBe(false);
  const dims = await embeddingServer((request, response, count) =>
    answerWell({ ...request, body: { ...request.body, dimensions: 9 } }, response, count),
  );
  await using _ = dims;
  expect((await run(['embed', 'use', 'openai', '--url', dims.url, '--model', 'x', '--dims', '16'])).stderr).toContain(
    '9 values instead of 16',
  );
  expect(existsSync(file)).toBe(false);
});

test.each([
  [['embed', 'use', 'azure'], 2, 'there is no provider azure'],
  [['embed', 'use', 'openai', '--model', 'x'], 2, 'embed.url is missing'],
  [['embed', 'use', 'openai', '--url', 'http://127.0.0.1:9'], 2, 'embed.model is missing'],
  [['embed', 'use', 'openai', '--url', 'https://api.openai.com', '--model', 'x'], 2, 'is not this machine'],
  [['embed', 'use', 'openai', '--url', 'nowhere', '--model', 'x'], 2, '--url must be a URL'],
  [
    ['embed', 'use', 'openai', '--url', 'http://127.0.0.1:9', '--model', 'x', '--api-key-env', 'sk-Secret'],
    2,
    'not the key itself',
  ],
  [
    ['embed', 'use', 'openai', '--url', 'http://127.0.0.1:9', '--model', 'x', '--api-key-env', 'NO_SUCH'],
    1,
    'NO_SUCH, named by embed.api_key_env, is not set',
  ],
  [['embed', 'use', 'built-in', '--dims', '9'], 2, 'built-in takes no options'],
])('%j ends with %i and says why', async (args, status, reason) => {
  const { file, run } = place();
  const ran = await run(args);
  expect(ran).toMatchObject({ status, stderr: expect.stringContaining(reason) });
  expect(ran.stderr).not.toContain('sk-Secret');
  expect(existsSync(file)).toBe(false);
});

test('another model or address keeps what still holds, and nothing that does not', async () => {
  await using one = await embeddingServer();
  await using two = await embeddingServer();
  const { home, file, run, json } = place();
  const key = { env: { THE_KEY: 'sk-secret' } };
  await run(
    [
      'embed',
      'use',
      'openai',
      '--url',
      one.url,
      '--model',
      'e5-small',
      '--api-key-env',
      'THE_KEY',
      '--timeout-ms',
      '900',
    ],
    key,
  );
  expect(readFileSync(file, 'utf8')).toContain('query_prefix = "query: "');
  await run(['embed', 'use', 'openai', '--model', 'other'], key);
  expect(one.requests.at(-1)).toMatchObject({ authorization: 'Bearer sk-secret', body: { model: 'other' } });
  expect(readFileSync(file, 'utf8')).not.toContain('prefix');
  await run(['embed', 'use', 'openai', '--url', two.url], key);
  expect(two.requests.at(-1)).toMatchObject({ authorization: undefined, body: { model: 'other' } });
  expect(readFileSync(file, 'utf8')).toBe(
    `[embed]\nprovider = "openai"\nurl = "${two.url}"\nmodel = "other"\ntimeout_ms = 900\n`,
  );
  expect((await run(['embed', 'use', 'openai'], { env: { ENGRAM_EMBED_TIMEOUT_MS: '800' } })).stderr).toContain(
    'the variable ENGRAM_EMBED_TIMEOUT_MS is set and wins',
  );
  expect(await json('embed', 'use', 'openai')).toMatchObject({ changed: false });
  const everything =
    readFileSync(file, 'utf8') + JSON.stringify(await json('config')) + (await run(['-v', 'db', 'sync'], key)).stderr;
  expect(everything).not.toContain('sk-secret');
  expect(existsSync(join(home, '.config/engram/config.toml'))).toBe(true);
});

test('a config.toml that is a link stays one', async () => {
  await using server = await embeddingServer();
  const { home, file, run } = place();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(join(home, 'dotfile.toml'), '# mine\n', { mode: 0o644 });
  symlinkSync(join(home, 'dotfile.toml'), file);
  expect((await run(['embed', 'use', 'openai', '--url', server.url, '--model', 'x'])).status).toBe(0);
  expect(readFileSync(join(home, 'dotfile.toml'), 'utf8')).toContain('provider = "openai"');
});

test('a server on this machine is never asked through a proxy', async () => {
  await using proxy = await embeddingServer();
  await using server = await embeddingServer();
  const { run } = place();
  const env = Object.fromEntries(
    ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, proxy.url]),
  );
  const use = await run(['embed', 'use', 'openai', '--url', server.url, '--model', 'x'], {
    env: { ...env, NODE_USE_ENV_PROXY: '1' },
  });
  expect(use.status).toBe(0);
  expect(server.requests.length).toBeGreaterThan(0);
  expect(proxy.requests).toEqual([]);
});

test('a model that a server replaced under its name is noticed by embed apply', async () => {
  let dims = 8;
  await using server = await embeddingServer((request, response, count) =>
    answerWell({ ...request, body: { ...request.body, dimensions: dims } }, response, count),
  );
  const { run, json } = place();
  await run(['embed', 'use', 'openai', '--url', server.url, '--model', 'x']);
  expect(await json('embed', 'apply')).toMatchObject({ embedded: 2 });
  dims = 12;
  expect(await json('query', 'rotating keys')).toMatchObject({ modes: ['words'], degraded: ['no_model'] });
  expect((await json('embed', 'status')).degraded.join()).toContain(
    'no_model: the question has no vector: the model gave 12 values instead of 8',
  );
  expect(await json('embed', 'apply')).toMatchObject({ embedded: 2 });
  expect(await json('query', 'rotating keys')).toMatchObject({ modes: ['words', 'meaning'], degraded: [] });
});

const FACT = ['--situation', 'When building the site', '--subject', 'make', '--predicate', 'builds', '--object', 'all'];

test('SE-20: the provider none answers by words alone, does not call that degraded, and embeds nothing', async () => {
  const { file, run, json } = place();
  expect(await run(['embed', 'use', 'none'])).toMatchObject({ status: 0 });
  expect(readFileSync(file, 'utf8')).toContain('provider = "none"');
  expect(await run(['learn', 'fact', ...FACT])).toMatchObject({ status: 0 });
  const answer = await json('query', 'building the site');
  expect(answer).toMatchObject({ modes: ['words'], degraded: [] });
  expect(answer.hits.length).toBeGreaterThan(0);
  expect(await run(['db', 'sync'])).toMatchObject({ status: 0, stderr: '' });
  expect(await json('embed', 'status')).toMatchObject({
    model: { provider: 'none' },
    is_on: false,
    ready: 0,
    missing: 0,
    degraded: [],
  });
  const shown = (await run(['embed', 'status'])).stdout;
  expect(shown).toContain('vectors are off by choice');
  expect(shown).not.toContain('missing');
  expect((await run(['db', 'status'])).stdout).toMatch(/vectors +off by choice/);
  expect(await json('db', 'status')).toMatchObject({ degraded: [] });
  const apply = await run(['embed', 'apply']);
  expect(apply).toMatchObject({ status: 1 });
  expect(apply.stderr).toContain('engram embed use built-in');
});

test('SE-20: a variable does without the model for one call, and vectors that are there stay', async () => {
  const { run, json } = place();
  await run(['db', 'sync']);
  const { stdout } = await run(['query', 'building', '--json'], { env: { ENGRAM_EMBED_PROVIDER: 'none' } });
  expect(JSON.parse(stdout)).toMatchObject({ modes: ['words'], degraded: [] });
  expect((await json('query', 'building')).modes).toContain('meaning');
  expect(await json('embed', 'status')).toMatchObject({ ready: 2, missing: 0 });
});
