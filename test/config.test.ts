import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { unknownVariables } from '../src/config-environment.ts';
import { nearest } from '../src/suggest.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-config-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(text: string): string {
  const directory = join(home, '.config', 'engram');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.toml'), text);
  return join(directory, 'config.toml');
}

test('without anything set the defaults apply and say so', async () => {
  const config = await loadConfig({ HOME: home }, {});
  expect(config).toMatchObject({
    dataDir: { value: join(home, '.local/share/engram'), from: 'default', source: null },
    project: { value: null, from: 'default' },
    color: { value: 'auto' },
    queryLimit: { value: 10 },
    contextBytes: { value: 4000 },
    file: join(home, '.config/engram/config.toml'),
    fileExists: false,
  });
});

test('the data root: flag, ENGRAM_DATA_DIR, config.toml, XDG_DATA_HOME, in this order', async () => {
  const environment = { HOME: home, XDG_DATA_HOME: '/xdg' };
  expect((await loadConfig(environment, {})).dataDir.value).toBe('/xdg/engram');
  const file = write('data_dir = "~/memories"\n');
  expect((await loadConfig(environment, {})).dataDir).toEqual({
    value: join(home, 'memories'),
    from: 'config file',
    source: file,
  });
  const both = { ...environment, ENGRAM_DATA_DIR: '/variable' };
  expect((await loadConfig(both, {})).dataDir).toEqual({
    value: '/variable',
    from: 'environment',
    source: 'ENGRAM_DATA_DIR',
  });
  expect((await loadConfig(both, { dataDir: 'relative' })).dataDir).toEqual({
    value: join(process.cwd(), 'relative'),
    from: 'flag',
    source: '--data-dir',
  });
});

test('XDG_CONFIG_HOME moves the file; every key of it is used', async () => {
  const directory = join(home, 'elsewhere', 'engram');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.toml'), 'color = "never"\nquery_limit = 25\ncontext_bytes = 9000\n');
  const config = await loadConfig({ HOME: home, XDG_CONFIG_HOME: join(home, 'elsewhere') }, {});
  expect(config).toMatchObject({ color: { value: 'never' }, queryLimit: { value: 25 }, contextBytes: { value: 9000 } });
  const environment = { HOME: home, XDG_CONFIG_HOME: join(home, 'elsewhere'), ENGRAM_QUERY_LIMIT: '3' };
  expect((await loadConfig(environment, {})).queryLimit).toMatchObject({ value: 3, from: 'environment' });
});

test('--no-color and NO_COLOR turn colours off; ENGRAM_COLOR says it exactly', async () => {
  expect((await loadConfig({ HOME: home }, { color: false })).color).toMatchObject({ value: 'never', from: 'flag' });
  expect((await loadConfig({ HOME: home, NO_COLOR: '1' }, {})).color.value).toBe('never');
  expect((await loadConfig({ HOME: home, NO_COLOR: '' }, {})).color.value).toBe('auto');
  expect((await loadConfig({ HOME: home, NO_COLOR: '1', ENGRAM_COLOR: 'always' }, {})).color.value).toBe('always');
});

it.each([
  ['query_limt = 3', 'unknown key query_limt', 'Did you mean query_limit?'],
  [
    'zzz = 3',
    'unknown key zzz',
    expect.stringMatching(/^Known keys: data_dir, color, query_limit, .*, agent\.judge\.allow_remote\.$/),
  ],
  ['query_limit = 0', 'query_limit must be a whole number from 1 to 100', expect.any(String)],
  ['query_limit = "3"', 'query_limit must be a whole number from 1 to 100', expect.any(String)],
  ['color = "blue"', 'color must be auto, always or never', expect.any(String)],
  ['data_dir = "relative"', 'data_dir must be an absolute path or begin with ~/', expect.any(String)],
  ['a = \n', ':1:', expect.any(String)],
  ['[embed]\nprovidr = "openai"', 'unknown key embed.providr', 'Did you mean embed.provider?'],
  ['embed = 3', 'unknown key embed', expect.any(String)],
  ['[embed]\nprovider = "azure"', 'embed.provider must be built-in, openai or none', expect.any(String)],
  [
    '[embed]\nurl = "ftp://localhost"',
    'embed.url must be a URL that begins with http:// or https://',
    expect.any(String),
  ],
  [
    '[embed]\nurl = "http://me:pass@localhost"',
    'embed.url must be a URL that begins with http:// or https:// and holds no password',
    expect.any(String),
  ],
  [
    '[embed]\nallow_remote = "yes"',
    'embed.allow_remote must be true or false',
    'Correct or remove embed.allow_remote.',
  ],
  ['[embed]\ndims = 1.5', 'embed.dims must be a whole number', expect.any(String)],
])('config.toml with %j is refused, with file, key and reason', async (text, message, hint) => {
  const file = write(text);
  await expect(loadConfig({ HOME: home }, {})).rejects.toMatchObject({
    code: 'config.invalid',
    message: expect.stringMatching(new RegExp(`^${file}.*${message.replace(/[.~/]/g, '\\$&')}`)),
    hint,
  });
});

