import { describe, expect, test } from 'vitest';
import type { MemoryRecord, RecordKey } from '../../src/memory/record.ts';
import { mergeFirstMeeting, mergeRecords } from '../../src/sync/merge.ts';
import { fact, record } from './records.ts';

type Values = Partial<MemoryRecord>;

describe('SY-15: core goes pinned > plain by decision > promoted > plain', () => {
  const STATES = [
    ['pinned', { core: true, core_origin: 'user' }],
    ['plain by decision', { core: false, core_origin: 'user' }],
    ['promoted', { core: true, core_origin: 'auto' }],
    ['plain', { core: false, core_origin: null }],
  ] as const;
  const pairs = STATES.flatMap(([stronger, strong], i) =>
    STATES.slice(i + 1).map(([weaker, weak]) => ({ stronger, weaker, strong, weak })),
  );

  test.each(pairs)('$stronger beats $weaker at a first meeting, on either side', ({ strong, weak }) => {
    expect(mergeFirstMeeting(record(strong), record(weak)).record).toMatchObject(strong);
    expect(mergeFirstMeeting(record(weak), record(strong)).record).toMatchObject(strong);
  });

  test('a pin beats a promotion made at the same time, on either side', () => {
    const pinned = record({ core: true, core_origin: 'user' });
    const promoted = record({ core: true, core_origin: 'auto' });
    expect(mergeRecords(record(), pinned, promoted).record).toEqual(pinned);
    expect(mergeRecords(record(), promoted, pinned).record).toEqual(pinned);
  });

  test('MF-43: who changes only core has decided, whatever origin stands beside it', () => {
    const decidedPlain = record({ core: false, core_origin: 'auto' });
    const pinnedAgain = record({ core: true, core_origin: 'auto' });
    const byCommand = record({ core: false, core_origin: 'user' });
    expect(mergeRecords(decidedPlain, pinnedAgain, byCommand).record).toEqual(pinnedAgain);
    expect(mergeRecords(decidedPlain, byCommand, pinnedAgain).record).toEqual(pinnedAgain);
  });

  test('MF-43: core = false by hand on a pinned memory without origin beats a promotion', () => {
    const pinned = record({ core: true });
    const unset = record({ core: false });
    const promoted = record({ core: true, core_origin: 'auto' });
    expect(mergeRecords(pinned, unset, promoted).record).toEqual(unset);
    expect(mergeRecords(pinned, promoted, unset).record).toEqual(unset);
  });

  test('MF-43: core = false by hand on a promoted memory beats its demotion and adds nothing', () => {
    const promoted = record({ core: true, core_origin: 'auto' });
    const byHand = record({ core: false, core_origin: 'auto' });
    const demoted = record({ core: false, core_origin: null });
    expect(mergeRecords(promoted, byHand, demoted).record).toEqual(byHand);
    expect(mergeRecords(promoted, demoted, byHand).record).toEqual(byHand);
  });
});

describe('SY-15: what comes from the file', () => {
  test('type, schema_version and unknown keys, with the row in history', () => {
    const row = record({ schema_version: 2, type: 'fact', extra: null });
    const file = record({ extra: '{"owner":"platform"}' });
    const merge = mergeRecords(record(), file, row);
    expect(merge).toMatchObject({ record: file, clashes: [], overwritten: { file: false, row: true } });
  });

  test('a text of the other type written by SQL reaches no file', () => {
    const merge = mergeRecords(record(), record(), record({ subject: 'orders' }));
    expect(merge).toMatchObject({ record: record(), clashes: [], overwritten: { file: false, row: true } });
  });

  test('a file that became a fact keeps its type; the row edit of a lost text is a clash', () => {
    const merge = mergeRecords(record(), fact(), record({ action: 'Ask first' }));
    expect(merge.record).toEqual(fact());
    expect(merge.clashes).toEqual([
      { field: 'action', baseValue: record().action, fileValue: null, rowValue: 'Ask first' },
    ]);
    expect(merge.overwritten.row).toBe(true);
  });
});

