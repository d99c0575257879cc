import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LearnWork } from '../../src/agent/work.ts';
import { doLearn } from '../../src/agent/worker.ts';
import { type LearnedOutcome, writeLearned } from '../../src/agent/write-learned.ts';
import { openEngram } from '../../src/engram.ts';
import { acquireLock } from '../../src/files/lock.ts';
import type { Draft } from '../../src/learning/draft.ts';
import { setPinned } from '../../src/learning/edit.ts';
import { learned } from '../learning/drafts.ts';
import { project } from '../support/ask.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { type RunningChild, startChild } from '../support/child.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';
import { fastSubset, fullSuite } from './learned-drafts.ts';

/** A death before every call takes 20 s; it runs with ENGRAM_AGENT_TESTS=long, else before every third. */
const STEP = process.env.ENGRAM_AGENT_TESTS === 'long' ? 1 : 3;

const HERE = { project: 'shop-api', everywhere: false };
const script = bundleForChild(new URL('./children/learn.ts', import.meta.url));

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

/** One of several agents, or one that dies before its nth call that changes a file. */
const learner = ({ root }: TestStore, draft: Draft, key: string, nth = 0): RunningChild =>
  startChild(process.execPath, [script, root, key, String(nth), JSON.stringify(draft)]);
const count = ({ sql }: TestStore, table: string) => sql(`SELECT count(*) AS n FROM ${table}`)[0]?.n;

async function atOnce(drafts: readonly Draft[]): Promise<LearnedOutcome[]> {
  const running = drafts.map((draft, at) => learner(store, draft, `agent ${at}`));
  await Promise.all(running.map(({ printed }) => printed('ready')));
  for (const { process: child } of running) child.stdin?.write('go\n');
  const ends = await Promise.all(running.map(({ end }) => end));
  expect(ends.map(({ stderr }) => stderr)).toEqual(drafts.map(() => ''));
  expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
  return ends.map(({ stdout }) => JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}

const kinds = (outcomes: readonly LearnedOutcome[]) => outcomes.map(({ kind }) => kind).sort();

describe('AG-47: several agents at once', () => {
  test('4 that learn the same correction make one memory', async () => {
    const outcomes = await atOnce(Array.from({ length: 4 }, () => fastSubset()));
    expect(kinds(outcomes)).toEqual(['created', 'duplicate', 'duplicate', 'duplicate']);
    expect(new Set(outcomes.map((outcome) => 'name' in outcome && outcome.name)).size).toBe(1);
    expect([count(store, 'memories'), store.files()]).toEqual([1, ['feedback/when-running-the-shop-api-tests.toml']]);
  }, 60_000);

  test('4 that learn it in other words make one memory as well', async () => {
    const actions = [
      'run make test-fast',
      'always run make test-fast!',
      'Run: make test-fast',
      'just run make test-fast',
    ];
    const outcomes = await atOnce(actions.map((action) => fastSubset({ action })));
    expect(kinds(outcomes)).toEqual(['created', 'duplicate', 'duplicate', 'duplicate']);
    expect(count(store, 'memories')).toBe(1);
  }, 60_000);

  test('4 that contradict what is known replace it once', async () => {
    const { name } = learned(store, fullSuite(), { scope: HERE });
    const outcomes = await atOnce(Array.from({ length: 4 }, () => fastSubset()));
    expect(kinds(outcomes)).toEqual(['duplicate', 'duplicate', 'duplicate', 'replaced']);
    expect(store.row(name)).toMatchObject({ action: 'run make test-fast' });
    expect([count(store, 'memories'), count(store, 'history')]).toEqual([1, 1]);
  }, 60_000);

  test('of two that contradict each other none is left unnoticed', async () => {
    const outcomes = await atOnce([fastSubset(), fullSuite({ confidence: 1 })]);
    expect(kinds(outcomes)).toEqual(['created', 'replaced']);
    expect([count(store, 'memories'), count(store, 'history')]).toEqual([1, 1]);
  }, 60_000);
});

test('AG-10, AG-37: what a failure taught before a crash does not cover it when its message is read again', async () => {
  using engram = await openEngram({ root: store.root, origin: 'agent', embedding: { provider: 'none' } });
  const tools = {
    context: () => engram.context,
    query: engram.query,
    compare: engram.compare,
    refresh: engram.refresh,
  };
  const { situation, behavior = '', impact = '', action = '' } = fullSuite();
  const work: LearnWork = {
    kind: 'learn',
    key: 'failure:one',
    origin: 'failure',
    reply: { to: 'executor', thread: 'tests', re: 'h2' },
    record: { type: 'feedback', situation, behavior, impact, action },
    confidence: 0.7,
    source: 'observed failure, 2026-12-01',
    everywhere: false,
    draft: null,
    intentKey: 'h1',
  };
  const learn = (key: string) =>
    doLearn(tools, { ...work, key }, { chatFile: '/chat.toml', project: project('shop-api'), shown: [] });
  const first = await learn('failure:one');
  expect(first).toMatchObject({ kind: 'created' });
  expect(await learn('failure:one')).toEqual(first);
  expect(await learn('failure:two')).toMatchObject({ kind: 'covered' });
  expect(count(store, 'memories')).toBe(1);
});

test('AG-47: a process that hangs in a write keeps nobody else from learning, and the agent answers meanwhile', async () => {
  using engram = await openEngram({ root: store.root, origin: 'agent', embedding: { provider: 'none' } });
  learned(store, fullSuite({ situation: 'When something else is done' }), { scope: HERE });
  const path = store.at('feedback/stuck.toml');
  using _lock = acquireLock(path, { now: Date.now });
  store.sql(
    `INSERT INTO pending_writes(name, op, payload, owner, at_ms)
     VALUES ('feedback/stuck', 'create', '{"step":"agree","path":"feedback/stuck.toml"}', 'another', 0)`,
  );
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 20);
  const outcome = await writeLearned(
    { context: engram.context, search: engram, refresh: async () => ({ missing: [] }) },
    fastSubset(),
    { project: project('shop-api'), everywhere: false, idempotencyKey: 'beside' },
  ).finally(() => clearInterval(counting));
  expect(outcome).toMatchObject({ kind: 'created' });
  expect(turns).toBeGreaterThan(20);
});

