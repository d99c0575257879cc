import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { editMemoryFields } from '../../src/learning/edit.ts';
import { countOutcome } from '../../src/learning/outcomes.ts';
import { COUNTER_KEYS } from '../../src/memory/record.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { syncExit } from '../../src/sync/report.ts';
import { syncAll } from '../../src/sync/sync.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { engramError } from '../support/engram-error.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const M = 'feedback/m' as MemoryName;
const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../fixtures/memories/feedback/${name}.toml`, import.meta.url)));
const E1 = fixture('e1-canonical-feedback');
const E3 = fixture('e3-nested-counters');

const recordOf = (store: TestStore) => {
  const { pk: _, ...row } = store.row(M) ?? {};
  return row;
};

test('S17: while a writer truncates, waits and writes chunks, no partial record is ever visible', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', E3);
  store.sync();
  const before = recordOf(store);
  const text = E3.toString()
    .replace('surfaced_count = 9', 'surfaced_count = 10')
    .replace('make client"', 'make clients"');
  const source = join(store.root, 'new-content');
  writeFileSync(source, text);
  const child = spawn(process.execPath, [
    bundleForChild(new URL('./children/write-slowly.ts', import.meta.url)),
    store.at('feedback/m.toml'),
    source,
  ]);
  await once(child.stdout, 'data');
  let done = false;
  const ended = once(child, 'exit').then(() => {
    done = true;
  });
  const seen = new Set<string>();
  for (let looks = 0; !done; looks += 1) {
    store.sync({ patient: looks % 5 === 0 });
    seen.add(JSON.stringify(recordOf(store)));
    await new Promise(setImmediate);
  }
  await ended;
  store.sync();
  const after = recordOf(store);
  seen.add(JSON.stringify(after));
  expect(after).toMatchObject({ surfaced_count: 10, action: expect.stringMatching(/make clients$/) });
  expect([...seen].filter((record) => ![JSON.stringify(before), JSON.stringify(after)].includes(record))).toEqual([]);
});

/** Every prefix of `whole` as a static file: sync at once, then when it has stood for two seconds. */
async function syncEveryPrefix(
  whole: Uint8Array,
  check: (length: number, early: ReturnType<TestStore['sync']>, late: ReturnType<TestStore['sync']>) => void,
): Promise<void> {
  using store = await temporaryStore();
  store.context.store.db.pragma('synchronous = OFF'); // Thousands of transactions, none of them to be survived.
  store.write('feedback/m.toml', whole);
  store.sync();
  const before = recordOf(store);
  for (let length = 0; length < whole.length; length += 1) {
    store.write('feedback/m.toml', whole.subarray(0, length));
    const early = store.sync({ patient: false });
    expect(recordOf(store)).toEqual(before);
    const late = syncAll({ ...store.context, clock: () => Date.now() + 2001 }, { patient: false });
    const row = recordOf(store);
    for (const key of COUNTER_KEYS) expect(row[key]).toBeGreaterThanOrEqual(Number(before[key]));
    expect(row).toEqual(before);
    check(length, early, late);
  }
  store.write('feedback/m.toml', whole);
  expect(syncExit(store.sync())).toBe(0);
  expect(recordOf(store)).toEqual(before);
  expect(store.sql('SELECT kind, sum(delta) AS n FROM outcome_events GROUP BY kind HAVING n < 0')).toEqual([]);
}

test.each([
  ['E1', E1],
  ['E3', E3],
])(
  'S17, MF-20, SY-41: every byte prefix of %s after a sync is in progress, then truncated',
  async (_, whole) => {
    await syncEveryPrefix(whole, (length, early, late) => {
      const onlyLineEnd = length === whole.length - 1;
      expect(early.quarantined).toEqual([]);
      expect(early.unfinished).toEqual([{ name: M, reason: 'in-progress' }]);
      expect(syncExit(early)).toBe(5);
      if (onlyLineEnd) expect([late.quarantined, syncExit(late)]).toEqual([[], 0]);
      else expect(late.quarantined).toMatchObject([{ path: 'feedback/m.toml', reason: 'truncated' }]);
    });
  },
  60_000,
);

test('MF-20: a cut inside the last number is a cut, not another count or confidence', async () => {
  using store = await temporaryStore();
  const whole = `${E3.toString()
    .split('\n')
    .filter((line) => !/^(missed|initial|created|updated)/.test(line))
    .join('\n')}`;
  const text = `${whole.trimEnd()}\nmissed_count = 12\ninitial_confidence = 0.75\n`;
  store.write('feedback/m.toml', text);
  store.sync();
  for (const cut of ['\n', '5\n', '.75\n', '0.75\n', '2\ninitial_confidence = 0.75\n']) {
    store.write('feedback/m.toml', text.slice(0, -cut.length));
    store.advance(2001);
    store.sync();
    expect(store.row(M)).toMatchObject({ missed_count: 12, initial_confidence: 0.75 });
  }
});

test('MF-20: the one-shot sync waits once for what is half-written and takes it as it then is', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.write('feedback/m.toml', feedbackText({ action: '"Without a line end"' }).trimEnd());
  const startedMs = Date.now();
  const report = store.sync();
  expect(Date.now() - startedMs).toBeGreaterThan(1500);
  expect([report.imported, syncExit(report)]).toEqual([1, 0]);
  expect(store.row(M)).toMatchObject({ action: 'Without a line end' });
});

test('MF-20: the first sight counts across processes, and a time in the future does not count', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.write('feedback/m.toml', '');
  const future = new Date('2099-01-01T00:00:00Z');
  utimesSync(store.at('feedback/m.toml'), future, future);
  expect(syncExit(store.sync({ patient: false }))).toBe(5);
  expect(store.sql('SELECT side, name, reason FROM quarantine')).toEqual([
    { side: 'file', name: M, reason: 'in-progress' },
  ]);
  using other = await temporaryStore(store.root);
  other.advance(2001);
  const report = other.sync({ patient: false });
  expect(report.quarantined).toMatchObject([{ reason: 'truncated' }]);
  expect(other.row(M)).toMatchObject({ followed_count: 4 });
});

test('MF-20: a comment ends the suspicion of a cut; a table that a person removed is removed', async () => {
  using store = await temporaryStore();
  const whole = `${feedbackText()}\n[links]\nrunbook = "ops"\n`;
  store.write('feedback/m.toml', whole);
  store.sync();
  store.write('feedback/m.toml', feedbackText());
  store.advance(2001);
  expect(store.sync().imported).toBe(1);
  expect(store.row(M)).toMatchObject({ extra: null, followed_count: 4 });
  store.write('feedback/m.toml', '');
  store.advance(2001);
  expect(store.sync({ patient: false }).quarantined).toHaveLength(1);
  store.write('feedback/m.toml', `${feedbackText()}# whole again\n`);
  expect(store.sync({ patient: false })).toMatchObject({ quarantined: [], unfinished: [] });
});

test('SY-17, MF-22: a counter goes down only in a whole file; a missing one returns with the next write', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.write('feedback/m.toml', feedbackText({ surfaced_count: '2' }).replace('missed_count = 0\n', ''));
  store.sync();
  expect(store.row(M)).toMatchObject({ surfaced_count: 6, missed_count: 0 });
  countOutcome(store.context, M, { kind: 'surfaced' });
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7\n');
  expect(store.read('feedback/m.toml')).toContain('missed_count = 0\n');
  store.write('feedback/m.toml', feedbackText({ surfaced_count: '2' }));
  store.sync();
  expect(store.row(M)).toMatchObject({ surfaced_count: 2 });
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE kind = 'surfaced'`)).toEqual([{ n: 2 }]);
});

test('SY-41: while a file is half-written an edit is refused, and a count goes to the row', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.write('feedback/m.toml', feedbackText().slice(0, 300));
  expect(countOutcome(store.context, M, { kind: 'surfaced' })).toMatchObject({ counted: true, pending: true });
  const edit = () => editMemoryFields(store.context, M, { action: 'By engram edit' });
  expect(edit).toThrow(engramError('write.contended'));
  expect(store.read('feedback/m.toml')).toBe(feedbackText().slice(0, 300));
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7\n');
});
