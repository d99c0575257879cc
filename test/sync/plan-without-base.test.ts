import { expect, test } from 'vitest';
import type { ArchiveEntry, FileSide, RowSide } from '../../src/sync/plan.ts';
import { A, archived, COUNTED, DELETED, EDITED, FORGOTTEN, file, GONE, NONE, plan, row } from './sides.ts';

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
    'record equal to an archived sync copy: import as new (SY-48)',
    file(A),
    NONE,
    archived(A, 'sync-copy'),
    { kind: 'import', reason: 'new', target: A },
  ],
  [
    'records equal but for unknown keys of the file: agree, the row gets them (SY-25)',
    file({ ...A, extra: '{"owner":"platform"}' }),
    row(A),
    null,
    { kind: 'agree', touchesFile: false, touchesRow: true, target: { extra: '{"owner":"platform"}' } },
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