describe('AG-47, AG-10: an agent that dies anywhere gives the same answer when it is asked again', () => {
  const SCENARIOS = [
    [1, 'a new memory', 'created', () => undefined],
    [2, 'a replacement', 'replaced', (at: TestStore) => learned(at, fullSuite(), { scope: HERE })],
    [
      3,
      'a conflict',
      'conflict',
      (at: TestStore) => setPinned(at.context, learned(at, fullSuite(), { scope: HERE }).name, true),
    ],
  ] as const;

  test.each(SCENARIOS)(
    'from call %i on: %s',
    async (start, _, kind, prepare) => {
      let deaths = 0;
      for (let nth = STEP === 1 ? 1 : start; ; nth += STEP) {
        using fresh = await temporaryStore();
        prepare(fresh);
        const [memories, history] = [Number(count(fresh, 'memories')), Number(count(fresh, 'history'))];
        const child = learner(fresh, fastSubset(), 'once', nth);
        child.process.stdin?.write('go\n');
        const { signal, stderr } = await child.end;
        expect(stderr).toBe('');
        if (signal === 'SIGKILL') deaths += 1;
        using engram = await openEngram({ root: fresh.root, origin: 'agent', embedding: { provider: 'none' } });
        const again = () =>
          writeLearned({ context: engram.context, search: engram, refresh: engram.refresh }, fastSubset(), {
            project: project('shop-api'),
            everywhere: false,
            idempotencyKey: 'once',
          });
        const first = await again();
        expect([nth, first.kind]).toEqual([nth, kind]);
        expect(await again()).toEqual(first);
        expect(count(fresh, 'memories')).toBe(memories + (kind === 'replaced' ? 0 : 1));
        expect(count(fresh, 'conflicts')).toBe(kind === 'conflict' ? 1 : 0);
        // A death before the file was written leaves the text in history, and it is written there once more.
        if (kind === 'replaced') expect(Number(count(fresh, 'history'))).toBeLessThanOrEqual(history + 2);
        expect(fresh.sql('SELECT * FROM pending_writes')).toEqual([]);
        expect(readdirSync(join(fresh.root, 'memory/feedback')).filter((name) => /\.lock$/.test(name))).toEqual([]);
        if (signal === null) break;
      }
      expect(deaths).toBeGreaterThan(4);
    },
    120_000,
  );
});