describe('SY-16', () => {
  test.each([
    ['white space', 'Ask  the owner\nfirst ', 'Ask the owner first'],
    ['NFC', 'Ask in the cafe\u0301', 'Ask in the caf\u00e9'],
  ])('texts equal after folding of %s do not clash; the file stays', (_, file, row) => {
    const merge = mergeRecords(record(), record({ action: file }), record({ action: row }));
    expect(merge).toMatchObject({ record: { action: file }, clashes: [], overwritten: { file: false, row: true } });
  });

  test.each<[RecordKey, Values]>([
    ['action', { action: 'new' }],
    ['source', { source: 'new' }],
    ['core', { core: true }],
    ['project_slug', { project_slug: 'api' }],
    ['initial_confidence', { initial_confidence: 1 }],
  ])('a changed %s of one side is taken, the other side goes to history first', (_, changes) => {
    const edited = record(changes);
    expect(mergeRecords(record(), edited, record())).toMatchObject({
      record: edited,
      overwritten: { file: false, row: true },
    });
    expect(mergeRecords(record(), record(), edited)).toMatchObject({
      record: edited,
      overwritten: { file: true, row: false },
    });
  });

  test('counters and times alone leave events and no history', () => {
    const file = record({ surfaced_count: 7, updated_at: '2026-05-01T00:00:00Z' });
    const merge = mergeRecords(record(), file, record({ followed_count: 5 }));
    expect(merge.overwritten).toEqual({ file: false, row: false });
    expect(merge.events).toEqual([
      { key: 'surfaced_count', delta: 1, origin: 'file' },
      { key: 'followed_count', delta: 1, origin: 'sql' },
    ]);
  });

  test('S12: an edit of action in the row and of impact in the file both end in place', () => {
    const merge = mergeRecords(record(), record({ impact: 'file' }), record({ action: 'row' }));
    expect(merge.record).toEqual(record({ impact: 'file', action: 'row' }));
    expect(merge).toMatchObject({ clashes: [], overwritten: { file: true, row: true } });
  });

  test('a clash names all three values', () => {
    const merge = mergeRecords(record({ action: 'a' }), record({ action: 'b' }), record({ action: 'c' }));
    expect(merge.clashes).toEqual([{ field: 'action', baseValue: 'a', fileValue: 'b', rowValue: 'c' }]);
  });
});

test('SY-23: a first meeting with a row that has no such text is no clash', () => {
  expect(mergeFirstMeeting(record(), record({ action: null, impact: '' }))).toMatchObject({
    record: record(),
    clashes: [],
  });
});

test('SY-15: a first meeting needs review when either side does', () => {
  expect(mergeFirstMeeting(record(), record({ needs_review: true })).record.needs_review).toBe(true);
  expect(mergeFirstMeeting(record({ needs_review: true }), record()).record.needs_review).toBe(true);
});

test('SY-25: a row loses no unknown keys at a first meeting', () => {
  const file = record({ extra: '{"owner":"platform"}' });
  expect(mergeFirstMeeting(file, record())).toMatchObject({ record: file, overwritten: { file: false, row: false } });
});

test('SY-23: at a first meeting a text that the type of the file has no key for is no clash', () => {
  const merge = mergeFirstMeeting(record(), record({ subject: 'orders' }));
  expect(merge).toMatchObject({ record: record(), clashes: [], overwritten: { file: false, row: true } });
});

test.each(['created_at', 'updated_at', 'initial_confidence'] as const)(
  'MF-22, SY-25: a null %s on either side is an absent key and no change',
  (key) => {
    const edited = record({
      created_at: '2026-04-01T00:00:00Z',
      updated_at: '2026-05-01T00:00:00Z',
      initial_confidence: 1,
    });
    const absent = record({ [key]: null });
    expect(mergeRecords(record(), edited, absent).record).toEqual(edited);
    expect(mergeRecords(record(), absent, edited).record).toEqual(edited);
    expect(mergeRecords(record(), record(), absent).record).toEqual(record());
    expect(mergeRecords(record(), absent, record()).record).toEqual(record());
  },
);
