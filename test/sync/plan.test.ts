import { describe, expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { type FileSide, planSync } from '../../src/sync/plan.ts';
import { record } from './records.ts';
import { A, archived, BAD, COUNTED, EDITED, FORGOTTEN, file, GONE, NONE, OTHER, plan, row } from './sides.ts';

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

  test('edited since, is archived by forget as it stands', () => {
    expect(plan(A, file(EDITED, true), FORGOTTEN)).toMatchObject({ kind: 'delete-file', record: EDITED });
  });

  test('still gives its type to a row that waits', () => {
    expect(plan(A, file(A, true), row(record({ type: 'fact', action: 'Ask first' })))).toMatchObject({
      kind: 'read-only-import',
      target: record({ action: 'Ask first' }),
      agreed: A,
      touchesRow: true,
    });
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

  test('is nothing of the kind while it is as agreed', () => {
    expect(planStale(base, { ...base, action: 'by SQL' })).toMatchObject({ kind: 'export', touchesFile: true });
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
