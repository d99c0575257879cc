import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LONG = process.env.ENGRAM_LOCK_TESTS === 'long';
const PROCESSES = 50;
// A round is 50 take-overs: every turn leaves the lock of a dead process to the next.
const ROUNDS = LONG ? 20 : 2;

interface Racer {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  said: string;
}

function startRacer(script: string, file: string, deadPid: number, onAnswer: () => void): Racer {
  const child = spawn(process.execPath, [script, file, String(deadPid)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const racer: Racer = { child, ended: new Promise((resolve) => child.on('exit', resolve)), said: '' };
  child.stdout?.on('data', (bytes: Buffer) => {
    racer.said += bytes.toString();
    onAnswer();
  });
  child.on('exit', onAnswer);
  return racer;
}

test(`S36: ${PROCESSES} processes race for the lock of a dead PID, never two holders`, {
  timeout: LONG ? 3_600_000 : 120_000,
}, async () => {
  const file = join(temporaryDirectory(), 'run-tests.toml');
  const deadPid = spawnSync('true').pid;
  const script = bundleForChild(new URL('children/race-for-dead-lock.ts', import.meta.url));
  let wake = (): void => {};
  const racers = Array.from({ length: PROCESSES }, () => startRacer(script, file, deadPid, () => wake()));
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      if (round === 1) writeFileSync(`${file}.lock`, `${deadPid}\n`);
      for (const { child } of racers) child.stdin?.write('x');
      const isOver = (racer: Racer): boolean => racer.said.length === round || racer.child.exitCode !== null;
      while (!racers.every(isOver)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    for (const { child } of racers) child.stdin?.end();
    const exits = await Promise.all(racers.map(({ ended }) => ended));
    expect(racers.map(({ said }) => said)).toEqual(racers.map(() => '.'.repeat(ROUNDS)));
    expect(new Set(exits)).toEqual(new Set([0]));
    expect(readdirSync(dirname(file))).toEqual([`${basename(file)}.lock`]);
  } finally {
    for (const { child } of racers) child.kill('SIGKILL');
  }
});
