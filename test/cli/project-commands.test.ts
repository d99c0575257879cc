import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runEngram } from '../support/engram.ts';
import { git } from '../support/git.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function place() {
  const home = temporaryDirectory();
  const shop = join(home, 'My Shop');
  mkdirSync(join(shop, 'src'), { recursive: true });
  git(shop, 'init', '-q');
  const run = (cwd: string, ...args: readonly string[]) =>
    runEngram(home, args, { cwd, env: { ENGRAM_EMBED_PROVIDER: 'none' } });
  const json = (cwd: string, ...args: readonly string[]) => JSON.parse(run(cwd, ...args, '--json').stdout);
  return { home, shop, config: join(shop, '.engram/config.json'), run, json };
}

test('Q28: project init names the work tree for everybody, and what is found from then on is that name', () => {
  const { shop, config, run, json } = place();
  const made = json(join(shop, 'src'), 'project', 'init', 'Shop API');
  expect(made).toEqual({ name: 'shop-api', path: config, change: 'created', before: null });
  expect(readFileSync(config, 'utf8')).toBe('{\n  "project_name": "shop-api"\n}\n');
  expect(statSync(config).mode & 0o777).toBe(0o644);
  expect(json(join(shop, 'src'), 'project', 'show')).toMatchObject({ name: 'shop-api', found_by: 'config-file' });
  expect(json(shop, 'project', 'init')).toMatchObject({ name: 'shop-api', change: 'unchanged' });
  expect(run(shop, 'project', 'init').stdout).toBe(`shop-api: stands already in ${config}\n`);
});

test('without a name project init keeps the one that is found, and other keys of the file stay', () => {
  const { shop, config, json } = place();
  mkdirSync(join(shop, '.engram'));
  writeFileSync(config, '{"team": ["a", 1], "project_name": "old"}', { mode: 0o600 });
  expect(json(shop, 'project', 'init', 'new')).toEqual({ name: 'new', path: config, change: 'changed', before: 'old' });
  expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({ team: ['a', 1], project_name: 'new' });
  expect(statSync(config).mode & 0o777).toBe(0o600);
  writeFileSync(config, '{}');
  expect(json(shop, 'project', 'init')).toMatchObject({ name: 'my-shop', before: null });
});

test('$HOME, / and the temp directory get no name, nor does a name without letters; nothing is written', () => {
  const { home, shop, config, run } = place();
  for (const [cwd, ...args] of [[home, 'x'], ['/', 'x'], [tmpdir(), 'x'], [home], [shop, '---'], [shop, '']] as const) {
    const ran = run(cwd, 'project', 'init', ...args);
    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toMatch(/^engram: /m);
    expect(existsSync(join(cwd, '.engram'))).toBe(false);
  }
  mkdirSync(join(shop, '.engram'));
  writeFileSync(config, '[1]');
  expect(run(shop, 'project', 'init', 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('not a JSON object'),
  });
  expect(readFileSync(config, 'utf8')).toBe('[1]');
});

test('project list counts the memories of each project, bound to a place or not', () => {
  const { home, shop, run, json } = place();
  const fields = ['--behavior', 'Guessed', '--impact', 'It broke', '--action', 'Ask'];
  expect(run(shop, 'learn', 'feedback', '--situation', 'When the zeppelin lands', ...fields).status).toBe(0);
  expect(run(shop, 'learn', 'feedback', '--situation', 'When it rains', '--everywhere', ...fields).status).toBe(0);
  const memory = join(home, '.local/share/engram/memory/feedback');
  const scoped = (slug: string) => feedbackText({ project_scoped: 'true', project_slug: `"${slug}"` });
  // A path-shaped slug of an older file belongs to the repository that lies there.
  writeFileSync(join(memory, 'older.toml'), scoped(shop.replaceAll(/[^a-z0-9]/gi, '-')));
  writeFileSync(join(memory, 'lost.toml'), scoped('elsewhere'));
  expect(json(shop, 'project', 'list')).toMatchObject({
    projects: [
      { name: 'elsewhere', memories: 1, bindings: [] },
      { name: 'my-shop', memories: 2, bindings: [{ root: shop, project: 'my-shop', origin: null }] },
    ],
    everywhere: 1,
    stale: false,
  });
  const shown = run(shop, 'project', 'list').stdout;
  expect(shown).toMatch(/^elsewhere +1 memory/);
  expect(shown).toContain(shop);
  const renamed = run(shop, 'project', 'init', 'shop');
  expect(renamed.status).toBe(0);
  expect(renamed.stderr).toContain('stays with the project my-shop; engram list --project my-shop shows');
});
