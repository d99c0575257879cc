import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type FileSystem, realFileSystem } from '../../src/files/file-system.ts';
import { acquireLock, breakStaleLock, inspectLock, type LockOptions } from '../../src/files/lock.ts';
import { engramError } from '../support/engram-error.ts';
import { type Call, failingFileSystem, faultyFileSystem } from '../support/failing-file-system.ts';
import { asOtherUser } from '../support/other-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const deadPid = (): number => spawnSync('true').pid;
const memoryFile = (): string => join(temporaryDirectory(), 'run-tests.toml');
const neighbours = (file: string): string[] => readdirSync(dirname(file)).sort();
const once: LockOptions = { wait: false };
const noRest: LockOptions = { pause: () => {} };

function age(path: string, ageS: number): void {
  const at = Date.now() / 1000 - ageS;
  utimesSync(path, at, at);
}

/** A file system without hard links: a name that exists is noticed before that. */
const noHardLinks: FileSystem = {
  ...realFileSystem,
  linkSync: (from, to) => {
    throw Object.assign(new Error('injected'), { code: existsSync(to) ? 'EEXIST' : 'EPERM', from });
  },
};

test('MF-35: a lock holds the PID and LF, mode 0600, and appears without its temp', () => {
  const file = memoryFile();
  const lock = acquireLock(file);
  expect(lock.path).toBe(`${file}.lock`);
  expect(readFileSync(lock.path, 'utf8')).toBe(`${process.pid}\n`);
  expect(statSync(lock.path)).toMatchObject({ nlink: 1, mode: 0o100600 });
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
  expect(spawnSync('sh', ['-c', `kill -0 "$(cat '${lock.path}')"`]).status).toBe(0);
  expect(lock.isOurs()).toBe(true);
  expect(lock.release()).toBe('released');
  expect(lock.isOurs()).toBe(false);
  expect(lock.release()).toBe('released');
  expect(neighbours(file)).toEqual([]);
});

test('MF-35: the lock is complete at the moment it appears', () => {
  const file = memoryFile();
  let seen = '';
  const fs: FileSystem = {
    ...realFileSystem,
    linkSync: (from, to) => {
      realFileSystem.linkSync(from, to);
      seen = readFileSync(to, 'utf8');
    },
  };
  acquireLock(file, {}, fs).release();
  expect(seen).toBe(`${process.pid}\n`);
});

test('MF-34: a lock is left by leaving its scope', () => {
  const file = memoryFile();
  acquireLock(file)[Symbol.dispose]();
  expect(neighbours(file)).toEqual([]);
});

test('MF-40: a lock that was taken over is left to its new holder, and said', () => {
  const file = memoryFile();
  const lock = acquireLock(file);
  unlinkSync(lock.path);
  writeFileSync(lock.path, '1\n');
  expect(lock.isOurs()).toBe(false);
  expect(lock.release()).toBe('taken-over');
  expect(readFileSync(lock.path, 'utf8')).toBe('1\n');
  const gone = acquireLock(join(dirname(file), 'other.toml'));
  unlinkSync(gone.path);
  expect(gone.release()).toBe('taken-over');
});

test('MF-39: a lock this process holds already is refused at once', () => {
  const file = memoryFile();
  const lock = acquireLock(file);
  const started = performance.now();
  expect(() => acquireLock(file)).toThrow(engramError('lock.timeout'));
  expect(performance.now() - started).toBeLessThan(1000);
  expect(lock.isOurs()).toBe(true);
  lock.release();
});

type Make = (path: string) => void;
const fileOf =
  (content: string, ageS: number): Make =>
  (path) => {
    writeFileSync(path, content);
    age(path, ageS);
  };
const directoryOf =
  (ageS: number): Make =>
  (path) => {
    mkdirSync(path);
    age(path, ageS);
  };

// PID 1 started when the machine did, the parent of this process before any of these locks.
const alive = process.ppid;

const held: [string, string, Make][] = [
  ['a live PID', 'pid', fileOf(`${alive}\n`, 0)],
  ['a live PID without LF', 'pid', fileOf(`${alive}`, 0)],
  ['a live PID padded by shlock', 'pid', fileOf(`${String(alive).padStart(10)}\n`, 20)],
  ['a live PID, clock a little ahead', 'pid', fileOf(`${alive}\n`, -200)],
  ['an empty file of 20 s', 'empty', fileOf('', 20)],
  ['other content of 20 s', 'content', fileOf('pid: 4711\n', 20)],
  ['the PID 0, which would signal a group', 'content', fileOf('0\n', 20)],
  ['a number that can be no PID', 'content', fileOf('9999999999\n', 20)],
  ['a directory of 200 s', 'directory', directoryOf(200)],
  ['a link', 'other', (path) => symlinkSync('nowhere', path)],
  ['a FIFO', 'other', (path) => execFileSync('mkfifo', [path])],
  [
    'a directory with something in it, of 400 s',
    'other',
    (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'notes'), 'mine');
      age(path, 400);
    },
  ],
];

