import { describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { type MergeResult, mergeRecords } from '../../src/sync/merge.ts';
import { planSync, type Reconcile } from '../../src/sync/plan.ts';
import { record } from './records.ts';

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
