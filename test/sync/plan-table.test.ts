import { describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import type { FileSide, RowSide } from '../../src/sync/plan.ts';
import { record } from './records.ts';
import {
  A,
  BAD,
  CLASHING,
  COUNTED,
  DELETED,
  EDITED,
  FORGOTTEN,
  file,
  GONE,
  NONE,
  OTHER,
  plan,
  row,
  UNKNOWN,
} from './sides.ts';

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