test.each(held)('MF-36: %s is held', (_, kind, make) => {
  const file = memoryFile();
  make(`${file}.lock`);
  expect(inspectLock(`${file}.lock`, Date.now())).toMatchObject({ kind, stale: false });
  expect(() => acquireLock(file, once)).toThrow(engramError('lock.timeout'));
  expect(breakStaleLock(`${file}.lock`)).toBe(false);
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
});

const stale: [string, string, Make][] = [
  ['a dead PID', 'pid', (path) => writeFileSync(path, `${deadPid()}\n`)],
  ['a dead PID padded by shlock', 'pid', (path) => writeFileSync(path, `${String(deadPid()).padStart(10)}\n`)],
  ['our own PID without our lock', 'pid', fileOf(`${process.pid}\n`, 0)],
  ['a live PID of 301 s', 'pid', fileOf(`${alive}\n`, 301)],
  ['a live PID, 310 s in the future', 'pid', fileOf(`${alive}\n`, -310)],
  ['an empty file of 31 s', 'empty', fileOf('', 31)],
  ['other content of 31 s', 'content', fileOf('pid: 4711\n', 31)],
  ['a directory of 301 s', 'directory', directoryOf(301)],
];

test.each(stale)('MF-37: %s is stale, and is taken over without litter', (_, kind, make) => {
  const file = memoryFile();
  make(`${file}.lock`);
  expect(inspectLock(`${file}.lock`, Date.now())).toMatchObject({ kind, stale: true });
  const lock = acquireLock(file, once);
  expect(readFileSync(lock.path, 'utf8')).toBe(`${process.pid}\n`);
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
  lock.release();
  make(`${file}.lock`);
  expect(breakStaleLock(`${file}.lock`)).toBe(true);
  expect(neighbours(file)).toEqual([]);
});

test('MF-36: nothing is absent, not stale', () => {
  expect(inspectLock(`${memoryFile()}.lock`, 0)).toEqual({ kind: 'absent', pid: null, ageMs: null, stale: false });
});

test('MF-36: a PID that is not ours to signal is held', () => {
  const file = memoryFile();
  fileOf('1\n', 0)(`${file}.lock`);
  chmodSync(`${file}.lock`, 0o644);
  expect(asOtherUser(file, () => inspectLock(`${file}.lock`, Date.now()))).toMatchObject({ pid: 1, stale: false });
});

test.runIf(process.platform === 'linux')('S36: a live PID that started long after the lock is another process', () => {
  const file = memoryFile();
  const reused = spawn('sleep', ['60']);
  try {
    fileOf(`${reused.pid}\n`, 50)(`${file}.lock`);
    expect(inspectLock(`${file}.lock`, Date.now())).toMatchObject({ pid: reused.pid, stale: false });
    age(`${file}.lock`, 90);
    expect(inspectLock(`${file}.lock`, Date.now())).toMatchObject({ pid: reused.pid, stale: true });
    fileOf('1\n', 90)(`${file}.lock`);
    // Same age, but a process that was there before: held, unless the machine has only just started.
    const uptimeS = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
    if (uptimeS > 120) expect(inspectLock(`${file}.lock`, Date.now())).toMatchObject({ pid: 1, stale: false });
  } finally {
    reused.kill();
  }
});

test.runIf(process.platform === 'linux')(
  'MF-36: a killed process that nobody has waited for holds nothing',
  async () => {
    const file = memoryFile();
    // The shell becomes a `sleep`, which never waits for the child it inherits.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
      writeFileSync(`${file}.lock`, `${pid}\n`);
      expect(inspectLock(`${file}.lock`, Date.now())).toMatchObject({ pid, stale: true });
    } finally {
      parent.kill();
    }
  },
);

test('S36: a 0-byte lock is broken after 30 s', () => {
  const file = memoryFile();
  writeFileSync(`${file}.lock`, '');
  const madeAt = Date.now();
  expect(() => acquireLock(file, { wait: false, now: () => madeAt + 29_000 })).toThrow(engramError('lock.timeout'));
  acquireLock(file, { wait: false, now: () => madeAt + 31_000 }).release();
  expect(neighbours(file)).toEqual([]);
});

