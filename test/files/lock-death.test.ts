import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireLock, sweepTemps } from '../../src/files/lock.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const dieAt = bundleForChild(new URL('children/die-at.ts', import.meta.url));
const deadPid = spawnSync('true').pid;
const MOST_CALLS = 60;

const obstacles: [string, (lockPath: string) => void][] = [
  ['a free lock (MF-35)', () => {}],
  ['the lock of a dead process (MF-37)', (path) => writeFileSync(path, `${deadPid}\n`)],
  [
    'a stale lock directory (MF-37)',
    (path) => {
      mkdirSync(path);
      utimesSync(path, 1, 1);
    },
  ],
];

/** Kills a locked write before each of its calls in turn, until one run gets through. */
test.each(obstacles)('MF-37: kill -9 before any call of a write, with %s', { timeout: 120_000 }, (_, make) => {
  let survived = 0;
  for (let call = 1; survived === 0; call += 1) {
    expect(call).toBeLessThan(MOST_CALLS);
    const file = join(temporaryDirectory(), 'run-tests.toml');
    writeFileSync(file, 'old');
    make(`${file}.lock`);
    const { signal, status, stderr } = spawnSync(process.execPath, [dieAt, file, String(call)], { encoding: 'utf8' });
    expect([call, signal, status, stderr]).toEqual([call, ...(status === 0 ? [null, 0, ''] : ['SIGKILL', null, ''])]);
    if (status === 0) survived = call;
    expect(['old', 'new']).toContain(readFileSync(file, 'utf8'));

    // Whatever it left, the next one gets the lock, and a start a minute later finds nothing left to sweep but temps.
    acquireLock(file).release();
    sweepTemps(dirname(file), { minimumAgeMs: 60_000 }, Date.now() + 61_000);
    expect([call, ...readdirSync(dirname(file))]).toEqual([call, 'run-tests.toml']);
  }
  expect(survived).toBeGreaterThan(10);
});
