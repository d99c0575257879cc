/**
 * What a watcher costs and how soon it sees a change; Linux only, figures come from /proc.
 *
 *   npm run bench -- watch [--json] [--quick]
 *
 * `--quick` looks at the idle watcher for 15 s instead of 60, and leaves out 100,000 files. The built command watches made-up
 * memories; vectors are made as `bars/made-vectors.ts` says.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Engram, openEngram } from '../../src/engram.ts';
import { oneRow } from '../../src/store/statement.ts';
import { cleanEnvironment, measureCold } from './bars/cold-query.ts';
import { makeStore, note, temporaryDirectory } from './bars/made-store.ts';
import { makeVectors } from './bars/made-vectors.ts';
import { type Measurement, report } from './bars/table.ts';
import { percentile, sleep } from './bars/timing.ts';
import { startWatch, type WatchChild } from './bars/watch-child.ts';

/** The bundle runs from a directory directly below the project. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));
/** From the issue that asked for the watcher. */
const BARS = { seenMs: 400, cold: 5, cpuPercent: 1, watches: 3 } as const;
const RESIDENT_MB: Readonly<Record<number, number>> = { 10000: 120, 100000: 300 };
const SAVES = 60;
/** What a start leaves behind is collected by then. */
const SETTLE_MS = 5000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  });
  note('building the command');
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--code-only'], { cwd: PROJECT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the command cannot be built');
  const measurements: Measurement[] = [];
  for (const count of values.quick ? [10_000] : [10_000, 100_000]) {
    measurements.push(...(await measureWatch(count, values.quick ? 15_000 : 60_000)));
  }
  const beside = (root: string, environment: NodeJS.ProcessEnv) => startWatch(PROJECT, root, environment);
  const cold = { project: PROJECT, profile: false, beside };
  measurements.push(...(await measureCold(10_000, { fresh: BARS.cold, known: null }, cold)));
  report('watch', measurements, values);
}

async function measureWatch(count: number, idleMs: number): Promise<Measurement[]> {
  using directory = temporaryDirectory();
  const root = join(directory.path, 'store');
  note(`making ${count} files`);
  const files = await makeStore(root, count);
  {
    using engram = await openEngram({ root, origin: 'bench' });
    await engram.sync();
    await makeVectors(engram);
  }
  await using watch = await startWatch(PROJECT, root, cleanEnvironment(directory.path));
  const idle = await measureIdle(watch, count, idleMs);
  return count === 10_000 ? [...idle, await measureSaves(root, files)] : idle;
}

async function measureIdle(watch: WatchChild, count: number, idleMs: number): Promise<Measurement[]> {
  await sleep(SETTLE_MS);
  note(`idle watcher, ${count} files, ${idleMs / 1000} s`);
  const before = watch.cpuMs();
  await sleep(idleMs);
  const used = watch.cpuMs() - before;
  const figure = (what: string, value: number, unit: Measurement['unit'], bar: number): Measurement => ({
    what: `${what}, ${count} files`,
    figure: value,
    floorName: '',
    floor: null,
    unit,
    bar,
  });
  return [
    figure('idle watcher, share of a core', (100 * used) / idleMs, '%', BARS.cpuPercent),
    figure('idle watcher, resident', watch.residentMb(), 'MB', RESIDENT_MB[count] ?? 0),
    figure('idle watcher, inotify', watch.inotifyWatches(), 'watches', BARS.watches),
  ];
}

/** From the rename of an editor's save until the words that were saved are in the index that questions are answered from. */
async function measureSaves(root: string, files: readonly string[]): Promise<Measurement> {
  note(`${SAVES} saves`);
  using engram = await openEngram({ root, origin: 'bench' });
  const times: number[] = [];
  for (let round = 0; round < SAVES; round++) {
    const file = files[round * 97] ?? '';
    const word = `zeppelin${round}x`;
    const text = readFileSync(file, 'utf8').replace(/^situation = "/m, `situation = "${word} `);
    writeFileSync(`${file}~`, text, { mode: 0o600 });
    renameSync(`${file}~`, file);
    const savedMs = performance.now();
    while (!isFound(engram, word)) {
      if (performance.now() - savedMs > 30_000) throw new Error(`${file} is not seen`);
      await sleep(4);
    }
    times.push(performance.now() - savedMs);
    await sleep(300 * Math.random());
  }
  return {
    what: `a save until query sees it, ${files.length} files, p95`,
    figure: percentile(times, 0.95),
    floorName: '',
    floor: null,
    unit: 'ms',
    bar: BARS.seenMs,
  };
}

function isFound({ context }: Engram, word: string): boolean {
  const found = 'SELECT count(*) AS count FROM fts_prose WHERE fts_prose MATCH ?';
  return (oneRow<{ count: number }>(context.store.db, found, word)?.count ?? 0) > 0;
}

await main();
