import { expect, test } from 'vitest';
import { killRounds } from './kill-rounds.ts';

/** `npm run test:kill -- --rounds 1000 --seed 7` sets them. */
const ROUNDS = Number(process.env.ENGRAM_KILL_ROUNDS ?? 50);
const SEED = Number(process.env.ENGRAM_KILL_SEED ?? Date.now() % 1_000_000);

test(`SY-36, SY-38, S37: ${ROUNDS} rounds of kill -9 lose nothing that was acknowledged`, {
  timeout: 60_000 + ROUNDS * 5_000,
}, async () => {
  console.log(`seed ${SEED}`);
  const report = await killRounds({ rounds: ROUNDS, seed: SEED, log: console.log });
  console.log(JSON.stringify(report));
  // It did happen: processes died, in the middle of a write too, and others got their writes through.
  expect(report.killed).toBeGreaterThan(ROUNDS);
  expect(report.insideAWrite).toBeGreaterThan(ROUNDS / 10);
  expect(report.kept).toBeGreaterThan(ROUNDS);
});
