import { spawnSync } from 'node:child_process';
import { linkSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepTemps } from '../../src/files/lock.ts';
import { prepareReplacement } from '../../src/files/replace-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HEX = '0123456789abcdef';
const deadPid = spawnSync('true').pid;
const minute = { minimumAgeMs: 60_000 };
const later = (ms: number): number => Date.now() + ms;

test('MF-9: temps of dead processes go after 60 s, younger ones and those of live processes stay', () => {
  const directory = temporaryDirectory();
  const dead = `.engram-tmp-${deadPid}-${HEX}`;
  const live = `.engram-tmp-${process.ppid}-${HEX}`;
  for (const name of [dead, live]) writeFileSync(join(directory, name), '');
  expect(sweepTemps(directory, minute, later(50_000))).toEqual([]);
  expect(sweepTemps(directory, minute, later(61_000))).toEqual([dead]);
  expect(sweepTemps(directory, minute, later(86_400_000))).toEqual([]);
  expect(readdirSync(directory)).toEqual([live]);
});

test('MF-9: an own temp stays as long as it is in use, one that was given up goes', () => {
  const directory = temporaryDirectory();
  const replacement = prepareReplacement(join(directory, 'm.toml'), new Uint8Array(1), { mode: 0o600 });
  const [inUse] = readdirSync(directory);
  const givenUp = `.engram-tmp-${process.pid}-${HEX}`;
  writeFileSync(join(directory, givenUp), '');
  expect(sweepTemps(directory, minute, later(61_000))).toEqual([givenUp]);
  expect(readdirSync(directory)).toEqual([inUse]);
  replacement.discard();
});

test('MF-9: foreign temp names are left alone', () => {
  const directory = temporaryDirectory();
  const foreign = ['.tmp-1', `.engram-tmp-${deadPid}-short`, `.engram-tmp-0-${HEX}`, `engram-tmp-${deadPid}-${HEX}`];
  for (const name of foreign) writeFileSync(join(directory, name), '');
  expect(sweepTemps(directory, { minimumAgeMs: 0 }, later(86_400_000))).toEqual([]);
  expect(readdirSync(directory).sort()).toEqual(foreign.sort());
});

test('MF-9: a link to an old lock is as young as the link', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'm.toml.lock'), '1\n');
  utimesSync(join(directory, 'm.toml.lock'), 1, 1);
  const guard = `.engram-tmp-${deadPid}-${HEX}`;
  linkSync(join(directory, 'm.toml.lock'), join(directory, guard));
  expect(sweepTemps(directory, minute, later(0))).toEqual([]);
  expect(sweepTemps(directory, minute, later(61_000))).toEqual([guard]);
});

test('MF-9: a directory that is not there has nothing to sweep', () => {
  expect(sweepTemps(join(temporaryDirectory(), 'none'), minute, 0)).toEqual([]);
});
