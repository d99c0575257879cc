import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  directoryIdentity,
  ensureMemoryDirectories,
  listDirectory,
  lookUp,
  memoryPaths,
  selectNames,
} from '../../src/files/memory-directory.ts';
import { signatureOf } from '../../src/files/signature.ts';
import { engramError } from '../support/engram-error.ts';
import { failingFileSystem } from '../support/failing-file-system.ts';
import { asOtherUser } from '../support/other-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('MF-6: the directories are created 0700, whatever the umask, and existing ones keep their mode', () => {
  const root = join(temporaryDirectory(), 'share', 'engram');
  const umask = process.umask(0);
  try {
    mkdirSync(join(root, 'memory'), { recursive: true, mode: 0o755 });
    ensureMemoryDirectories(root);
  } finally {
    process.umask(umask);
  }
  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  const paths = memoryPaths(root);
  expect([mode(paths.memory), mode(paths.feedback), mode(paths.facts)]).toEqual(['755', '700', '700']);
});

test('S33: a root below dot directories works like any other', () => {
  const root = join(temporaryDirectory(), '.hidden', '.local', 'share', 'engram');
  ensureMemoryDirectories(root);
  const { feedback } = memoryPaths(root);
  writeFileSync(join(feedback, 'a.toml'), '');
  writeFileSync(join(feedback, '.foo.toml'), '');
  const listing = listDirectory(feedback);
  expect(listing.kind === 'complete' && selectNames(listing.names)).toEqual({ files: ['a.toml'], quarantined: [] });
});

test('SY-58: database and backups lie outside memory, and git status is clean with locks and temps about', () => {
  const root = temporaryDirectory();
  ensureMemoryDirectories(root);
  const paths = memoryPaths(root);
  for (const path of [paths.database, paths.backups, paths.openLock]) expect(path.startsWith(paths.memory)).toBe(false);
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: paths.memory, encoding: 'utf8' });
  git('init', '--quiet');
  writeFileSync(join(paths.feedback, 'a.toml.lock'), '1\n');
  writeFileSync(join(paths.facts, '.engram-tmp-1-0123456789abcdef'), '');
  expect(git('status', '--porcelain')).toBe('');
  writeFileSync(join(paths.feedback, 'a.toml'), '');
  expect(git('status', '--porcelain')).toBe('?? feedback/\n');
});

test('SY-58: a .gitignore that is there is left alone, and a second start writes nothing', () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'memory'));
  writeFileSync(join(root, 'memory', '.gitignore'), 'mine\n');
  ensureMemoryDirectories(root);
  ensureMemoryDirectories(root, failingFileSystem('openSync', 1, 'EROFS'));
  expect(readFileSync(join(root, 'memory', '.gitignore'), 'utf8')).toBe('mine\n');
  expect(readdirSync(join(root, 'memory')).sort()).toEqual(['.gitignore', 'facts', 'feedback']);
});

test('SY-47: feedback may be a link to a directory', () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'memory'));
  mkdirSync(join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(root, 'memory', 'feedback'));
  ensureMemoryDirectories(root);
  writeFileSync(join(root, 'elsewhere', 'a.toml'), '');
  expect(listDirectory(memoryPaths(root).feedback)).toEqual({ kind: 'complete', names: ['a.toml'] });
  expect(directoryIdentity(memoryPaths(root).feedback)).toBe(directoryIdentity(join(root, 'elsewhere')));
});

test('X12: a file in the place of a directory is named, and nothing is written', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'root'), '');
  expect(() => ensureMemoryDirectories(join(directory, 'root'))).toThrow(engramError('data-root.invalid'));
  expect(() => ensureMemoryDirectories(join(directory, 'root', 'below'))).toThrow(engramError('data-root.invalid'));
  expect(readdirSync(directory)).toEqual(['root']);
});

test.each([
  ['ENOSPC', 'disk.full'],
  ['EROFS', 'data-root.read-only'],
  ['EACCES', 'data-root.read-only'],
  ['EIO', 'file.write'],
] as const)('SY-59: a root that cannot be created (%s) is %s', (code, expected) => {
  const root = join(temporaryDirectory(), 'root');
  expect(() => ensureMemoryDirectories(root, failingFileSystem('mkdirSync', 1, code))).toThrow(engramError(expected));
  expect(existsSync(root)).toBe(false);
});

test('SY-29: a directory that is not there is missing; one that cannot be listed is unreadable with the reason', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  mkdirSync(join(directory, 'closed'));
  chmodSync(join(directory, 'closed'), 0);
  symlinkSync('nowhere', join(directory, 'unmounted'));
  expect(listDirectory(join(directory, 'none'))).toEqual({ kind: 'missing' });
  expect(listDirectory(join(directory, 'unmounted'))).toEqual({ kind: 'missing' });
  expect(listDirectory(join(directory, 'file'))).toEqual({ kind: 'unreadable', code: 'ENOTDIR' });
  const closed = asOtherUser(join(directory, 'closed'), () => listDirectory(join(directory, 'closed')));
  expect(closed).toEqual({ kind: 'unreadable', code: 'EACCES' });
});

test('SY-25: a file name that is not UTF-8 is quarantined, the others stay', () => {
  const directory = temporaryDirectory();
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/caf`), Buffer.from([0xe9]), Buffer.from('.toml')]), '');
  writeFileSync(join(directory, 'café.toml'), '');
  const listing = listDirectory(directory);
  expect(listing.kind === 'complete' && selectNames(listing.names)).toEqual({
    files: ['café.toml'],
    quarantined: [{ name: 'caf\ufffd.toml', reason: 'name', message: 'the file name is not UTF-8' }],
  });
});

test('SY-28: only ENOENT of the name itself is absence', () => {
  const directory = temporaryDirectory();
  const at = (name: string): string => join(directory, name);
  writeFileSync(at('file.toml'), 'text');
  symlinkSync('file.toml', at('link.toml'));
  symlinkSync('nowhere', at('dangling.toml'));
  mkdirSync(at('closed'));
  chmodSync(at('closed'), 0);
  expect(lookUp(at('file.toml'))).toEqual(signatureOf(statSync(at('file.toml'))));
  expect(lookUp(at('link.toml'))).toEqual(signatureOf(statSync(at('file.toml'))));
  expect(lookUp(at('none.toml'))).toBe('absent');
  expect(lookUp(at('dangling.toml'))).toBe('failed');
  expect(lookUp(at('file.toml/below'))).toBe('failed');
  expect(asOtherUser(at('closed'), () => lookUp(at('closed/x.toml')))).toBe('failed');
});

test('SY-28: a replaced directory has another identity, and none has none', () => {
  const directory = temporaryDirectory();
  const facts = join(directory, 'facts');
  mkdirSync(facts);
  const before = directoryIdentity(facts);
  expect(before).not.toBeNull();
  expect(directoryIdentity(facts)).toBe(before);
  renameSync(facts, join(directory, 'old'));
  mkdirSync(facts);
  expect(directoryIdentity(facts)).not.toBe(before);
  writeFileSync(join(directory, 'file'), '');
  expect(directoryIdentity(join(directory, 'file'))).toBeNull();
  expect(directoryIdentity(join(directory, 'none'))).toBeNull();
});
