import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { BIN } from '../support/engram.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

/** The whole of S16 takes a minute on two slow cores; it runs with ENGRAM_CONCURRENCY_TESTS=long. */
const IS_LONG = process.env.ENGRAM_CONCURRENCY_TESTS === 'long';

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

const memoryFiles = (directory = 'feedback') =>
  readdirSync(join(store.root, 'memory', directory)).filter((name) => name.endsWith('.toml'));
const leftovers = () => readdirSync(join(store.root, 'memory', 'feedback')).filter((name) => /\.lock$|tmp/.test(name));
const failures = (ends: readonly { status: number | null; stderr: string }[]) =>
  ends.filter(({ status }) => status !== 0).map(({ stderr }) => stderr);

test(
  'S16: 20 processes learn and count at once: nothing is lost, nothing is double',
  async () => {
    const [workers, times] = [20, IS_LONG ? 50 : 4];
    store.write('feedback/shared.toml', feedbackText());
    await store.sync();
    const script = bundleForChild(new URL('./children/learn-and-count.ts', import.meta.url));
    const running = Array.from({ length: workers }, (_, worker) =>
      startChild(process.execPath, [script, store.root, String(worker), String(times), 'feedback/shared']),
    );
    expect(failures(await Promise.all(running.map(({ end }) => end)))).toEqual([]);
    const total = workers * times;
    expect(memoryFiles()).toHaveLength(total + 1);
    expect(store.sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: total + 1 }]);
    expect(store.row('feedback/shared')).toMatchObject({ missed_count: total });
    expect(store.read('feedback/shared.toml')).toContain(`missed_count = ${total}\n`);
    expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE kind = 'missed'`)).toEqual([{ n: total }]);
    expect(leftovers()).toEqual([]);
    expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
    expect(await store.sync()).toMatchObject({ steps: [], unfinished: [] });
  },
  IS_LONG ? 600_000 : 60_000,
);

test('Q21: of 20 identical saves at once one is stored, the others get its name', async () => {
  const args = ['learn', 'fact', '--data-dir', store.root, '--json', '--everywhere'];
  const fields = [
    '--situation',
    'When testing',
    '--subject',
    'shop',
    '--predicate',
    'test command',
    '--object',
    'make',
  ];
  const running = Array.from({ length: 20 }, () => startChild(process.execPath, [BIN, ...args, ...fields]));
  const ends = await Promise.all(running.map(({ end }) => end));
  expect(failures(ends)).toEqual([]);
  const answers = ends.map(({ stdout }) => JSON.parse(stdout));
  expect(answers.filter(({ kind }) => kind === 'created')).toHaveLength(1);
  expect(new Set(answers.map(({ name }) => name))).toEqual(new Set(['facts/shop-test-command-make']));
  expect(answers.filter(({ kind, deduplicated }) => kind === 'duplicate' && deduplicated === true)).toHaveLength(19);
  expect(memoryFiles('facts')).toEqual(['shop-test-command-make.toml']);
  expect(store.sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: 1 }]);
}, 60_000);

test('MF-46: 8 processes that promote at once never promote more than 20', async () => {
  const old = Array.from({ length: 16 }, (_, at) => `feedback/old-${at}`);
  const candidates = Array.from({ length: 24 }, (_, at) => `feedback/new-${at}`);
  for (const name of old) {
    store.write(`${name}.toml`, feedbackText({ core: 'true\ncore_origin = "auto"', action: `"${name}"` }));
  }
  for (const name of candidates) {
    store.write(`${name}.toml`, feedbackText({ surfaced_count: '9', followed_count: '8', action: `"${name}"` }));
  }
  await store.sync();
  const script = bundleForChild(new URL('./children/follow.ts', import.meta.url));
  const running = Array.from({ length: 8 }, (_, at) =>
    startChild(process.execPath, [script, store.root, ...candidates.filter((__, index) => index % 8 === at)]),
  );
  await Promise.all(running.map(({ printed }) => printed('ready')));
  let most = 0;
  let isRunning = true;
  for (const { process: child } of running) child.stdin?.write('go\n');
  const ends = Promise.all(running.map(({ end }) => end)).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    const counted = store.sql(`SELECT count(*) AS n FROM memories WHERE core = 1 AND core_origin = 'auto'`);
    most = Math.max(most, Number(counted[0]?.n));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(failures(await ends)).toEqual([]);
  expect(most).toBe(20);
  const inFiles = memoryFiles().filter((name) => store.read(`feedback/${name}`).includes('core_origin = "auto"'));
  expect(inFiles.length).toBeLessThanOrEqual(20);
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE kind = 'followed' AND origin = 'follow'`)).toEqual(
    [{ n: 24 }],
  );
  expect(await store.sync()).toMatchObject({ steps: [] });
}, 60_000);
