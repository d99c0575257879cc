import { describe, expect, test } from 'vitest';
import type { MemoryRecord, RecordKey } from '../../src/memory/record.ts';
import { type MergeResult, mergeFirstMeeting, mergeRecords } from '../../src/sync/merge.ts';
import { planSync, type Reconcile } from '../../src/sync/plan.ts';
import { fact, record } from './records.ts';

type Values = Partial<MemoryRecord>;

interface FieldKind {
  readonly kind: string;
  /** The optional key left out: what the reader makes of it. */
  readonly values: { readonly a: Values; readonly b: Values; readonly c: Values; readonly missing?: Values };
  /** Result per file value (rows) and row value a, b, c (columns); `!` = a conflict row as well. */
  readonly based: Readonly<Record<string, string>>;
  readonly first: Readonly<Record<string, string>>;
}

const KINDS: readonly FieldKind[] = [
  ...(['situation', 'behavior', 'impact', 'action'] as const).map((key) => ({
    kind: `text ${key}`,
    values: { a: { [key]: 'text a' }, b: { [key]: 'text b' }, c: { [key]: 'text c' } },
    based: { a: 'a b c', b: 'b b b!' },
    first: { a: 'a a! a!', b: 'b! b b!' },
  })),
  {
    kind: 'scope, two projects',
    values: {
      a: { project_scoped: false, project_slug: '' },
      b: { project_scoped: true, project_slug: 'web' },
      c: { project_scoped: true, project_slug: 'api' },
    },
    based: { a: 'a b c', b: 'b b b!' },
    first: { a: 'a b c', b: 'b b b!' },
  },
  {
    kind: 'scope, scoped in the row only',
    values: {
      a: { project_scoped: true, project_slug: 'api' },
      b: { project_scoped: false, project_slug: '' },
      c: { project_scoped: true, project_slug: 'web' },
    },
    based: { a: 'a b c', b: 'b b c' },
    first: { a: 'a a a!', b: 'a b c' },
  },
  {
    kind: 'plain source',
    values: { a: { source: 'a' }, b: { source: 'b' }, c: { source: 'c' }, missing: { source: '' } },
    based: { a: 'a b c', b: 'b b b', missing: 'missing missing missing' },
    first: { a: 'a a a', b: 'b b b', missing: 'missing missing missing' },
  },
  {
    kind: 'plain initial_confidence',
    values: {
      a: { initial_confidence: 0.4 },
      b: { initial_confidence: 0 },
      c: { initial_confidence: 1 },
      missing: { initial_confidence: null },
    },
    based: { a: 'a b c', b: 'b b b', missing: 'a b c' },
    first: { a: 'a a a', b: 'b b b', missing: 'a b c' },
  },
  {
    kind: 'time created_at',
    values: {
      a: { created_at: '2026-04-02T10:00:00Z' },
      b: { created_at: '2026-04-02T10:00:00.5Z' },
      c: { created_at: '2026-04-02T09:59:59Z' },
      missing: { created_at: null },
    },
    based: { a: 'a b c', b: 'b b c', missing: 'a b c' },
    first: { a: 'a a c', b: 'a b c', missing: 'a b c' },
  },
  {
    kind: 'time updated_at',
    values: {
      a: { updated_at: '2026-04-20T08:15:30Z' },
      b: { updated_at: '2026-04-20T08:15:30.25Z' },
      c: { updated_at: '2026-04-21T00:00:00Z' },
      missing: { updated_at: null },
    },
    based: { a: 'a b c', b: 'b b c', missing: 'a b c' },
    first: { a: 'a b c', b: 'b b c', missing: 'a b c' },
  },
  {
    kind: 'core',
    values: {
      a: { core: false, core_origin: null },
      b: { core: true, core_origin: 'auto' },
      c: { core: true, core_origin: 'user' },
    },
    based: { a: 'a b c', b: 'b b c' },
    first: { a: 'a b c', b: 'b b c' },
  },
  {
    kind: 'flag needs_review',
    values: { a: { needs_review: false }, b: { needs_review: true }, c: { needs_review: true } },
    based: { a: 'a b c', b: 'b b b' },
    first: { a: 'a b c', b: 'b b b' },
  },
];

