import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { gitConfigValue } from './git-config.ts';

/** A git repository as its files describe it; every path is real and absolute. No git command is run. */
export interface Repository {
  /** The work tree that holds the directory asked for; null inside a bare repository. */
  readonly workTree: string | null;
  /** One for all work trees of the repository. */
  readonly commonDir: string;
  /** The main work tree; the directory of the repository itself when it is bare. */
  readonly root: string;
  /** Address of the remote `origin` as configured (a local path made absolute), null without one. */
  readonly originAddress: string | null;
}

/**
 * Finds the repository of `directory`: the nearest `.git`, or a bare repository around it. A linked work tree leads to
 * its main repository, a submodule is its own.
 *
 * @param directory - real absolute path
 * @param stop - a repository whose work tree this accepts is none (the home directory under git is no project)
 */
export function findRepository(directory: string, stop: (workTree: string) => boolean): Repository | null {
  for (let at = directory; ; at = dirname(at)) {
    const gitDir = gitDirOf(join(at, '.git'));
    if (gitDir !== null) return stop(at) ? null : describe(gitDir, at);
    if (isGitDir(at)) return describe(at, null);
    if (dirname(at) === at) return null;
  }
}

/** Whether `path` is a directory and no link. */
export function isRealDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The real path of a directory; `path` itself where that cannot be found out. */
export function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/**
 * The text of a small file, null when there is none.
 *
 * @throws EngramError `project.invalid` when it exists and cannot be read
 */
export function readIdentityFile(path: string): string | null {
  try {
    // Asked first: reading a FIFO or a device may wait for ever.
    if (!statSync(path).isFile()) throw unreadable(path, 'it is not a regular file');
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof EngramError) throw error;
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unreadable(path, code ?? String(error), error);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): EngramError {
  return new EngramError('project.invalid', `${path} cannot be read: ${reason}`, {
    hint: 'Make it readable, remove it, or name the project with --project NAME.',
    cause,
  });
}

function describe(gitDir: string, workTree: string | null): Repository {
  const commonDir = commonDirOf(gitDir);
  const config = readTextOrNull(join(commonDir, 'config')) ?? '';
  const root = mainWorkTree(commonDir, config) ?? (commonDir === gitDir ? workTree : null) ?? bareRoot(commonDir);
  const address = gitConfigValue(config, 'remote', 'origin', 'url');
  return { workTree, commonDir, root, originAddress: address === null ? null : absoluteAddress(address, root) };
}

/** Follows `.git`, a directory or a file with `gitdir: PATH`, to the directory it stands for; null when it is neither. */
function gitDirOf(dotGit: string): string | null {
  const stats = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isFile()) return isGitDir(dotGit) ? realDirectory(dotGit) : null;
  const target = /^gitdir:\s*(.+?)\s*$/m.exec(readTextOrNull(dotGit) ?? '')?.[1];
  if (target === undefined) return null;
  const gitDir = resolve(dirname(dotGit), target);
  return statSync(gitDir, { throwIfNoEntry: false })?.isDirectory() === true ? realDirectory(gitDir) : null;
}

function isGitDir(path: string): boolean {
  return isFile(join(path, 'HEAD')) && isDirectory(join(path, 'objects')) && isDirectory(join(path, 'refs'));
}

/** A linked work tree's own directory names the shared one in a file. */
function commonDirOf(gitDir: string): string {
  const target = readTextOrNull(join(gitDir, 'commondir'))?.trim();
  return target === undefined || target === '' ? gitDir : realDirectory(resolve(gitDir, target));
}

function mainWorkTree(commonDir: string, config: string): string | null {
  const configured = gitConfigValue(config, 'core', null, 'worktree');
  if (configured !== null) return realDirectory(resolve(commonDir, configured));
  const bare = /^(true|yes|on|1)$/i.test(gitConfigValue(config, 'core', null, 'bare') ?? '');
  return basename(commonDir) === '.git' && !bare ? dirname(commonDir) : null;
}

/** `shop/.bare` and `shop/.git` are kept inside the directory that carries the name. */
function bareRoot(commonDir: string): string {
  return basename(commonDir).startsWith('.') ? dirname(commonDir) : commonDir;
}

/** A relative path means the same repository only together with the place it is relative to. */
function absoluteAddress(address: string, root: string): string {
  const isLocal = !/^[^/]*:/.test(address) && address !== '';
  return isLocal ? resolve(root, address) : address;
}

/** The text of a file of git; null when there is none, or none that can be read. */
export function readTextOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