test('MF-39: waiting is random steps of 1 to 20 ms, 10 s for a lock that stays, and the error names it', () => {
  const file = memoryFile();
  fileOf(`${alive}\n`, 7)(`${file}.lock`);
  const steps: number[] = [];
  expect(() => acquireLock(file, { pause: (ms) => steps.push(ms) })).toThrow(
    expect.objectContaining({
      code: 'lock.timeout',
      message: expect.stringMatching(new RegExp(`run-tests\\.toml\\.lock: locked by process ${alive} since \\d+ s$`)),
      hint: expect.stringContaining('engram db repair --locks'),
    }),
  );
  const total = steps.reduce((sum, ms) => sum + ms, 0);
  expect(total).toBeGreaterThan(9_000);
  expect(total).toBeLessThan(10_021);
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...steps)).toBeLessThanOrEqual(20);
  expect(new Set(steps).size).toBeGreaterThan(100);
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
});

test('MF-39: 60 s in all when the lock changes hands', () => {
  const file = memoryFile();
  const path = `${file}.lock`;
  writeFileSync(path, `${alive}\n`);
  let total = 0;
  let heldMs = 0;
  const nextHolder = (ms: number): void => {
    total += ms;
    heldMs += ms;
    if (heldMs < 9_000) return;
    heldMs = 0;
    writeFileSync(`${file}.next`, `${alive}\n`);
    renameSync(`${file}.next`, path);
  };
  expect(() => acquireLock(file, { pause: nextHolder })).toThrow(engramError('lock.timeout'));
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThan(60_021);
});

test('MF-39: a waiter gets the lock that is released meanwhile', () => {
  const file = memoryFile();
  writeFileSync(`${file}.lock`, `${alive}\n`);
  let pauses = 0;
  const lock = acquireLock(file, {
    pause: () => {
      pauses += 1;
      if (pauses === 3) unlinkSync(`${file}.lock`);
    },
  });
  expect(pauses).toBe(3);
  expect(readFileSync(lock.path, 'utf8')).toBe(`${process.pid}\n`);
  lock.release();
});

/** Runs `first` once, before the first call of this name: what another process does in that moment. */
function interrupted(call: 'linkSync' | 'renameSync', nth: number, first: () => void): FileSystem {
  let count = 0;
  return {
    ...realFileSystem,
    [call]: (from: string, to: string) => {
      count += 1;
      if (count === nth) first();
      realFileSystem[call](from, to);
    },
  };
}

test.each([
  ['a file', (path: string) => writeFileSync(path, `${deadPid()}\n`)],
  ['a directory', (path: string) => directoryOf(400)(path)],
])('MF-37: %s replaced by a live lock before the rename: the live one is back, by its inode', (_, makeStale) => {
  for (const liveIsDirectory of [false, true]) {
    const file = memoryFile();
    const path = `${file}.lock`;
    makeStale(path);
    let live = 0;
    const fs = interrupted('renameSync', 1, () => {
      execFileSync('rm', ['-r', path]);
      if (liveIsDirectory) mkdirSync(path);
      else writeFileSync(path, `${alive}\n`);
      live = statSync(path).ino;
    });
    expect(() => acquireLock(file, once, fs)).toThrow(engramError('lock.timeout'));
    if (liveIsDirectory) expect(statSync(path).isDirectory()).toBe(true);
    else expect([statSync(path).ino, readFileSync(path, 'utf8')]).toEqual([live, `${alive}\n`]);
    expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
  }
});

test('MF-37: a live lock that took the name before the guard was linked is not touched', () => {
  const file = memoryFile();
  const path = `${file}.lock`;
  writeFileSync(path, `${deadPid()}\n`);
  // Links: the claim, the probe, the guard.
  const fs = interrupted('linkSync', 3, () => {
    writeFileSync(`${file}.next`, `${alive}\n`);
    renameSync(`${file}.next`, path);
  });
  expect(() => acquireLock(file, once, { ...fs, renameSync: forbidden })).toThrow(engramError('lock.timeout'));
  expect(readFileSync(path, 'utf8')).toBe(`${alive}\n`);
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
});

test('MF-37: with a second waiter at it, nobody removes the lock', () => {
  const file = memoryFile();
  const path = `${file}.lock`;
  writeFileSync(path, `${deadPid()}\n`);
  const fs = interrupted('linkSync', 3, () => realFileSystem.linkSync(path, `${file}.other-guard`));
  expect(() => acquireLock(file, once, { ...fs, renameSync: forbidden })).toThrow(engramError('lock.timeout'));
  expect(neighbours(file)).toEqual(['run-tests.toml.lock', 'run-tests.toml.other-guard']);
});

function forbidden(): never {
  throw new Error('must not be called');
}

test('MF-38: links left by a process killed at it are swept after 1 s, whatever their age', () => {
  const file = memoryFile();
  const path = `${file}.lock`;
  const dead = deadPid();
  writeFileSync(path, `${dead}\n`);
  realFileSystem.linkSync(path, join(dirname(file), `.engram-tmp-${dead}-0123456789abcdef`));
  const madeAt = Date.now();
  expect(() => acquireLock(file, { wait: false, now: () => madeAt + 900 })).toThrow(engramError('lock.timeout'));
  const lock = acquireLock(file, { wait: false, now: () => madeAt + 1200 });
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
  lock.release();
});

