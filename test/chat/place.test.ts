import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chatSlug, directoriesWithSlugOf } from '../../src/chat/slug.ts';
import { contentHash } from '../../src/text/content-hash.ts';
import { runEngram } from '../support/engram.ts';
import { git } from '../support/git.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'engram-chat-place-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function directory(...parts: string[]): string {
  const path = join(home, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

function repository(name: string, origin?: string): string {
  const path = directory(name);
  git(path, 'init', '-q');
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
  if (origin !== undefined) git(path, 'remote', 'add', 'origin', origin);
  return path;
}

function path(cwd: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = runEngram(home, ['chat', 'path', '--json', ...args], { cwd, env });
  const answer = status === 0 ? (JSON.parse(stdout) as Record<string, unknown>) : {};
  return { path: answer.path, ...answer, status, stderr };
}

const chatFile = (root: string) => join(home, '.local/share/engram/chat', `${root.replaceAll('/', '-')}.toml`);

describe('CH-2: the slug', () => {
  test('is the path with - for /, as a shell makes it', () => {
    expect(chatSlug('/home/dana/src/shop-api')).toBe('-home-dana-src-shop-api');
    expect(chatSlug(`/${'a'.repeat(239)}`)).toBe(`-${'a'.repeat(239)}`);
  });

  test.each([
    ['ASCII', `/${'a'.repeat(240)}`, `-${'a'.repeat(199)}`],
    ['a character that would be cut', `/${'a'.repeat(198)}é${'b'.repeat(60)}`, `-${'a'.repeat(198)}`],
  ])('above 240 bytes is cut to 200 at a character, and hashed: %s', (_, root, kept) => {
    expect(chatSlug(root)).toBe(`${kept}-${contentHash(root.replaceAll('/', '-')).slice(0, 8)}`);
  });
});

describe('CH-3: the project root', () => {
  test('of a sub-directory, a linked work tree and a link is the main work tree', () => {
    const root = repository('shop-api');
    git(root, 'worktree', 'add', '-q', join(home, 'feature'));
    symlinkSync(root, join(home, 'link'));
    const expected = { status: 0, path: chatFile(root), slug: chatSlug(root), root, source: 'git', exists: false };
    expect(path(directory('shop-api/src/deep'))).toMatchObject(expected);
    expect(path(join(home, 'feature'))).toMatchObject(expected);
    expect(path(join(home, 'link'))).toMatchObject(expected);
  });

  test('of a submodule is its own top level', () => {
    const library = repository('library');
    const shop = repository('shop');
    git(shop, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'vendor/lib');
    expect(path(join(shop, 'vendor/lib'))).toMatchObject({ root: join(shop, 'vendor/lib'), source: 'git' });
  });

  test.each(['shop.git', 'shop/.bare'])('of a bare repository %s is itself, also from its work trees', (name) => {
    const root = repository('first');
    mkdirSync(join(home, 'shop'), { recursive: true });
    git(root, 'clone', '-q', '--bare', root, join(home, name));
    git(join(home, name), 'worktree', 'add', '-q', '--detach', join(home, 'shop/main'));
    expect(path(join(home, name))).toMatchObject({ root: join(home, name) });
    expect(path(join(home, 'shop/main'))).toMatchObject({ root: join(home, name) });
  });

  test('outside git is the working directory', () => {
    expect(path(directory('notes'))).toMatchObject({ root: join(home, 'notes'), source: 'directory' });
  });

  test.each(['home', 'repository in home', 'root', 'temp'])('is never %s: exit 2 with what to do', (place) => {
    const temp = directory('tmp');
    if (place === 'repository in home') git(home, 'init', '-q');
    const cwd = { home, 'repository in home': directory('below'), root: '/', temp }[place] ?? '';
    const { status, stderr } = runEngram(home, ['chat', 'path'], { cwd, env: { TMPDIR: temp } });
    expect({ status, lines: stderr.split('\n') }).toEqual({
      status: 2,
      lines: [
        expect.stringContaining('it has no chat'),
        '  Go to a project first, or name the file with --chat-file FILE.',
        '',
      ],
    });
  });
});

describe('CH-4: a project that is named', () => {
  const stored = (root: string) => runEngram(home, ['project', 'show'], { cwd: root });

  test('uses its one stored root, wherever one stands', () => {
    const shop = repository('shop', 'https://example.org/acme/shop.git');
    stored(shop);
    const notes = directory('notes');
    expect(path(notes, ['--project', 'shop'])).toMatchObject({ root: shop, source: 'project' });
    expect(path(notes, [], { ENGRAM_PROJECT: 'Shop' })).toMatchObject({ root: shop, source: 'project' });
  });

  test('of several roots uses the present one, else is refused with the list', () => {
    const [one, two] = [
      repository('one', 'https://example.org/acme/shop.git'),
      repository('two', 'https://example.org/acme/shop.git'),
    ];
    stored(one);
    stored(two);
    expect(path(two, ['--project', 'shop'])).toMatchObject({ root: two });
    expect(path(one)).toMatchObject({ root: one });
    const { status, stderr } = path(directory('notes'), ['--project', 'shop']);
    expect(status).toBe(2);
    for (const root of [one, two]) expect(stderr).toContain(root);
    expect(stderr).toContain('--chat-file');
  });

  test('that has no root is that of the working directory', () => {
    expect(path(directory('notes'), ['--project', 'shop'])).toMatchObject({ root: join(home, 'notes') });
    expect(path(directory('notes'), ['--project', ' '])).toMatchObject({ status: 2 });
  });
});

test('CH-5: --chat-file wins over $ENGRAM_CHAT_FILE, both over the project; neither asks where one stands', () => {
  const env = { ENGRAM_CHAT_FILE: '/elsewhere/chat.toml' };
  expect(path('/', [], env)).toMatchObject({
    path: '/elsewhere/chat.toml',
    slug: null,
    root: null,
    source: 'environment',
  });
  expect(path(home, ['--chat-file', 'mine.toml'], env)).toMatchObject({
    path: join(home, 'mine.toml'),
    source: 'flag',
    exists: false,
  });
  writeFileSync(join(home, 'mine.toml'), '');
  expect(path(home, ['--chat-file', 'mine.toml'])).toMatchObject({ exists: true });
  expect(path(home, ['--chat-file', ''])).toMatchObject({ status: 2 });
  expect(runEngram(home, ['config'], { env: { ...env, ENGRAM_CHAT_NAME: 'executor' } }).stdout).toMatch(
    /chat_file +\/elsewhere\/chat.toml +environment ENGRAM_CHAT_FILE\nchat_name +executor/,
  );
});

describe('CH-6', () => {
  test('two repositories with one slug are warned about until --chat-file is given', () => {
    const one = repository('a-b/c');
    const two = repository('a/b-c');
    expect(chatSlug(one)).toBe(chatSlug(two));
    const { stderr } = path(one);
    expect(stderr).toBe(
      `warning: ${one} and ${two} have the same chat file; keep them apart with --chat-file FILE or $ENGRAM_CHAT_FILE\n`,
    );
    expect(path(one, ['--chat-file', 'x.toml'])).toMatchObject({ status: 0, stderr: '' });
    rmSync(join(two, '.git'), { recursive: true });
    expect(path(one)).toMatchObject({ status: 0, stderr: '' });
  });

  test('a path of very many dashes is given up soon', () => {
    let looks = 0;
    directoriesWithSlugOf(`/${'a-'.repeat(60)}b`, () => {
      looks += 1;
      return true;
    });
    expect(looks).toBe(2000);
  });

  test('a file under the unresolved path of the working directory is named once, and not used', () => {
    const root = repository('shop');
    symlinkSync(root, join(home, 'link'));
    mkdirSync(join(home, '.local/share/engram/chat'), { recursive: true });
    writeFileSync(chatFile(join(home, 'link')), '');
    const { stderr, path: used } = path(join(home, 'link'), [], { PWD: join(home, 'link') });
    expect(used).toBe(chatFile(root));
    expect(stderr).toBe(
      `note: ${chatFile(join(home, 'link'))} is named after ${join(home, 'link')}, as older programs did; it is not used\n`,
    );
    expect(path(root, [], { PWD: root })).toMatchObject({ stderr: '' });
    expect(path(root, [], { PWD: join(home, 'elsewhere') })).toMatchObject({ stderr: '' });
  });
});

test('chat path prints the path alone', () => {
  const root = repository('shop');
  expect(runEngram(home, ['chat', 'path'], { cwd: root })).toEqual({
    status: 0,
    stdout: `${chatFile(root)}\n`,
    stderr: '',
  });
  expect(basename(chatFile(root))).toMatch(/^-.*-shop\.toml$/);
});
