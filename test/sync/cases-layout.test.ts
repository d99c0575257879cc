import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { syncExit } from '../../src/sync/report.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const M = 'feedback/m' as MemoryName;

const rows = (store: TestStore) => store.sql('SELECT * FROM memories ORDER BY name');

/** Lines of `after` that `before` does not have at the same place. */
function differingLines(before: string, after: string): string[] {
  const old = before.split('\n');
  return after.split('\n').filter((line, at) => line !== old[at]);
}

test('S18: a broken quote keeps bytes and row; SQL and an outcome wait, then all three are merged', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  const broken = feedbackText({ impact: '"The quote is missing', behavior: '"By hand"' });
  store.write('feedback/m.toml', broken);
  store.sql(`UPDATE memories SET action = 'By SQL'`);
  expect(countOutcome(store.context, M, { kind: 'followed' })).toMatchObject({ counted: true, pending: true });
  const report = store.sync();
  expect(syncExit(report)).toBe(6);
  expect(report.quarantined).toMatchObject([{ path: 'feedback/m.toml', line: 19, reason: 'syntax' }]);
  expect(report.quarantined[0]?.column).toBeGreaterThan(1);
  expect(store.read('feedback/m.toml')).toBe(broken);
  expect(store.row(M)).toMatchObject({
    action: 'By SQL',
    followed_count: 5,
    behavior: expect.stringContaining('Adding'),
  });
  expect(store.sql(`SELECT count(*) > 0 AS pending FROM changes WHERE name = ?`, M)).toEqual([{ pending: 1 }]);
  store.write('feedback/m.toml', feedbackText({ impact: '"The quote is there"', behavior: '"By hand"' }));
  const fixed = store.sync();
  expect([fixed.quarantined, fixed.openConflicts, syncExit(fixed)]).toEqual([[], 0, 0]);
  const all = { action: 'By SQL', followed_count: 5, behavior: 'By hand', impact: 'The quote is there' };
  expect(store.row(M)).toMatchObject(all);
  for (const value of ['"By SQL"', '"By hand"', '"The quote is there"', 'followed_count = 5']) {
    expect(store.read('feedback/m.toml')).toContain(value);
  }
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE kind = 'followed'`)).toEqual([{ n: 5 }]);
  expect(store.sync().steps).toEqual([]);
});

test('S21: a BOM and CRLF file keeps both; one more surfaced changes two lines', async () => {
  using store = await temporaryStore();
  const text = `\ufeff${feedbackText().replaceAll('\n', '\r\n')}`;
  store.write('feedback/m.toml', text);
  store.sync();
  countOutcome(store.context, M, { kind: 'surfaced' });
  const after = store.read('feedback/m.toml');
  expect(after.startsWith('\ufeff')).toBe(true);
  expect(
    after
      .split('\n')
      .slice(0, -1)
      .every((line) => line.endsWith('\r')),
  ).toBe(true);
  expect(differingLines(text, after)).toEqual([expect.stringMatching(/^updated_at = "/), 'surfaced_count = 7\r']);
});

const CROWDED = `# who wrote this
schema_version = 1 # the layout
owner = "platform" # unknown
situation = """
When a text has
several lines""" # multi-line
source = "user correction" # where from

[content] # the three
behavior = '''
literal "text"''' # b
impact = "lost" # i
action = "act" # a
# counters, by hand
surfaced_count = 9 # s
followed_count = 1 # f
updated_at = 2026-04-15T11:22:33Z # a date-time

[links] # unknown table
runbook = "ops" # r
`;

test('S22: comments on every line, unknown keys and tables, nested counters: two lines differ in place', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', CROWDED);
  store.sync();
  countOutcome(store.context, M, { kind: 'surfaced' });
  const lines = differingLines(CROWDED, store.read('feedback/m.toml'));
  expect(lines).toEqual(['surfaced_count = 10 # s', expect.stringMatching(/^updated_at = \d{4}-.*Z # a date-time$/)]);
});

test('S22, MF-17: a file of a newer version is indexed and never written; counts wait in its row', async () => {
  using store = await temporaryStore();
  const text = feedbackText({ schema_version: '3' });
  store.write('feedback/m.toml', text);
  store.sync();
  expect(countOutcome(store.context, M, { kind: 'surfaced' })).toMatchObject({ counted: true, pending: true });
  store.sql(`UPDATE memories SET action = 'By SQL'`);
  const report = store.sync();
  expect(report.waiting).toEqual([{ name: M, reason: 'read-only' }]);
  expect(store.read('feedback/m.toml')).toBe(text);
  expect(store.row(M)).toMatchObject({ surfaced_count: 7, action: 'By SQL' });
  store.sync();
  expect(store.row(M)).toMatchObject({ surfaced_count: 7, action: 'By SQL' });
  // Once the program that wrote it gives it the present layout, everything is exported.
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7\n');
  expect(store.read('feedback/m.toml')).toContain('action = "By SQL"\n');
});

test('SY-45: a change of layout alone refreshes the base and writes no row', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  const before = rows(store);
  const moved = `# a comment\n${feedbackText().replace(/ = /g, '=').trimEnd()}`;
  for (const text of [moved, `${moved}\n`, `\ufeff${moved}\n`.replaceAll('\n', '\r\n')]) {
    store.write('feedback/m.toml', text);
    expect(store.sync().steps).toEqual([]);
    expect(rows(store)).toEqual(before);
    expect(store.sql('SELECT CAST(bytes AS TEXT) AS text FROM bases')).toEqual([{ text }]);
  }
});

test('X10, SY-49: a file written a moment ago is ingested first, then counted', async () => {
  using store = await temporaryStore();
  store.sync();
  store.write('feedback/m.toml', feedbackText());
  countOutcome(store.context, M, { kind: 'followed' });
  expect(store.row(M)).toMatchObject({ followed_count: 5, surfaced_count: 6 });
  store.write('feedback/m.toml', store.read('feedback/m.toml').replace('"The orders table', '"The whole orders table'));
  appendFileSync(store.at('feedback/m.toml'), '# a last comment\n');
  countOutcome(store.context, M, { kind: 'followed' });
  expect(store.row(M)).toMatchObject({ followed_count: 6, impact: expect.stringContaining('whole orders') });
  expect(store.read('feedback/m.toml')).toMatch(/followed_count = 6\n(.*\n)*# a last comment\n$/);
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE kind = 'followed'`)).toEqual([{ n: 6 }]);
});
