import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddingServer } from '../support/embedding-server.ts';
import { startEngram } from '../support/engram.ts';
import { GITHUB_TOKEN } from '../support/fake-secrets.ts';
import { leaksBelow } from '../support/leaks.ts';
import { home, saysNothing } from '../support/secret-home.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';

test('D14: a project gets no name that is a secret, wherever the name comes from', () => {
  const { directory, root, run } = home();
  const places = [
    { words: ['project', 'init', GITHUB_TOKEN], env: {} },
    { words: ['project', 'init'], env: { ENGRAM_PROJECT: GITHUB_TOKEN } },
    { words: ['project', 'show', '--project', GITHUB_TOKEN, '--json'], env: {} },
  ];
  for (const { words, env } of places) {
    const ran = run(words, { env });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain('seems to hold a secret');
    saysNothing({ stdout: ran.stdout, stderr: ran.stderr.toLowerCase() }, GITHUB_TOKEN.toLowerCase());
  }
  expect(existsSync(join(directory, '.engram'))).toBe(false);
  expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([]);
});

test('D14: a question is asked without the secret in it, and repeats nothing of it', () => {
  const { root, run, put } = home();
  put('feedback/a.toml', feedbackText({ situation: '"When deploying the shop with the bot"' }));
  run(['db', 'sync']);
  for (const text of [`deploying the shop with ${GITHUB_TOKEN}`, GITHUB_TOKEN, `zzz ${GITHUB_TOKEN}`]) {
    for (const options of [[], ['--json'], ['--explain'], ['--json', '--explain'], ['-v']]) {
      const ran = run(['query', ...options, text]);
      const said = { stdout: ran.stdout.toLowerCase(), stderr: ran.stderr.toLowerCase() };
      saysNothing(said, GITHUB_TOKEN.toLowerCase());
      expect(ran.stderr).toContain('the text seems to hold a secret, which was left out');
    }
  }
  expect(run(['query', `deploying the shop with ${GITHUB_TOKEN}`]).stdout).toContain('feedback/a');
  expect(run(['query', GITHUB_TOKEN]).stderr).toContain('no_terms');
  expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([]);
});

test('D14: config prints no key inside the address of the embedding server', () => {
  const { run } = home();
  const ENGRAM_EMBED_URL = `https://api.example.org/v1?api-version=2&key=${GITHUB_TOKEN}&sk-12345678abc#${GITHUB_TOKEN}`;
  for (const words of [['config'], ['config', '--json']]) {
    const ran = run(words, { env: { ENGRAM_EMBED_PROVIDER: 'openai', ENGRAM_EMBED_MODEL: 'm', ENGRAM_EMBED_URL } });
    expect(ran.status).toBe(0);
    expect(ran.stdout).toContain(
      'https://api.example.org/v1?api-version=[redacted]&key=[redacted]&[redacted]#[redacted]',
    );
    saysNothing(ran, GITHUB_TOKEN);
    expect(ran.stdout).not.toContain('12345678abc');
  }
});

test('D14, SY-27: an embedding server never sees a text that is held, and its key is not stored', async () => {
  await using server = await embeddingServer();
  const { directory, root, run, put, database, env: quiet } = home();
  const key = 'k3yOfTheServer9xQ';
  const env = {
    ...quiet,
    ENGRAM_EMBED_PROVIDER: 'openai',
    ENGRAM_EMBED_MODEL: 'test',
    ENGRAM_EMBED_URL: `${server.url}/v1/embeddings?key=${key}`,
  };
  // The server answers in this process, so commands must not block it.
  const ask = (...words: readonly string[]) => startEngram(directory, words, { env }).end;
  put('feedback/a.toml', feedbackText());
  put('feedback/known.toml', feedbackText({ action: '"Ask the known one"' }));
  put('feedback/edited.toml', feedbackText({ action: '"Ask the edited one"' }));
  run(['db', 'sync']);
  put('feedback/file.toml', feedbackText({ action: `"Never seen in a file, ${GITHUB_TOKEN}"` }));
  put('feedback/known.toml', feedbackText({ action: `"Never seen in a known file, ${GITHUB_TOKEN}"` }));
  put(`feedback/${GITHUB_TOKEN}.toml`, feedbackText({ action: '"Never seen below such a name"' }));
  shell(
    database,
    `UPDATE memories SET impact = 'Never seen in a row, ${GITHUB_TOKEN}' WHERE name = 'feedback/edited';
     INSERT INTO memories(name, type, situation, behavior, impact, action)
     VALUES ('feedback/new', 'feedback', 'When new', 'a', 'b', 'Never seen in a new row, ${GITHUB_TOKEN}'),
       ('feedback/x-${GITHUB_TOKEN}', 'feedback', 'When named', 'a', 'b', 'Never seen in a named row');`,
  );
  // Before and after sync has judged the rows.
  await ask('embed', 'apply');
  await ask('query', `adding a column, ${GITHUB_TOKEN}`);
  expect((await ask('db', 'sync')).status).toBe(6);
  await ask('embed', 'apply');
  await ask('query', 'adding a column');
  await ask('related', 'a');
  await ask('outcome', 'a', 'followed', '--situation', `with ${GITHUB_TOKEN}`);
  const seen = server.texts.join('\n');
  expect(seen).toContain('Ask the edited one');
  expect(seen).toContain('Ask the known one');
  expect(server.texts.filter((text) => text.includes('Never seen'))).toEqual([]);
  expect(seen.toLowerCase()).not.toContain(GITHUB_TOKEN.slice(4, 16).toLowerCase());
  const status = await ask('embed', 'status');
  expect([status.status, status.stdout.includes(key)]).toEqual([0, false]);
  expect(leaksBelow(root, key)).toEqual([]);
});
