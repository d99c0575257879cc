import { describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { type ArchiveEntry, type FileSide, planSync, type RowSide, type SyncAction } from '../../src/sync/plan.ts';
import { record } from './records.ts';

const A = record();
const COUNTED = record({ surfaced_count: 7, updated_at: '2026-05-01T00:00:00Z' });
const EDITED = record({ action: 'Ask the owner first' });
const OTHER = record({ impact: 'Checkout was down' });
const CLASHING = record({ action: 'Never do it' });

const GONE = { state: 'gone' } as const;
const UNKNOWN = { state: 'unknown' } as const;
const BAD = { state: 'bad' } as const;
const NONE = { state: 'none' } as const;
const DELETED = { state: 'gone', wish: 'sql' } as const;
const FORGOTTEN = { state: 'gone', wish: 'forget' } as const;
const file = (of: MemoryRecord, readOnly = false): FileSide => ({ state: 'record', record: of, readOnly });
const row = (of: MemoryRecord): RowSide => ({ state: 'record', record: of });

function plan(base: MemoryRecord | null, f: FileSide, r: RowSide, archived: ArchiveEntry | null = null): SyncAction {
  return planSync({ file: f, row: r, base, archived });
}

type Line = readonly [string, MemoryRecord | null, FileSide, RowSide, Record<string, unknown>];

test.each<Line>([
  ['= base, = base: nothing', A, file(A), row(A), { kind: 'none', touchesFile: false, touchesRow: false }],
  [
    'changed, = base: import',
    A,
    file(EDITED),
    row(A),
    { kind: 'import', target: EDITED, agreed: EDITED, touchesFile: false, touchesRow: true },
  ],
  [
    '= base, changed: export',
    A,
    file(A),
    row(EDITED),
    { kind: 'export', target: EDITED, agreed: EDITED, touchesFile: true, touchesRow: false },
  ],
  [
    'both changed alike: agree',
    A,
    file(EDITED),
    row(EDITED),
    { kind: 'agree', target: EDITED, agreed: EDITED, touchesFile: false, touchesRow: false },
  ],
  [
    'both changed: merge',
    A,
    file(EDITED),
    row(OTHER),
    {
      kind: 'merge',
      target: record({ action: EDITED.action, impact: OTHER.impact }),
      touchesFile: true,
      touchesRow: true,
    },
  ],
  [
    'gone, = base: archive',
    A,
    GONE,
    row(A),
    { kind: 'archive', reason: 'file-removed', record: A, missing: 'file', touchesRow: true, deletion: true },
  ],
  [
    'gone, counters changed: archive with the counters',
    A,
    GONE,
    row(COUNTED),
    { kind: 'archive', reason: 'file-removed', record: COUNTED, touchesRow: true, deletion: true },
  ],
  [
    'gone, authored field changed: the edit survives',
    A,
    GONE,
    row(EDITED),
    { kind: 'create-file', reason: 'edit-beats-delete', target: EDITED, touchesFile: true, deletion: false },
  ],
  [
    '= base, row deleted: delete file',
    A,
    file(A),
    DELETED,
    { kind: 'delete-file', reason: 'sql-delete', record: A, missing: 'row', touchesFile: true, deletion: true },
  ],
  [
    'counters changed, row deleted: delete file, archive with its counters',
    A,
    file(COUNTED),
    DELETED,
    { kind: 'delete-file', reason: 'sql-delete', record: COUNTED, deletion: true },
  ],
  [
    '= base, forgotten: delete file, not counted by the brake',
    A,
    file(A),
    FORGOTTEN,
    { kind: 'delete-file', reason: 'forget', record: A, touchesFile: true, deletion: false },
  ],
  ...[DELETED, FORGOTTEN].map(
    (gone): Line => [
      `authored field changed, row gone (${gone.wish}): the edit survives`,
      A,
      file(EDITED),
      gone,
      { kind: 'import', reason: 'edit-beats-delete', target: EDITED, touchesFile: false, touchesRow: true },
    ],
  ),
  [
    'gone, row deleted: archive from the base',
    A,
    GONE,
    DELETED,
    { kind: 'archive', reason: 'sql-delete', record: A, touchesRow: false, deletion: true },
  ],
  [
    'gone, forgotten: archive from the base',
    A,
    GONE,
    FORGOTTEN,
    { kind: 'archive', reason: 'forget', record: A, touchesRow: false, deletion: false },
  ],
  [
    'gone, row none: archive from the base',
    A,
    GONE,
    NONE,
    { kind: 'archive', reason: 'file-removed', record: A, touchesRow: false, deletion: true },
  ],
  ...[DELETED, FORGOTTEN].map(
    (gone): Line => [
      `bad, row gone (${gone.wish}): row restored from the base, the wish stays`,
      A,
      BAD,
      gone,
      {
        kind: 'restore-row',
        reason: 'file-quarantined',
        target: A,
        wish: gone.wish,
        touchesRow: true,
        deletion: false,
      },
    ],
  ),
  [
    'read-only, row deleted: hold',
    A,
    file(A, true),
    DELETED,
    { kind: 'hold', reason: 'read-only', held: { missing: 'row', reason: 'sql-delete' }, touchesFile: false },
  ],
  [
    'read-only, forgotten: the bytes go to the archive, the name is unlinked',
    A,
    file(A, true),
    FORGOTTEN,
    { kind: 'delete-file', reason: 'forget', record: A, touchesFile: true, deletion: false },
  ],
  [
    'record, row none: SY-26 import',
    A,
    file(A),
    NONE,
    { kind: 'import', reason: 'row-lost', target: A, touchesFile: false, touchesRow: true },
  ],
  [
    'edited record, row none: SY-26 import',
    A,
    file(EDITED),
    NONE,
    { kind: 'import', reason: 'row-lost', target: EDITED, touchesFile: false, touchesRow: true },
  ],
  [
    'bad, row none: SY-26 rebuilt from the base',
    A,
    BAD,
    NONE,
    { kind: 'restore-row', reason: 'row-lost', target: A, wish: null, touchesRow: true },
  ],
])('SY-14, base: file %s', (_, base, f, r, expected) => {
  expect(plan(base, f, r)).toMatchObject(expected);
});

describe.each([
  ['base', A],
  ['no base', null],
])('SY-14, any base (%s)', (_, base) => {
  test.each<[string, RowSide]>([
    ['record', row(EDITED)],
    ['bad', BAD],
    ['deleted', DELETED],
    ['forgotten', FORGOTTEN],
    ['none', NONE],
  ])('an unknown file holds whatever the row is: %s', (_name, r) => {
    expect(plan(base, UNKNOWN, r)).toEqual({
      kind: 'hold',
      reason: 'file-unknown',
      held: null,
      touchesFile: false,
      touchesRow: false,
      deletion: false,
    });
  });

  test('a bad file is quarantined, row and base stay', () => {
    for (const r of [row(A), row(EDITED), BAD]) {
      expect(plan(base, BAD, r)).toMatchObject({
        kind: 'quarantine',
        side: 'file',
        touchesFile: false,
        touchesRow: false,
      });
    }
  });

  test('a read-only file is imported and never written', () => {
    for (const r of [row(A), row(EDITED), row(OTHER), NONE, BAD]) {
      expect(plan(base, file(CLASHING, true), r)).toMatchObject({ touchesFile: false, deletion: false });
    }
  });
});

const archived = (of: MemoryRecord, origin: string): ArchiveEntry => ({ record: of, origin });

test.each<[string, FileSide, RowSide, ArchiveEntry | null, Record<string, unknown>]>([
  ['record, none: import as new', file(A), NONE, null, { kind: 'import', reason: 'new', target: A, touchesRow: true }],
  ['record, gone: import as new', file(A), DELETED, null, { kind: 'import', reason: 'new', target: A }],
  [
    'record equal to one archived as file-removed: restore',
    file(A),
    NONE,
    archived(A, 'file-removed'),
    { kind: 'restore', reason: 'restored', target: A, touchesFile: false, touchesRow: true },
  ],
  ...['forget', 'sql-delete', 'superseded'].map(
    (origin): [string, FileSide, RowSide, ArchiveEntry, Record<string, unknown>] => [
      `record equal to one archived by ${origin}: restore, reported`,
      file(A),
      NONE,
      archived(A, origin),
      { kind: 'restore', reason: 'returned', target: A, touchesFile: false, touchesRow: true },
    ],
  ),
  [
    'record other than the archived: import, linked',
    file(EDITED),
    NONE,
    archived(A, 'forget'),
    { kind: 'import', reason: 'returned-edited', target: EDITED, touchesFile: false, touchesRow: true },
  ],
  [
    'record under a name that was renamed away: import as new (SY-21)',
    file(A),
    NONE,
    archived(A, 'renamed'),
    { kind: 'import', reason: 'new', target: A },
  ],
  [
    'equal records: agree',
    file(A),
    row(A),
    null,
    { kind: 'agree', reason: 'first-meeting', touchesFile: false, touchesRow: false },
  ],
  [
    'different records: first meeting (SY-23)',
    file(EDITED),
    row(COUNTED),
    null,
    {
      kind: 'merge',
      reason: 'first-meeting',
      target: { ...COUNTED, action: EDITED.action },
      touchesFile: true,
      touchesRow: true,
      deletion: false,
    },
  ],
  [
    'gone, record: create the file',
    GONE,
    row(A),
    null,
    { kind: 'create-file', reason: 'new-row', target: A, touchesFile: true, deletion: false },
  ],
  ['gone, none: nothing', GONE, NONE, null, { kind: 'none', reason: 'absent' }],
  ['gone, gone: nothing (S06: the archive entry stays)', GONE, FORGOTTEN, archived(A, 'forget'), { kind: 'none' }],
])('SY-14, no base: file %s', (_, f, r, entry, expected) => {
  expect(plan(null, f, r, entry)).toMatchObject(expected);
});

describe('SY-7: counts without a base', () => {
  const counts = [
    { key: 'surfaced_count', delta: 6 },
    { key: 'followed_count', delta: 4 },
    { key: 'not_followed_count', delta: 1 },
  ];

  test('a first import has one import event per non-zero counter', () => {
    const events = counts.map((event) => ({ ...event, origin: 'import' }));
    expect(plan(null, file(A), NONE)).toMatchObject({ merge: { events } });
    expect(plan(null, file(A), NONE, archived(A, 'file-removed'))).toMatchObject({ merge: { events } });
  });

  test('a row that a shell inserted has sql events', () => {
    const events = counts.map((event) => ({ ...event, origin: 'sql' }));
    expect(plan(null, GONE, row(A))).toMatchObject({ merge: { events } });
  });

  test('the same change on both sides counts once and loses no text', () => {
    const both = record({ ...EDITED, surfaced_count: 8 });
    expect(plan(A, file(both), row(both))).toMatchObject({
      kind: 'agree',
      merge: {
        events: [{ key: 'surfaced_count', delta: 2, origin: 'file' }],
        overwritten: { file: false, row: false },
      },
    });
  });
});

describe('SY-42: a quarantined row', () => {
  test('is taken as its base: an edit of the file is imported', () => {
    expect(plan(A, file(EDITED), BAD)).toMatchObject({ kind: 'import', target: EDITED, touchesRow: true });
  });

  test('is reported while the file is as agreed', () => {
    expect(plan(A, file(A), BAD)).toMatchObject({ kind: 'quarantine', side: 'row', touchesRow: false });
  });

  test('reaches no file', () => {
    expect(plan(null, GONE, BAD)).toMatchObject({ kind: 'quarantine', side: 'row', touchesFile: false });
  });

  test('keeps its memory when the file goes: what it says cannot be judged', () => {
    expect(plan(A, GONE, BAD)).toMatchObject({ kind: 'hold', held: { missing: 'file', reason: 'file-removed' } });
  });
});

describe('MF-3, MF-17: a read-only file', () => {
  test('lets changes of the row wait', () => {
    expect(plan(A, file(A, true), row(EDITED))).toMatchObject({ kind: 'wait', reason: 'read-only', touchesRow: false });
  });

  test('S35: an edit of the target is imported while the row change waits', () => {
    expect(plan(A, file(OTHER, true), row(EDITED))).toMatchObject({
      kind: 'read-only-import',
      target: record({ action: EDITED.action, impact: OTHER.impact }),
      agreed: OTHER,
      touchesFile: false,
      touchesRow: true,
      rowChangesWait: true,
    });
  });

  test('without a row change is imported like any other', () => {
    expect(plan(A, file(OTHER, true), row(A))).toMatchObject({ kind: 'import', agreed: OTHER, rowChangesWait: false });
    expect(plan(null, file(A, true), NONE)).toMatchObject({ kind: 'import', reason: 'new', agreed: A });
  });

  test('at a first meeting takes nothing and gives its texts', () => {
    expect(plan(null, file(EDITED, true), row(COUNTED))).toMatchObject({
      kind: 'read-only-import',
      target: { ...COUNTED, action: EDITED.action },
      agreed: EDITED,
      touchesFile: false,
      touchesRow: true,
    });
  });
});

describe('MF-24: a key with an unusable token', () => {
  const unusable = (of: MemoryRecord): FileSide => ({ ...file(of), unwritable: ['surfaced_count'] }) as FileSide;

  test('a change of the row to it waits in the database', () => {
    const counted = record({ surfaced_count: 9 });
    expect(plan(A, unusable(A), row(counted))).toMatchObject({ kind: 'wait', reason: 'unusable-value' });
  });

  test('other changes are written', () => {
    const changed = record({ surfaced_count: 9, action: 'Ask first' });
    expect(plan(A, unusable(A), row(changed))).toMatchObject({
      kind: 'export',
      target: changed,
      agreed: record({ action: 'Ask first' }),
      touchesFile: true,
      touchesRow: false,
      rowChangesWait: true,
    });
  });
});

describe('SY-19: a file saved from an old buffer', () => {
  const stale = record({ surfaced_count: 5, updated_at: '2026-04-01T00:00:00Z' });
  const base = record({ surfaced_count: 9, updated_at: '2026-04-20T00:00:00Z', impact: 'edited by SQL' });
  const planStale = (saved: MemoryRecord, r: MemoryRecord) =>
    planSync({ file: file(saved), row: row(r), base, archived: null, staleBase: stale });

  test('takes no counts and no row edits away', () => {
    expect(planStale({ ...stale, action: 'typed in the old buffer' }, base)).toMatchObject({
      kind: 'merge',
      reason: 'stale-buffer',
      target: { ...base, action: 'typed in the old buffer' },
      touchesFile: true,
      touchesRow: true,
      merge: { events: [], clashes: [] },
    });
  });

  test('events go on from the present agreement', () => {
    const counted = { ...base, surfaced_count: 11 };
    expect(planStale({ ...stale, action: 'typed' }, counted)).toMatchObject({
      target: { surfaced_count: 11 },
      merge: { events: [{ key: 'surfaced_count', delta: 2, origin: 'sql' }] },
    });
  });

  test('a text that both changed since then is a conflict', () => {
    expect(planStale({ ...stale, impact: 'typed' }, base).kind).toBe('merge');
    expect(planStale({ ...stale, impact: 'typed' }, base)).toMatchObject({
      merge: { clashes: [{ field: 'impact', fileValue: 'typed', rowValue: 'edited by SQL' }] },
    });
  });
});

test('S18: a repaired file, an SQL edit and an outcome are all merged', () => {
  const repaired = record({ impact: 'repaired' });
  const pending = record({ action: 'by SQL', surfaced_count: 7, updated_at: '2026-05-01T00:00:00Z' });
  expect(plan(A, BAD, row(pending))).toMatchObject({ kind: 'quarantine' });
  expect(plan(A, file(repaired), row(pending))).toMatchObject({
    kind: 'merge',
    target: { ...pending, impact: 'repaired' },
  });
});

test('SY-2: an SQL change of type is undone in the row, and kept in history', () => {
  expect(plan(A, file(A), row(record({ type: 'fact' })))).toMatchObject({
    target: A,
    touchesFile: false,
    touchesRow: true,
    merge: { overwritten: { file: false, row: true } },
  });
});
