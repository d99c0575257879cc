import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { acquireLock, sweepTemps } from '../../src/files/lock.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { type Competitor, compete, shlock } from '../support/competitors.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LONG = process.env.ENGRAM_LOCK_TESTS === 'long';
const ENGRAM_WRITERS = LONG ? 8 : 3;
const ENGRAM_LINES = LONG ? 500 : 30;
const SHELL_LINES = LONG ? 300 : 15;
const DEATHS = LONG ? 60 : 5;
/** Chance of `kill -9` before each changing call: about one death in 10 writes. */
const DEATH = 0.005;
const timeout = LONG ? 1_800_000 : 120_000;

const appendLines = bundleForChild(new URL('children/append-lines.ts', import.meta.url));

function engram(file: string, name: string, death = 0, killAfterLines = Infinity): Promise<Competitor> {
  const args = [appendLines, file, name, String(ENGRAM_LINES), String(death)];
  return compete(name, process.execPath, args, killAfterLines);
}

function shell(file: string, kind: 'ln' | 'mkdir' | 'noclobber' | 'shlock', number: number): Promise<Competitor> {
  const script = fileURLToPath(new URL(`competitors/${kind}.sh`, import.meta.url));
  const name = `${kind}-${number}`;
  return compete(name, 'sh', [script, file, name, String(SHELL_LINES)]);
}

/**
 * One after the other, until enough have died: half at a random call, half when they say they have written. At last one
 * that lives, since the shells here wait for ever for the lock of a dead process.
 */
async function mortals(file: string, series: string): Promise<Competitor[]> {
  const ended: Competitor[] = [];
  for (let number = 1; ended.filter(({ signal }) => signal === 'SIGKILL').length < DEATHS; number += 1) {
    const name = `mortal-${series}${number}`;
    ended.push(await (number % 2 === 0 ? engram(file, name, DEATH) : engram(file, name, 0, 1 + (number % 7))));
  }
  return [...ended, await engram(file, `last-${series}`)];
}

function counterFile(): string {
  const file = join(temporaryDirectory(), 'run-tests.toml');
  writeFileSync(file, '');
  return file;
}

/**
 * Every line that anybody said was written is there, once, in order. A killed process may have written one more than it
 * could say; everybody else wrote all its lines. No other line is there.
 */
function expectNoUpdateLost(file: string, ended: readonly Competitor[], linesOf: (name: string) => number): void {
  const present = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  let explained = 0;
  for (const { name, said: lines, signal, code } of ended) {
    const written = present.filter((line) => line.startsWith(`${name} `));
    expect([name, written]).toEqual([name, written.map((_, index) => `${name} ${index + 1}`)]);
    expect([name, written.slice(0, lines.length)]).toEqual([name, lines]);
    if (signal === 'SIGKILL') expect(written.length - lines.length).toBeLessThanOrEqual(1);
    else expect([name, code, written.length]).toEqual([name, 0, linesOf(name)]);
    explained += written.length;
  }
  expect(present.length).toBe(explained);
}

const linesOf = (name: string): number => (/^(engram|mortal|last)/.test(name) ? ENGRAM_LINES : SHELL_LINES);

/** The lock is free again or stale, and a later start removes every temp. */
function expectNoLitter(file: string): void {
  acquireLock(file).release();
  sweepTemps(dirname(file), { minimumAgeMs: 60_000 }, Date.now() + 61_000);
  expect(readdirSync(dirname(file))).toEqual(['run-tests.toml']);
}

const engrams = (file: string): Promise<Competitor>[] =>
  Array.from({ length: ENGRAM_WRITERS }, (_, index) => engram(file, `engram-${index + 1}`));

test('MF-35: engram processes alone lose no update', { timeout }, async () => {
  const file = counterFile();
  const ended = await Promise.all(engrams(file));
  expectNoUpdateLost(file, ended, linesOf);
  expectNoLitter(file);
});

test('MF-37: kill -9 of holders, and in the middle of claiming and taking over, loses no update', {
  timeout,
}, async () => {
  const file = counterFile();
  const [living, dying] = await Promise.all([
    Promise.all(engrams(file)),
    Promise.all([mortals(file, 'a'), mortals(file, 'b')]),
  ]);
  expectNoUpdateLost(file, [...living, ...dying.flat()], linesOf);
  expectNoLitter(file);
});

test('MF-42: beside shells with ln -T, mkdir and set -C, and kill -9 of engram, no update is lost', {
  timeout,
}, async () => {
  const file = counterFile();
  const [living, dying] = await Promise.all([
    Promise.all([...engrams(file), shell(file, 'ln', 1), shell(file, 'mkdir', 1), shell(file, 'noclobber', 1)]),
    mortals(file, 'a'),
  ]);
  expectNoUpdateLost(file, [...living, ...dying], linesOf);
  expectNoLitter(file);
});

// Not together with `set -C`, whose lock is empty for a moment, nor with kills: shlock removes by name what it judged by
// content, so two shlocks at one dead lock can already remove a live one.
test('MF-42: beside shlock, ln -T and mkdir no update is lost', { timeout }, async (context) => {
  if (shlock.kind === 'unavailable') return context.skip(`shlock cannot be had: ${shlock.reason}`);
  const file = counterFile();
  const shells = [shell(file, 'shlock', 1), shell(file, 'shlock', 2), shell(file, 'ln', 1), shell(file, 'mkdir', 1)];
  const ended = await Promise.all([...engrams(file), ...shells]);
  expectNoUpdateLost(file, ended, linesOf);
  expectNoLitter(file);
});
