import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, it, test } from 'vitest';
import { type ConfigChanges, editConfig } from '../src/config-edit.ts';

const OPENAI: ConfigChanges = { embedProvider: 'openai', embedUrl: 'http://localhost:1' };

it.each<[string, string, ConfigChanges, string]>([
  ['an empty file', '', OPENAI, '[embed]\nprovider = "openai"\nurl = "http://localhost:1"\n'],
  [
    'a file without the table',
    'color = "never" # why\n',
    OPENAI,
    'color = "never" # why\n\n[embed]\nprovider = "openai"\nurl = "http://localhost:1"\n',
  ],
  [
    'a file without a last line break',
    'color = "never"',
    { embedProvider: 'openai' },
    'color = "never"\n\n[embed]\nprovider = "openai"\n',
  ],
  [
    'a value with its comment',
    '# mine\n[embed] # table\nprovider = "built-in" # small\n',
    { embedProvider: 'openai' },
    '# mine\n[embed] # table\nprovider = "openai" # small\n',
  ],
  [
    'a new key at the end of the table',
    '[embed]\nprovider = "openai" # a\n# b\n',
    { embedModel: 'm' },
    '[embed]\nprovider = "openai" # a\nmodel = "m"\n# b\n',
  ],
  ['a new key in an empty table', '[embed] # a\n', { embedModel: 'm' }, '[embed] # a\nmodel = "m"\n'],
  [
    'dotted keys',
    'embed.provider = "openai"\ncolor = "auto"\n',
    { embedModel: 'm' },
    'embed.provider = "openai"\nembed.model = "m"\ncolor = "auto"\n',
  ],
  [
    'Windows line ends',
    '[embed]\r\nprovider = "openai"\r\n',
    { embedModel: 'm' },
    '[embed]\r\nprovider = "openai"\r\nmodel = "m"\r\n',
  ],
  [
    'a key that goes',
    '[embed]\nmodel = "m"\nprovider = "openai"\n',
    { embedModel: null },
    '[embed]\nprovider = "openai"\n',
  ],
  ['a key that goes, whose comment stays', '[embed]\nmodel = "m" # mine\n', { embedModel: null }, '[embed]\n# mine\n'],
  ['a key that is not there', 'color = "auto"\n', { embedModel: null }, 'color = "auto"\n'],
  ['a value that says so already', "[embed]\nprovider = 'openai'\n", {}, "[embed]\nprovider = 'openai'\n"],
  [
    'numbers and switches',
    '',
    { embedDims: 256, embedAllowRemote: true },
    '[embed]\ndims = 256\nallow_remote = true\n',
  ],
])('%s', async (_, before, changes, after) => expect(await editConfig(before, changes)).toBe(after));

test('a table in one line is left to its owner', async () => {
  await expect(editConfig('embed = { provider = "openai" }\n', { embedModel: 'm' })).rejects.toMatchObject({
    code: 'config.invalid',
    message: 'config.toml: embed is written in one line',
  });
});

test('whatever the texts, the file says exactly what was asked for, and its comments are still there', async () => {
  const before = '# first\ncolor = "never" # second\n[embed]\nprovider = "built-in" # third\n# fourth\n';
  const text = fc.string({
    unit: fc.constantFrom('a', '"', "'", '\\', '\n', '\t', '#', '\x7f', '\x01', 'é', '\u{1f680}'),
  });
  await fc.assert(
    fc.asyncProperty(text, text, async (query, document) => {
      const after = await editConfig(before, { embedQueryPrefix: query, embedDocumentPrefix: document });
      expect(parse(after)).toEqual({
        color: 'never',
        embed: { provider: 'built-in', query_prefix: query, document_prefix: document },
      });
      for (const comment of ['# first', '# second', '# third', '# fourth']) expect(after).toContain(comment);
    }),
  );
});