test('MF-38: the links of a live process are left alone up to 300 s', () => {
  const file = memoryFile();
  const path = `${file}.lock`;
  writeFileSync(path, `${deadPid()}\n`);
  const guard = `.engram-tmp-${alive}-0123456789abcdef`;
  realFileSystem.linkSync(path, join(dirname(file), guard));
  const madeAt = Date.now();
  expect(() => acquireLock(file, { wait: false, now: () => madeAt + 290_000 })).toThrow(engramError('lock.timeout'));
  expect(neighbours(file)).toEqual([guard, 'run-tests.toml.lock']);
  acquireLock(file, { wait: false, now: () => madeAt + 301_000 }).release();
  expect(neighbours(file)).toEqual([]);
});

const claimSteps: [Call, number][] = [
  ['openSync', 1],
  ['writeSync', 1],
  ['linkSync', 1],
];

test.each(claimSteps)('MF-35: a disk that fills up at %s leaves neither lock nor litter', (call, nth) => {
  const file = memoryFile();
  expect(() => acquireLock(file, {}, failingFileSystem(call, nth, 'ENOSPC'))).toThrow(engramError('disk.full'));
  expect(neighbours(file)).toEqual([]);
});

test('MF-35: without hard links a disk that fills up while the lock is written leaves no lock', () => {
  const file = memoryFile();
  const fs = { ...failingFileSystem('writeSync', 2, 'ENOSPC'), linkSync: noHardLinks.linkSync };
  expect(() => acquireLock(file, {}, fs)).toThrow(engramError('disk.full'));
  expect(neighbours(file)).toEqual([]);
});

test('MF-34: a directory that is not there is a failure, not a wait', () => {
  expect(() => acquireLock(join(temporaryDirectory(), 'none', 'm.toml'))).toThrow(engramError('file.write'));
});

test('MF-40: a lock that cannot be unlinked is an error, and the next try of this process gets it', () => {
  const file = memoryFile();
  const fs = faultyFileSystem((call, nth) => (call === 'unlinkSync' && nth >= 2 ? 'EIO' : null));
  const lock = acquireLock(file, {}, fs);
  expect(() => lock.release()).toThrow(engramError('file.write'));
  acquireLock(file, once).release();
  expect(neighbours(file)).toEqual([]);
});

test('MF-40: a lock that cannot be unlinked once, or whose descriptor cannot be closed, is released', () => {
  const file = memoryFile();
  acquireLock(file, {}, failingFileSystem('unlinkSync', 2, 'EBUSY')).release();
  expect(neighbours(file)).toEqual([]);
  acquireLock(file, {}, failingFileSystem('closeSync', 1, 'EIO')).release();
  expect(neighbours(file)).toEqual([]);
});

test('SY-40: what was done under a lock is not undone in words because the lock stays', () => {
  const file = memoryFile();
  const stays = faultyFileSystem((call, nth) => (call === 'unlinkSync' && nth >= 2 ? 'EIO' : null));
  const done = () => {
    using _lock = acquireLock(file, {}, stays);
    return 'done';
  };
  expect(done()).toBe('done');
  acquireLock(file, once).release();
  expect(neighbours(file)).toEqual([]);
});

test('MF-35: without hard links the lock is made exclusively, refused while held, and freed', () => {
  const file = memoryFile();
  const lock = acquireLock(file, noRest, noHardLinks);
  expect(readFileSync(lock.path, 'utf8')).toBe(`${process.pid}\n`);
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
  expect(() => acquireLock(file, once, noHardLinks)).toThrow(engramError('lock.timeout'));
  expect(lock.isOurs()).toBe(true);
  expect(lock.release()).toBe('released');
  expect(neighbours(file)).toEqual([]);
});

test.each(stale)('MF-37: without hard links, %s is taken over too', (_, _kind, make) => {
  const file = memoryFile();
  make(`${file}.lock`);
  acquireLock(file, once, noHardLinks).release();
  expect(neighbours(file)).toEqual([]);
});

test('MF-37: without hard links, a live lock moved by mistake is renamed back', () => {
  const file = memoryFile();
  const path = `${file}.lock`;
  writeFileSync(path, `${deadPid()}\n`);
  const fs = interrupted('renameSync', 1, () => {
    unlinkSync(path);
    writeFileSync(path, `${alive}\n`);
  });
  expect(() => acquireLock(file, once, { ...fs, linkSync: noHardLinks.linkSync })).toThrow(engramError('lock.timeout'));
  expect(readFileSync(path, 'utf8')).toBe(`${alive}\n`);
  expect(neighbours(file)).toEqual(['run-tests.toml.lock']);
});
