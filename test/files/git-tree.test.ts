import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitOperationUnderWay, mayBeFromGit } from '../../src/files/git-tree.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Dana', '-c', 'user.email=dana@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function repository(): { top: string; memory: string } {
  const top = temporaryDirectory();
  const memory = join(top, 'share', 'memory');
  mkdirSync(memory, { recursive: true });
  git(top, 'init', '--quiet');
  writeFileSync(join(memory, 'a.toml'), 'one');
  git(top, 'add', '.');
  git(top, 'commit', '--quiet', '-m', 'one');
  return { top, memory };
}

test.each(['index.lock', 'rebase-merge', 'rebase-apply'])('SY-28: %s means that git is at work', (name) => {
  const { top, memory } = repository();
  expect(gitOperationUnderWay(memory)).toBe(false);
  mkdirSync(join(top, '.git', name));
  expect(gitOperationUnderWay(memory)).toBe(true);
  rmSync(join(top, '.git', name), { recursive: true });
  expect(gitOperationUnderWay(memory)).toBe(false);
});

test('SY-28: a stopped rebase of the tree around memory is under way', () => {
  const { top, memory } = repository();
  git(top, 'checkout', '--quiet', '-b', 'other');
  writeFileSync(join(memory, 'a.toml'), 'other');
  git(top, 'commit', '--quiet', '-am', 'other');
  git(top, 'checkout', '--quiet', 'main');
  writeFileSync(join(memory, 'a.toml'), 'main');
  git(top, 'commit', '--quiet', '-am', 'main');
  expect(() => git(top, 'rebase', 'other')).toThrow();
  expect(gitOperationUnderWay(memory)).toBe(true);
  git(top, 'rebase', '--abort');
  expect(gitOperationUnderWay(memory)).toBe(false);
});

test('SY-19: a file is from git when git wrote its tree after it, or is still at work', () => {
  const { top, memory } = repository();
  const file = join(memory, 'a.toml');
  const gitMovedMs = () => Math.max(...['HEAD', 'index'].map((name) => statSync(join(top, '.git', name)).ctimeMs));
  const isFromGit = (sinceMs = 0) => mayBeFromGit(memory, { sinceMs, changedMs: statSync(file).ctimeMs });
  const edit = (text: string) => {
    // Times of the system move in steps of some milliseconds.
    do writeFileSync(file, text);
    while (statSync(file).ctimeMs <= gitMovedMs());
  };
  edit('edited');
  expect(isFromGit()).toBe(false);
  git(top, 'commit', '--quiet', '-am', 'two');
  git(top, 'checkout', '--quiet', '--detach', 'HEAD~1');
  expect(isFromGit()).toBe(true);
  expect(isFromGit(Date.now() + 60_000)).toBe(false);
  edit('edited again');
  expect(isFromGit()).toBe(false);
  writeFileSync(join(top, '.git', 'index.lock'), '');
  expect(isFromGit()).toBe(true);
});

test('SY-28: a linked worktree is judged by its own git directory', () => {
  const { top } = repository();
  const worktree = join(temporaryDirectory(), 'tree');
  git(top, 'worktree', 'add', '--quiet', '--detach', worktree);
  const memory = join(worktree, 'share', 'memory');
  writeFileSync(join(top, '.git', 'index.lock'), '');
  expect(gitOperationUnderWay(memory)).toBe(false);
  writeFileSync(join(top, '.git', 'worktrees', 'tree', 'index.lock'), '');
  expect(gitOperationUnderWay(memory)).toBe(true);
});

test('SY-28: memory that is a link into a git tree belongs to that tree', () => {
  const { top, memory } = repository();
  const link = join(temporaryDirectory(), 'memory');
  symlinkSync(memory, link);
  expect(gitOperationUnderWay(link)).toBe(false);
  writeFileSync(join(top, '.git', 'index.lock'), '');
  expect(gitOperationUnderWay(link)).toBe(true);
});

test('SY-19: outside a git tree nothing is from git, and there is no operation', () => {
  const directory = temporaryDirectory();
  expect(mayBeFromGit(directory, { sinceMs: 0, changedMs: 0 })).toBe(false);
  expect(gitOperationUnderWay(directory)).toBe(false);
  expect(gitOperationUnderWay(join(directory, 'missing'))).toBe(false);
});