function letters(table: Readonly<Record<string, string>>) {
  return Object.entries(table).flatMap(([file, cells]) =>
    cells.split(' ').map((cell, i) => ({ file, row: 'abc'.charAt(i), cell })),
  );
}

function reconciled(base: MemoryRecord | null, file: MemoryRecord, row: MemoryRecord): MergeResult {
  const action = planSync({
    file: { state: 'record', record: file, readOnly: false },
    row: { state: 'record', record: row },
    base,
    archived: null,
  });
  return action.kind === 'none'
    ? { record: row, clashes: [], overwritten: { file: false, row: false }, events: [] }
    : (action as Reconcile).merge;
}

describe.each(KINDS)('SY-15 S15: $kind', ({ values, based, first }) => {
  const value = (letter: string): Values => (values as Record<string, Values>)[letter] ?? {};

  test.each(letters(based))('base a, file $file, row $row gives $cell', ({ file, row, cell }) => {
    const merge = reconciled(record(value('a')), record(value(file)), record(value(row)));
    expect(merge.record).toMatchObject(value(cell.charAt(0) === 'm' ? 'missing' : cell.charAt(0)));
    expect(merge.clashes).toHaveLength(cell.endsWith('!') ? 1 : 0);
  });

  test.each(letters(first))('no base, file $file, row $row gives $cell', ({ file, row, cell }) => {
    const merge = reconciled(null, record(value(file)), record(value(row)));
    expect(merge.record).toMatchObject(value(cell.charAt(0) === 'm' ? 'missing' : cell.charAt(0)));
    expect(merge.clashes).toHaveLength(cell.endsWith('!') ? 1 : 0);
  });

  test('after resolving, an edit of one side is no new conflict', () => {
    const resolved = reconciled(record(value('a')), record(value('b')), record(value('c'))).record;
    for (const letter of ['a', 'b', 'c']) {
      const edited = record({ ...value('b'), ...value(letter) });
      expect(reconciled(resolved, edited, resolved)).toMatchObject({ record: edited, clashes: [] });
      expect(reconciled(resolved, resolved, edited)).toMatchObject({ record: edited, clashes: [] });
    }
  });
});

describe.each(['surfaced_count', 'followed_count', 'not_followed_count', 'irrelevant_count', 'missed_count'] as const)(
  'SY-15 S15: counter %s',
  (key) => {
    const counted = (count: number) => record({ [key]: count });
    const merged = (base: number | null, file: number, row: number) =>
      reconciled(base === null ? null : counted(base), counted(file), counted(row));
    const sum = (merge: MergeResult) =>
      merge.events.filter((event) => event.key === key).reduce((total, event) => total + event.delta, 0);

    test.each([
      [5, 5, 5, 5],
      [5, 5, 7, 7],
      [5, 5, 4, 4],
      [5, 7, 5, 7],
      [5, 7, 7, 7],
      [5, 7, 4, 6],
      [5, 8, 9, 12],
      [5, 1, 2, 0],
      [0, 1, 2, 3],
    ])('base %i, file %i, row %i gives %i, and the events add up (SY-7)', (base, file, row, expected) => {
      const merge = merged(base, file, row);
      expect(merge.record[key]).toBe(expected);
      expect(sum(merge)).toBe(expected - base);
      expect(merge).toMatchObject({ clashes: [], overwritten: { file: false, row: false } });
    });

    test.each([
      [3, 5, 5],
      [5, 3, 5],
      [0, 2, 2],
      [4, 4, 4],
    ])('first meeting, file %i, row %i gives the larger', (file, row, expected) => {
      const merge = merged(null, file, row);
      expect(merge.record[key]).toBe(expected);
      expect(sum(merge)).toBe(expected);
    });

    test('SY-7: each side has its own event, and a clamp an adjust', () => {
      expect(mergeRecords(counted(5), counted(1), counted(2)).events).toEqual([
        { key, delta: -4, origin: 'file' },
        { key, delta: -3, origin: 'sql' },
        { key, delta: 2, origin: 'adjust' },
      ]);
    });

    test('MF-10: no counter passes 2^53 - 1', () => {
      const most = Number.MAX_SAFE_INTEGER;
      expect(mergeRecords(counted(most - 1), counted(most), counted(most)).record[key]).toBe(most);
    });
  },
);

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
