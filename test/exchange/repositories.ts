import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type Ran, runEngram } from '../support/engram.ts';
import { git } from '../support/git.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A home whose memory directory is a repository of its own, set up for engram's merges unless `driver` is false. */
export interface MemoryRepository {
  readonly home: string;
  /** The repository, and absolute path of the memory directory. */
  readonly memory: string;
  engram(...args: readonly string[]): Ran;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** Commits everything as it is now. */
  commit(message: string): void;
  /** Merges a branch: what git says, and whether it made the merge by itself. */
  merge(...branches: readonly string[]): { readonly clean: boolean; readonly said: string };
}

export const M = 'feedback/m.toml';

export function memoryRepository(
  files: Readonly<Record<string, string>>,
  { driver = true, home = temporaryDirectory() }: { readonly driver?: boolean; readonly home?: string } = {},
): MemoryRepository {
  const memory = join(home, '.local/share/engram/memory');
  mkdirSync(memory, { recursive: true, mode: 0o700 });
  const repository: MemoryRepository = {
    home,
    memory,
    engram: (...args) => runEngram(home, args, { env: { ENGRAM_EMBED_PROVIDER: 'none', GIT_CONFIG_NOSYSTEM: '1' } }),
    git: (...args) => git(memory, ...args),
    write: (path, text) => {
      mkdirSync(dirname(join(memory, path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(memory, path), text, { mode: 0o600 });
    },
    read: (path) => readFileSync(join(memory, path), 'utf8'),
    commit: (message) => {
      repository.git('add', '-A');
      repository.git('commit', '-qm', message);
    },
    merge: (...branches) => {
      try {
        return { clean: true, said: repository.git('merge', '--no-edit', ...branches) };
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        return { clean: false, said: stdout + stderr };
      }
    },
  };
  repository.git('-c', 'init.defaultBranch=main', 'init', '-q');
  if (driver) expect(repository.engram('setup', 'git')).toMatchObject({ status: 0, stderr: '' });
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  repository.commit('start');
  return repository;
}

/** Commits `files` on `main`, and `theirs` on the branch `theirs`, which comes from where `main` was before. */
export function twoBranches(
  repository: MemoryRepository,
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): void {
  repository.git('checkout', '-qb', 'theirs');
  for (const [path, text] of Object.entries(theirs)) repository.write(path, text);
  repository.commit('theirs');
  repository.git('checkout', '-q', 'main');
  for (const [path, text] of Object.entries(ours)) repository.write(path, text);
  repository.commit('ours');
}