test('an unusable variable is refused by name; an empty --data-dir too', async () => {
  await expect(loadConfig({ HOME: home, ENGRAM_QUERY_LIMIT: 'many' }, {})).rejects.toMatchObject({
    code: 'config.invalid',
    message: 'ENGRAM_QUERY_LIMIT must be a whole number from 1 to 100',
  });
  await expect(loadConfig({ HOME: home }, { dataDir: ' ' })).rejects.toMatchObject({ code: 'config.invalid' });
});

test('a config.toml that cannot be read is an error, not an absence', async () => {
  mkdirSync(join(home, '.config/engram/config.toml'), { recursive: true });
  await expect(loadConfig({ HOME: home }, {})).rejects.toMatchObject({ code: 'config.invalid' });
});

test('SE-20: the table [embed] says who embeds, and variables win over it', async () => {
  expect(await loadConfig({ HOME: home }, {})).toMatchObject({
    embedProvider: { value: 'built-in', from: 'default' },
    embedUrl: { value: null },
    embedAllowRemote: { value: false },
    embedTimeoutMs: { value: 2000 },
  });
  const file = write('[embed]\nprovider = "openai"\nurl = "http://localhost:1"\nquery_prefix = "q: "\ndims = 256\n');
  const environment = {
    HOME: home,
    ENGRAM_EMBED_URL: 'http://localhost:2/v1',
    ENGRAM_EMBED_MODEL: '4',
    ENGRAM_EMBED_ALLOW_REMOTE: 'true',
    ENGRAM_EMBED_API_KEY_ENV: 'THE_KEY',
  };
  expect(await loadConfig(environment, {})).toMatchObject({
    embedProvider: { value: 'openai', from: 'config file', source: file },
    embedUrl: { value: 'http://localhost:2/v1', from: 'environment', source: 'ENGRAM_EMBED_URL' },
    embedModel: { value: '4' },
    embedApiKeyEnv: { value: 'THE_KEY' },
    embedAllowRemote: { value: true },
    embedQueryPrefix: { value: 'q: ' },
    embedDims: { value: 256 },
  });
});

test('SE-20: a key in the place of its variable is refused and not repeated', async () => {
  const error = await loadConfig({ HOME: home, ENGRAM_EMBED_API_KEY_ENV: 'sk-Secret' }, {}).catch((each) => each);
  expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('not the key itself') });
  expect(`${error.message}${error.hint}${error.stack}`).not.toContain('sk-Secret');
});

test('a misspelt variable is found', () => {
  expect(unknownVariables({ ENGRAM_DATADIR: '/x', ENGRAM_PROJECT: 'p', HOME: home })).toEqual([
    { name: 'ENGRAM_DATADIR', suggestion: 'ENGRAM_DATA_DIR' },
  ]);
});

it.each([
  ['qurey', 'query'],
  ['lst', 'list'],
  ['QUERY', 'query'],
  ['zebra', null],
  ['', null],
])('nearest to %j is %j', (text, found) => expect(nearest(text, ['query', 'list', 'show'])).toBe(found));

