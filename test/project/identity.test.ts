import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { BindingStore } from '../../src/project/bindings.ts';
import { type ProjectInput, resolveProject } from '../../src/project/identity.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { projectBindings } from '../../src/store/projects.ts';

let home: string;
let store: Store;
let bindings: BindingStore;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'engram-project-')));
  mkdirSync(join(home, 'tmp'));
  store = await openStore(join(home, 'data'));
  bindings = projectBindings(store, () => 1);
});
afterEach(() => {
  store.close();
  rmSync(home, { recursive: true, force: true });
});

function git(cwd: string, ...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: home };
  const options = ['-c', 'user.name=Dana', '-c', 'user.email=d@example.org', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...options, ...args], { cwd, env, stdio: 'ignore' });
}

function repository(name: string, origin?: string): string {
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q');
  if (origin !== undefined) git(path, 'remote', 'add', 'origin', origin);
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
  return path;
}

function directory(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

function config(at: string, text: string): void {
  writeFileSync(join(directory(at, '.engram'), 'config.json'), text);
}

function project(cwd: string, given: Partial<ProjectInput> = {}) {
  const input = { explicit: null, environment: null, cwd, home, tempDir: join(home, 'tmp'), ...given };
  return resolveProject(input, bindings);
}

const shop = 'git@github.com:acme/Shop-API.git';

describe('the order', () => {
  test('the flag wins over the environment, and that over .engram/config.json', () => {
    const at = repository('checkout', shop);
    config(at, '{"project_name": "From File"}');
    expect(project(at, { explicit: 'Flag', environment: 'env' })).toMatchObject({ name: 'flag', foundBy: 'flag' });
    expect(project(at, { environment: 'Env ' })).toMatchObject({ name: 'env', foundBy: 'environment' });
    expect(project(at)).toMatchObject({ name: 'from-file', foundBy: 'config-file' });
  });

  test('the repository name of the remote comes before the name of the directory, and is bound', () => {
    const at = repository('checkout', shop);
    expect(project(at)).toMatchObject({
      name: 'shop-api',
      foundBy: 'origin',
      origin: 'github.com/acme/shop-api',
      root: at,
    });
    git(at, 'remote', 'set-url', 'origin', 'git@github.com:acme/renamed.git');
    expect(project(at)).toMatchObject({ name: 'shop-api', foundBy: 'binding' });
  });

  test('without a remote the main work tree gives the name; without git the working directory', () => {
    expect(project(repository('My Shop'))).toMatchObject({ name: 'my-shop', foundBy: 'work-tree' });
    expect(project(directory(home, 'notes'))).toMatchObject({
      name: 'notes',
      foundBy: 'directory',
      gitCommonDir: null,
    });
  });

  test('the nearest .engram/config.json that names a project applies, not above the work tree and not in home', () => {
    const at = repository('mono');
    config(home, '{"project_name": "home"}');
    expect(project(at).name).toBe('mono');
    config(at, '{"project_name": "whole"}');
    config(directory(at, 'packages/web'), '{"project_name": "web"}');
    config(directory(at, 'packages/api'), '{}');
    expect(project(join(at, 'packages/web')).name).toBe('web');
    expect(project(join(at, 'packages/api')).name).toBe('whole');
    expect(project(home).name).toBeNull();
  });
});

describe('a directory whose name holds no letter of a name', () => {
  test('is a project all the same: project. and 4 hex digits of its path, stored where there is a repository', () => {
    const at = repository('日本');
    const { name } = project(at);
    expect(name).toMatch(/^project\.[0-9a-f]{4}$/);
    expect(project(at)).toMatchObject({ name, foundBy: 'binding' });
    const notes = project(directory(home, '---'));
    expect(notes).toMatchObject({ name: expect.stringMatching(/^project\.[0-9a-f]{4}$/), foundBy: 'directory' });
    expect(notes.name).not.toBe(name);
    expect(project(directory(home, '---')).name).toBe(notes.name);
  });

  test('a FIFO as .engram/config.json is refused, not waited for', () => {
    const at = directory(home, 'fifo');
    execFileSync('mkfifo', [join(directory(at, '.engram'), 'config.json')]);
    expect(() => project(at)).toThrow(expect.objectContaining({ code: 'project.invalid' }));
  });

  test('given by hand it is an error that says what a name may hold', () => {
    expect(() => project(home, { explicit: '日本語' })).toThrow(
      expect.objectContaining({ code: 'project.invalid', hint: expect.stringMatching(/a-z.*0-9/) }),
    );
  });
});

describe('Q28: places of one project', () => {
  test('Q28: main checkout, linked worktree, sub-directory and symlinked path are one project', () => {
    const at = repository('shop');
    git(at, 'worktree', 'add', '-q', join(home, 'elsewhere/feature-x'));
    symlinkSync(directory(at, 'src/deep'), join(home, 'link'));
    for (const place of [join(home, 'elsewhere/feature-x'), at, join(at, 'src'), join(home, 'link')]) {
      expect(project(place)).toMatchObject({ name: 'shop', root: at, gitCommonDir: join(at, '.git') });
    }
    expect(project(join(home, 'elsewhere/feature-x')).paths).toEqual([at, join(home, 'elsewhere/feature-x')]);
  });

  test('Q28: a submodule is its own project', () => {
    const lib = repository('library');
    const at = repository('shop');
    git(at, 'submodule', 'add', '-q', lib, 'vendor/lib');
    git(join(at, 'vendor/lib'), 'remote', 'remove', 'origin');
    expect(project(join(at, 'vendor/lib'))).toMatchObject({ name: 'lib', root: join(at, 'vendor/lib') });
    expect(project(at).name).toBe('shop');
  });

  test.each([
    ['shop.git', 'shop'],
    ['shop/.bare', 'shop'],
  ])('Q28: the worktree of a bare repository %s has its name', (bare, name) => {
    git(home, 'clone', '-q', '--bare', repository('source'), bare);
    git(join(home, bare), 'remote', 'remove', 'origin');
    git(join(home, bare), 'worktree', 'add', '-q', join(home, 'trees/topic'));
    expect(project(join(home, 'trees/topic'))).toMatchObject({ name, foundBy: 'work-tree' });
    expect(project(join(home, bare))).toMatchObject({ name, foundBy: 'binding' });
  });

  test('Q28: a repository whose git directory lies elsewhere is named by its work tree', () => {
    git(home, 'init', '-q', `--separate-git-dir=${join(home, 'store.git')}`, directory(home, 'shop'));
    expect(project(join(home, 'shop'))).toMatchObject({ name: 'shop', gitCommonDir: join(home, 'store.git') });
  });

  test('Q28: a renamed folder with a remote stays the same project', () => {
    const at = repository('shop', shop);
    expect(project(at).name).toBe('shop-api');
    renameSync(at, join(home, 'other'));
    expect(project(join(home, 'other'))).toMatchObject({ name: 'shop-api', root: join(home, 'other') });
  });

  test('Q28: a second clone is the same project, also when the first had no remote yet', () => {
    const first = repository('local-name');
    expect(project(first).name).toBe('local-name');
    git(first, 'remote', 'add', 'origin', shop);
    expect(project(first).name).toBe('local-name');
    expect(project(repository('clone', 'https://github.com/acme/shop-api')).name).toBe('local-name');
  });
});

describe('Q28: two repositories called api', () => {
  test('Q28: with remotes the second is <owner>.<name>, and stays it', () => {
    const second = repository('b/api', 'https://token@github.com/Beta/api.git');
    expect(project(repository('a/api', 'git@github.com:acme/api.git')).name).toBe('api');
    expect(project(second)).toMatchObject({ name: 'beta.api', foundBy: 'origin' });
    expect(project(second)).toMatchObject({ name: 'beta.api', foundBy: 'binding' });
    expect(store.db.prepare('SELECT origin FROM project_bindings').pluck().all()).not.toContainEqual(
      expect.stringContaining('token'),
    );
  });

  test('Q28: without remotes the second gets 4 hex digits; a plain directory api is neither', () => {
    expect(project(repository('a/api')).name).toBe('api');
    expect(project(repository('b/api')).name).toMatch(/^api\.[0-9a-f]{4}$/);
    expect(project(directory(home, 'c/api')).name).toMatch(/^api\.[0-9a-f]{4}$/);
  });
});

describe('Q28: no project', () => {
  test('Q28: home, the root and the temp directory are none; a directory below temp is one', () => {
    for (const place of [home, '/', join(home, 'tmp')]) {
      expect(project(place)).toMatchObject({ name: null, foundBy: 'none', root: null, paths: [] });
    }
    expect(project(directory(home, 'tmp/trial')).name).toBe('trial');
  });

  test('a home directory under git makes neither itself nor what lies in it its project', () => {
    git(home, 'init', '-q');
    expect(project(home).name).toBeNull();
    expect(project(directory(home, 'notes'))).toMatchObject({ name: 'notes', foundBy: 'directory' });
  });

  test('a .git file that leads nowhere is no repository', () => {
    writeFileSync(join(directory(home, 'moved'), '.git'), 'gitdir: /nowhere/at/all\n');
    expect(project(join(home, 'moved'))).toMatchObject({ name: 'moved', foundBy: 'directory' });
  });
});

describe('an explicit identity that is unusable is an error', () => {
  const failure = expect.objectContaining({ code: 'project.invalid', hint: expect.any(String) });

  it.each([{ explicit: '' }, { explicit: ' - ' }, { environment: '' }])('%j', (given) => {
    expect(() => project(repository('shop'), given)).toThrow(failure);
  });

  it.each(['{', '[1', '"text"', '{"project_name": ""}', '{"project_name": 7}', '{"project_name": null}'])(
    '.engram/config.json %s',
    (text) => {
      const at = repository('shop');
      config(at, text);
      expect(() => project(at)).toThrow(failure);
    },
  );

  test('.engram/config.json that cannot be read', () => {
    const at = repository('shop');
    directory(at, '.engram/config.json');
    expect(() => project(at)).toThrow(failure);
  });

  test.skipIf(process.getuid?.() === 0)('.engram/config.json without permission', () => {
    const at = repository('shop');
    config(at, '{"project_name": "x"}');
    chmodSync(join(at, '.engram/config.json'), 0);
    expect(() => project(at)).toThrow(failure);
  });
});

test('a named project has the work trees it is bound to, for path-shaped slugs', () => {
  const at = repository('shop', shop);
  project(at);
  expect(project(directory(home, 'notes'), { explicit: 'shop-api' }).paths).toEqual([at]);
});
