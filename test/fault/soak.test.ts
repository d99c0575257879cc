import { expect, test } from 'vitest';
import { soak } from './soak.ts';

/** `npm run test:soak -- --minutes 10 --seed 7` sets them. */
const MINUTES = Number(process.env.ENGRAM_SOAK_MINUTES ?? 0);
const SEED = Number(process.env.ENGRAM_SOAK_SEED ?? Date.now() % 1_000_000);
const SECONDS = MINUTES === 0 ? 10 : MINUTES * 60;
const MEMORIES = MINUTES === 0 ? 100 : 1000;

test(`SY-2, S37: two watchers, a writer, commands, a shell and an editor for ${SECONDS} s lose no edit`, {
  timeout: 90_000 + SECONDS * 3_000,
}, async () => {
  const { broken, report } = await soak({ seconds: SECONDS, memories: MEMORIES, seed: SEED });
  console.log(`seed ${SEED}: ${JSON.stringify(report)}`);
  expect(broken).toEqual([]);
  // Each had its turns, on a busy machine too: 98 commands in ten minutes at a load of 30.
  for (const count of [report.writer, report.cli, report.shell, report.editor])
    expect(count).toBeGreaterThan(SECONDS / 10);
});
