import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import { COUNTER_KEYS, type MemoryRecord } from '../../src/memory/record.ts';
import { recordFromJson } from '../../src/memory/record-json.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { syncExit } from '../../src/sync/report.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { type Call, faultyFileSystem } from '../support/failing-file-system.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { M, runWrite, WRITES, type WriteKind } from './written.ts';

const child = bundleForChild(new URL('./children/die-in-a-write.ts', import.meta.url));

async function preparedStore(kind: WriteKind): Promise<TestStore> {
  const store = await temporaryStore();
  store.write('feedback/m.toml', `# kept\n${feedbackText()}`);
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  const { before } = WRITES[kind];
  if (before !== null) store.sql(before);
  return store;
}

/**
 * The calls before which to die: each that gives or takes a name, and the one after it. What lies between two of them is a
 * temp file, or a transaction, which is whole or not at all. ENGRAM_TEST_ALL_CRASHES=1 dies before every call.
 */
async function placesToDie(kind: WriteKind): Promise<number[]> {
  const calls = await callsOf(kind);
  const all = calls.map((_, at) => at + 1);
  if (process.env.ENGRAM_TEST_ALL_CRASHES === '1') return all;
  const named = (call: Call | undefined) => call === 'linkSync' || call === 'renameSync' || call === 'unlinkSync';
  return all.filter((nth) => named(calls[nth - 1]) || named(calls[nth - 2]));
}

async function callsOf(kind: WriteKind): Promise<Call[]> {
  const calls: Call[] = [];
  using store = await preparedStore(kind);
  const fs = faultyFileSystem((call) => {
    calls.push(call);
    return null;
  });
  runWrite({ ...store.context, fs }, kind);
  return calls;
}

function dieBefore(store: TestStore, kind: WriteKind, nth: number): void {
  const died = spawnSync(process.execPath, [child, store.root, kind, String(nth)], { encoding: 'utf8' });
  expect([nth, died.signal, died.stderr]).toEqual([nth, 'SIGKILL', '']);
}

const literally = (store: TestStore, path: string) => store.read(path).split('\n');
const sum = (store: TestStore, name: string, kind: string) =>
  store.sql('SELECT coalesce(sum(delta), 0) AS n FROM outcome_events WHERE name = ? AND kind = ?', name, kind)[0]?.n;

/** What must hold when the write was done, or was never begun; a killed one may end as either, unless a sync does it. */
const CHECKS: Readonly<Record<WriteKind, (store: TestStore) => void>> = {
  count: (store) => {
    // The same count again: it is there once, whether the first one lived or not.
    countOutcome(store.context, M, { kind: 'followed', eventKey: 'once' });
    expect(store.row(M)).toMatchObject({ followed_count: 5 });
    expect(literally(store, 'feedback/m.toml')).toContain('followed_count = 5');
    expect(sum(store, M, 'followed')).toBe(5);
  },
  export: (store) => {
    expect(store.row(M)).toMatchObject({ action: 'By SQL', surfaced_count: 8 });
    expect(literally(store, 'feedback/m.toml')).toEqual(
      expect.arrayContaining(['action = "By SQL"', 'surfaced_count = 8']),
    );
    expect(sum(store, M, 'surfaced')).toBe(8);
    expect(store.sql(`SELECT count(*) > 0 AS kept FROM history WHERE record LIKE '%backfill in batches%'`)).toEqual([
      { kept: 1 },
    ]);
  },
  create: (store) => {
    expect(store.row('feedback/made')).toMatchObject({ surfaced_count: 3 });
    expect(literally(store, 'feedback/made.toml')).toContain('surfaced_count = 3');
    expect(sum(store, 'feedback/made', 'surfaced')).toBe(3);
  },
  delete: (store) => {
    expect([store.row(M), store.exists('feedback/m.toml')]).toEqual([undefined, false]);
    expect(archived(store)).toMatchObject([{ origin: 'sql-delete', text: `# kept\n${feedbackText()}` }]);
    expect(sum(store, M, 'followed')).toBe(0);
  },
  rename: (store) => {
    expect([store.row(M), store.exists('feedback/m.toml')]).toEqual([undefined, false]);
    expect(store.read('feedback/moved.toml')).toBe(`# kept\n${feedbackText()}`);
    expect(store.row('feedback/moved')).toMatchObject({ followed_count: 4 });
    expect(archived(store)).toMatchObject([{ origin: 'renamed', gone_to: 'feedback/moved' }]);
    expect([sum(store, M, 'followed'), sum(store, 'feedback/moved', 'followed')]).toEqual([0, 4]);
  },
  forget: (store) => {
    if (store.row(M) !== undefined) expect(store.read('feedback/m.toml')).toBe(`# kept\n${feedbackText()}`);
    else expect(archived(store)).toMatchObject([{ origin: 'forget', text: `# kept\n${feedbackText()}` }]);
  },
  learn: (store) => {
    const live = store.sql(`SELECT name FROM memories WHERE name = 'feedback/when-learnt'`).length === 1;
    expect(store.exists('feedback/when-learnt.toml')).toBe(live);
    runWrite(store.context, 'learn');
    expect(store.sql(`SELECT name FROM memories WHERE name LIKE 'feedback/when-learnt%'`)).toHaveLength(1);
  },
};

