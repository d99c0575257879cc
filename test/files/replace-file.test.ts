import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareReplacement, removeFile, replaceFile } from '../../src/files/replace-file.ts';
import { engramError } from '../support/engram-error.ts';
import { type Call, failingFileSystem, faultyFileSystem } from '../support/failing-file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const neighbours = (file: string): string[] => readdirSync(dirname(file));
const permissions = (file: string): string => (statSync(file).mode & 0o7777).toString(8);

function fileWith(text: string): string {
  const file = join(temporaryDirectory(), 'run-tests.toml');
  writeFileSync(file, text);
  return file;
}

test('MF-41: a replaced file has the new content, another inode, and no temp beside it', () => {
  const file = fileWith('old');
  const before = statSync(file).ino;
  replaceFile(file, bytes('new'));
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).ino).not.toBe(before);
  expect(neighbours(file)).toEqual(['run-tests.toml']);
});

test.each([0o600, 0o640, 0o666, 0o755])('MF-6: a rewrite keeps the mode %o, whatever the umask', (mode) => {
  const file = fileWith('old');
  chmodSync(file, mode);
  const umask = process.umask(0o077);
  try {
    replaceFile(file, bytes('new'));
  } finally {
    process.umask(umask);
  }
  expect(permissions(file)).toBe(mode.toString(8));
});

test('MF-6: a new file gets 0600, whatever the umask', () => {
  const file = join(temporaryDirectory(), 'new.toml');
  const umask = process.umask(0);
  try {
    replaceFile(file, bytes('new'));
  } finally {
    process.umask(umask);
  }
  expect(permissions(file)).toBe('600');
});

test('MF-9: the temp lies in the same directory and carries our PID', () => {
  const file = fileWith('old');
  const replacement = prepareReplacement(file, bytes('new'), { mode: 0o600 });
  const temps = neighbours(file).filter((name) => name !== basename(file));
  expect(temps).toEqual([expect.stringMatching(new RegExp(`^\\.engram-tmp-${process.pid}-[0-9a-f]{16}$`))]);
  expect(readFileSync(join(dirname(file), temps[0] ?? ''), 'utf8')).toBe('new');
  expect(readFileSync(file, 'utf8')).toBe('old');
  replacement.discard();
  expect(neighbours(file)).toEqual(['run-tests.toml']);
});

const steps: [Call, number][] = [
  ['openSync', 1],
  ['writeSync', 1],
  ['fchmodSync', 1],
  ['fsyncSync', 1],
  ['closeSync', 1],
  ['renameSync', 1],
];

test.each(steps)('MF-41: a disk that fills up at %s keeps the old file and leaves no litter', (call, nth) => {
  const file = fileWith('old');
  chmodSync(file, 0o644);
  expect(() => replaceFile(file, bytes('new'), failingFileSystem(call, nth, 'ENOSPC'))).toThrow(
    engramError('disk.full'),
  );
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(neighbours(file)).toEqual(['run-tests.toml']);
});

test.each(['openSync', 'fsyncSync'] as const)(
  'MF-41: a failing %s of the directory is an error, and the new content is whole',
  (call) => {
    const file = fileWith('old');
    expect(() => replaceFile(file, bytes('new'), failingFileSystem(call, 2, 'EIO'))).toThrow(engramError('file.write'));
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(neighbours(file)).toEqual(['run-tests.toml']);
  },
);

test('MF-41: a file system that cannot sync directories is no error', () => {
  const file = fileWith('old');
  replaceFile(file, bytes('new'), failingFileSystem('fsyncSync', 2, 'EINVAL'));
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('MF-41: a write that takes only some bytes a time is continued', () => {
  const file = fileWith('old');
  const real = faultyFileSystem(() => null);
  replaceFile(file, bytes('in slices'), {
    ...real,
    writeSync: (fd, all, from, count) => real.writeSync(fd, all, from, Math.min(count, 2)),
  });
  expect(readFileSync(file, 'utf8')).toBe('in slices');
});

test.each(['EBUSY', 'EPERM'])('X03: a rename that fails three times with %s is tried again and works', (code) => {
  const file = fileWith('old');
  replaceFile(
    file,
    bytes('new'),
    faultyFileSystem((call, nth) => (call === 'renameSync' && nth <= 3 ? code : null)),
  );
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(neighbours(file)).toEqual(['run-tests.toml']);
});

test.each(['EBUSY', 'EPERM'])(
  'X03: a rename that always fails with %s ends after 2 s, old bytes and inode intact',
  (code) => {
    const file = fileWith('old');
    const inode = statSync(file).ino;
    const started = performance.now();
    const fs = faultyFileSystem((call) => (call === 'renameSync' ? code : null));
    expect(() => replaceFile(file, bytes('new'), fs)).toThrow(engramError('file.write'));
    expect(performance.now() - started).toBeGreaterThanOrEqual(2000);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(statSync(file).ino).toBe(inode);
    expect(neighbours(file)).toEqual(['run-tests.toml']);
  },
);

test('MF-3: a link is not replaced', () => {
  const target = fileWith('old');
  const link = join(dirname(target), 'link.toml');
  symlinkSync(target, link);
  expect(() => replaceFile(link, bytes('new'))).toThrow(engramError('memory.read-only'));
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('old');
  expect(neighbours(target).sort()).toEqual(['link.toml', 'run-tests.toml']);
});

test.each([
  ['with hard links', null],
  ['without hard links', 'EPERM'],
])('MF-8: %s, a new name is given once and never taken from anybody', (_, linkFault) => {
  const file = join(temporaryDirectory(), 'new.toml');
  const fs = faultyFileSystem((call) => (call === 'linkSync' ? linkFault : null));
  const create = (text: string): boolean => prepareReplacement(file, bytes(text), { mode: 0o600 }, fs).asNew();
  expect(create('first')).toBe(true);
  expect(permissions(file)).toBe('600');
  expect(statSync(file).nlink).toBe(1);
  expect(create('second')).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('first');
  expect(neighbours(file)).toEqual(['new.toml']);
});

const newSteps: [string, Call, number, boolean][] = [
  ['with hard links', 'openSync', 1, true],
  ['with hard links', 'writeSync', 1, true],
  ['with hard links', 'fsyncSync', 1, true],
  ['with hard links', 'closeSync', 1, true],
  ['with hard links', 'linkSync', 1, true],
  ['without hard links', 'openSync', 2, false],
  ['without hard links', 'renameSync', 1, false],
];

test.each(newSteps)('MF-8: %s, a disk that fills up at %s %i leaves no name and no litter', (_, call, nth, links) => {
  const file = join(temporaryDirectory(), 'new.toml');
  const fs = faultyFileSystem((name, count) => {
    if (name === call && count === nth) return 'ENOSPC';
    return name === 'linkSync' && !links ? 'EPERM' : null;
  });
  expect(() => prepareReplacement(file, bytes('new'), { mode: 0o600 }, fs).asNew()).toThrow(engramError('disk.full'));
  expect(neighbours(file)).toEqual([]);
});

test('SY-33: removing a name takes a link, not its target, and a name that is gone is no error', () => {
  const target = fileWith('kept');
  const link = join(dirname(target), 'link.toml');
  symlinkSync(target, link);
  removeFile(link);
  removeFile(link);
  expect(neighbours(target)).toEqual(['run-tests.toml']);
  expect(() => removeFile(target, failingFileSystem('unlinkSync', 1, 'EACCES'))).toThrow(engramError('file.write'));
  expect(readFileSync(target, 'utf8')).toBe('kept');
});