test('a config.toml that is no regular file, or too large, is refused and never waited for', async () => {
  const file = write('');
  const refused = () => expect(loadConfig({ HOME: home }, {})).rejects;
  rmSync(file);
  execFileSync('mkfifo', [file]);
  await refused().toMatchObject({ code: 'config.invalid', message: `${file} is not a regular file` });
  rmSync(file);
  mkdirSync(file);
  await refused().toMatchObject({ code: 'config.invalid', message: `${file} is not a regular file` });
  rmSync(file, { recursive: true });
  writeFileSync(file, '#'.repeat((1 << 20) + 1));
  await refused().toMatchObject({ code: 'config.invalid', message: `${file} is larger than 1 MiB` });
});

test('a variable is to be corrected where it is set, and a wrong type is said plainly', async () => {
  await expect(loadConfig({ HOME: home, ENGRAM_QUERY_LIMIT: '0' }, {})).rejects.toMatchObject({
    hint: 'Correct or remove $ENGRAM_QUERY_LIMIT.',
  });
  const file = write('data_dir = 5\n');
  await expect(loadConfig({ HOME: home }, {})).rejects.toMatchObject({
    message: `${file}: data_dir must be an absolute path or begin with ~/`,
    hint: 'Correct or remove data_dir.',
  });
});

test('relative XDG directories do not count, and an empty HOME is asked from the system', async () => {
  const relative = await loadConfig({ HOME: home, XDG_DATA_HOME: 'data', XDG_CONFIG_HOME: './config' }, {});
  expect(relative.dataDir.value).toBe(join(home, '.local/share/engram'));
  expect(relative.file).toBe(join(home, '.config/engram/config.toml'));
  const own = userInfo().homedir;
  expect((await loadConfig({ HOME: '' }, {})).dataDir.value).toBe(join(own, '.local/share/engram'));
});

test('AG-23, AG-24: the judge is set in [agent.judge], or by variables; lists as JSON or words', async () => {
  write(`[agent]
applies_at = 0.7
[agent.judge]
kind = "command"
command = ["my-judge", "--model", "a b"]
env = ["MY_CONFIG"]
`);
  expect(await loadConfig({ HOME: home }, {})).toMatchObject({
    judgeKind: { value: 'command', from: 'config file' },
    judgeCommand: { value: ['my-judge', '--model', 'a b'] },
    judgeEnv: { value: ['MY_CONFIG'] },
    appliesAt: { value: 0.7 },
    apart: { from: 'default' },
    judgeAllowRemote: { value: false },
  });
  const words = { HOME: home, ENGRAM_AGENT_JUDGE_COMMAND: 'my-judge --quiet', ENGRAM_AGENT_APPLIES_AT: '0.5' };
  expect(await loadConfig(words, {})).toMatchObject({
    judgeCommand: { value: ['my-judge', '--quiet'], from: 'environment' },
    appliesAt: { value: 0.5 },
  });
  const list = { HOME: home, ENGRAM_AGENT_JUDGE_COMMAND: '["my judge", "-q"]' };
  expect((await loadConfig(list, {})).judgeCommand.value).toEqual(['my judge', '-q']);
});

it.each([
  ['agent.judge.kind = "gpt"', 'must be builtin, command or openai'],
  ['agent.judge.command = "my-judge"', 'must be a list of texts'],
  ['agent.judge.command = []', 'must be a list of texts'],
  ['agent.judge.env = ["A=B"]', 'must be a list of names'],
  ['agent.judge.api_key_env = "sk-abc"', 'not the key itself'],
  ['agent.judge.base_url = "localhost:1"', 'must be a URL'],
  ['agent.applies_at = 60', 'must be a number from 0 to 1'],
  ['agent.judge.knd = "builtin"', 'unknown key agent.judge.knd'],
])('AG-24: %s is refused', async (text, reason) => {
  write(`${text}\n`);
  await expect(loadConfig({ HOME: home }, {})).rejects.toThrow(reason);
});

test('AG-46: learn.single_valued may stand in its table', async () => {
  write('[learn]\nsingle_valued = "owner"\n');
  expect((await loadConfig({ HOME: home }, {})).singleValued.value).toBe('owner');
});