function archived(store: TestStore) {
  return store.sql('SELECT origin, gone_to, CAST(bytes AS TEXT) AS text FROM archive WHERE name = ?', M);
}

/** File, row, base and events agree, and nothing is left lying about. */
function expectHealed(store: TestStore): void {
  expect(store.files().filter((path) => !path.endsWith('.toml'))).toEqual([]);
  expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
  expect(store.sql('SELECT * FROM changes')).toEqual([]);
  expect(listCounterMismatches(store.context.store.db)).toEqual([]);
  const rows = store.sql('SELECT * FROM memories ORDER BY name');
  expect(store.files()).toEqual(rows.map((row) => `${row.name}.toml`));
  const bases = store.sql('SELECT record FROM bases ORDER BY name').map(({ record }) => recordFromJson(String(record)));
  const keys: readonly (keyof MemoryRecord)[] = [...COUNTER_KEYS, 'action', 'situation', 'updated_at'];
  const picked = (record: object) => keys.map((key) => (record as Record<string, unknown>)[key]);
  expect(bases.map(picked)).toEqual(rows.map(picked));
}

describe.each(Object.keys(WRITES) as WriteKind[])('SY-36, SY-38: kill -9 in the middle of %s', (kind) => {
  test('the next sync heals it, no count twice, nothing left', { timeout: 240_000 }, async () => {
    const places = await placesToDie(kind);
    expect(places.length).toBeGreaterThan(4);
    for (const nth of places) {
      using store = await preparedStore(kind);
      dieBefore(store, kind, nth);
      store.advance(61_000); // Temps are swept at that age (MF-9).
      const report = store.sync();
      expect([nth, syncExit(report), report.unfinished]).toEqual([nth, 0, []]);
      expectHealed(store);
      CHECKS[kind](store);
      expect([nth, store.sync().steps]).toEqual([nth, []]);
      expectHealed(store);
    }
  });
});

describe.each([
  ['before', 0, 4],
  ['after', 1, 5],
] as const)('SY-38: kill -9 %s the rename, then a person edits the file', (_, later, followed) => {
  test.each(['count', 'export'] as const)('the %s is there once or not at all, and the edit stays', async (kind) => {
    const renaming = (await callsOf(kind)).indexOf('renameSync') + 1;
    using store = await preparedStore(kind);
    dieBefore(store, kind, renaming + later);
    expect(store.sql('SELECT count(*) AS n FROM pending_writes')).toEqual([{ n: 1 }]);
    store.write(
      'feedback/m.toml',
      store.read('feedback/m.toml').replace(/^impact = .*$/m, 'impact = "After the crash"'),
    );
    store.advance(61_000);
    expect(syncExit(store.sync())).toBe(0);
    expect(store.row(M)).toMatchObject({ impact: 'After the crash' });
    expect(store.read('feedback/m.toml')).toContain('impact = "After the crash"\n');
    if (kind === 'count') {
      expect(store.row(M)).toMatchObject({ followed_count: followed });
      expect(sum(store, M, 'followed')).toBe(followed);
    }
    CHECKS[kind](store);
    expectHealed(store);
  });
});
