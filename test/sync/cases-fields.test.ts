import { describe, expect, test } from 'vitest';
import { resolveClash } from '../../src/learning/clashes.ts';
import { editMemory } from '../../src/memory/edit-toml.ts';
import { readMemory } from '../../src/memory/read-toml.ts';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { syncExit } from '../../src/sync/report.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

type Value = Readonly<Record<string, string | number | boolean | null>>;

/** What one field, or pair of fields, may say; `null` leaves a key out of the file. */
interface Kind {
  readonly a: Value;
  readonly b: Value;
  readonly c: Value;
  /** What a file without the keys says at a first meeting, and beside a base; null where a file must have them. */
  readonly absent: { readonly first: Value; readonly known: Value } | null;
  /** Both sides changed `a`, to `file` and `row`. */
  readonly both: (file: Value, row: Value) => Value;
  readonly meeting: (file: Value, row: Value) => Value;
  readonly clashes?: boolean;
}

const counter: Kind = {
  a: { surfaced_count: 3 },
  b: { surfaced_count: 5 },
  c: { surfaced_count: 9 },
  absent: { first: { surfaced_count: 0 }, known: { surfaced_count: 3 } },
  // The very same change on both sides is an agreement (SY-14); else both deltas count.
  both: (file, row) => {
    const [inFile, inRow] = [Number(file.surfaced_count), Number(row.surfaced_count)];
    return { surfaced_count: inFile === inRow ? inFile : inFile + inRow - 3 };
  },
  meeting: (file, row) => ({ surfaced_count: Math.max(Number(file.surfaced_count), Number(row.surfaced_count)) }),
};

function timeKind(key: 'created_at' | 'updated_at', winner: 'earlier' | 'later'): Kind {
  const pick = (file: Value, row: Value): Value => {
    const times = [file[key], row[key]].filter((time) => time !== null).sort();
    return { [key]: String(winner === 'earlier' ? times[0] : times.at(-1)) };
  };
  return {
    a: { [key]: '2026-04-10T00:00:00Z' },
    b: { [key]: '2026-04-08T00:00:00Z' },
    c: { [key]: '2026-04-12T00:00:00Z' },
    absent: { first: { [key]: null }, known: { [key]: '2026-04-10T00:00:00Z' } },
    both: pick,
    meeting: pick,
  };
}

const fileWins = (file: Value) => file;
const plainKind = (key: string, [a, b, c]: readonly (string | number)[], absent: Kind['absent']): Kind => ({
  a: { [key]: a ?? null },
  b: { [key]: b ?? null },
  c: { [key]: c ?? null },
  absent,
  both: fileWins,
  meeting: (file, row) => (file[key] === null ? row : file),
});

const unscoped = { project_scoped: false, project_slug: '' };
const plain = { core: false, core_origin: null };

const KINDS: Readonly<Record<string, Kind>> = {
  'counter surfaced_count': counter,
  'time created_at': timeKind('created_at', 'earlier'),
  'time updated_at': timeKind('updated_at', 'later'),
  'core with core_origin': {
    a: plain,
    b: { core: true, core_origin: 'auto' },
    c: { core: true, core_origin: 'user' },
    absent: { first: plain, known: plain },
    both: (file, row) => (row.core_origin === 'user' ? row : file),
    meeting: (file, row) => (row.core_origin === 'user' || file.core === false ? row : file),
  },
  'scope with slug': {
    a: unscoped,
    b: { project_scoped: true, project_slug: 'web' },
    c: { project_scoped: true, project_slug: 'api' },
    absent: { first: unscoped, known: unscoped },
    both: fileWins,
    meeting: (file, row) => (file.project_scoped === true ? file : row),
    clashes: true,
  },
  'text action': { ...plainKind('action', ['do a', 'do b', 'do c'], null), clashes: true },
  'text situation': { ...plainKind('situation', ['When a', 'When b', 'When c'], null), clashes: true },
  'plain source': plainKind('source', ['from a', 'from b', 'from c'], { first: { source: '' }, known: { source: '' } }),
  'plain initial_confidence': plainKind('initial_confidence', [0.25, 0.5, 0.75], {
    first: { initial_confidence: null },
    known: { initial_confidence: 0.25 },
  }),
};

function fileSaying(value: Value | 'absent', keys: readonly string[]): string {
  const changes = Object.fromEntries(keys.map((key) => [key, value === 'absent' ? null : (value[key] ?? null)]));
  const given = Object.entries(changes).filter(([, each]) => each !== null);
  const text = feedbackText(Object.fromEntries(given.map(([key, each]) => [key, JSON.stringify(each)])));
  const gone = Object.keys(changes).filter((key) => changes[key] === null);
  const lines = text.split('\n').filter((line) => !gone.some((key) => line.startsWith(`${key} = `)));
  return lines.join('\n');
}

function setRow(store: TestStore, name: string, value: Value): void {
  for (const [key, each] of Object.entries(value)) {
    store.sql(`UPDATE memories SET ${key} = ? WHERE name = ?`, typeof each === 'boolean' ? Number(each) : each, name);
  }
}

const picked = (record: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, typeof record[key] === 'boolean' ? Number(record[key]) : record[key]]));

function fileRecord(store: TestStore, name: string): MemoryRecord {
  const read = readMemory(Buffer.from(store.read(`${name}.toml`)), 'feedback');
  if (read.kind !== 'ok') throw new Error(read.message);
  return read.memory.record;
}

const FILES = ['a', 'b', 'absent'] as const;
const ROWS = ['a', 'b', 'c'] as const;

describe.each(Object.entries(KINDS))('S15, SY-15: %s', (_, kind) => {
  const keys = Object.keys(kind.a);
  const cases = FILES.filter((file) => file !== 'absent' || kind.absent !== null).flatMap((file) =>
    ROWS.map((row) => ({ name: `feedback/${file}-${row}`, file, row })),
  );

  test.each(['a', 'none'] as const)('base %s: every combination ends as the table says, and stays so', async (base) => {
    using store = await temporaryStore();
    for (const { name } of cases) store.write(`${name}.toml`, fileSaying(kind.a, keys));
    store.sync();
    for (const { name, file, row } of cases) {
      if (file !== 'a' || base === 'none') {
        store.write(`${name}.toml`, fileSaying(file === 'absent' ? 'absent' : kind[file], keys));
      }
      if (row !== 'a') setRow(store, name, kind[row]);
    }
    // The database forgets what was agreed on, as one that meets these files for the first time.
    if (base === 'none') for (const table of ['bases', 'outcome_events']) store.sql(`DELETE FROM ${table}`);
    store.sync();
    for (const { name, file, row } of cases) {
      const stands = base === 'none' ? kind.absent?.first : kind.absent?.known;
      const inFile = file === 'absent' ? (stands ?? kind.a) : kind[file];
      const fileChanged = JSON.stringify(inFile) !== JSON.stringify(kind.a);
      const expected =
        base === 'none'
          ? kind.meeting(inFile, kind[row])
          : fileChanged && row !== 'a'
            ? kind.both(inFile, kind[row])
            : fileChanged
              ? inFile
              : kind[row];
      const where = `${name} with base ${base}`;
      expect(picked(store.row(name) ?? {}, keys), where).toEqual(picked(expected, keys));
      // A tracking key that is absent is no change: it returns with the next write of the file (MF-22).
      const returnsLater = base === 'a' && file === 'absent' && row === 'a';
      if (!returnsLater) expect(picked({ ...fileRecord(store, name) }, keys), where).toEqual(picked(expected, keys));
      const both = base === 'none' || (fileChanged && row !== 'a');
      const differ = JSON.stringify(inFile) !== JSON.stringify(kind[row]);
      const bothScoped = !keys.includes('project_slug') || (inFile.project_scoped === true && row !== 'a');
      const clashes = kind.clashes === true && both && differ && bothScoped ? 1 : 0;
      const open = store.sql('SELECT row_value FROM conflicts WHERE name = ? AND resolution IS NULL', name);
      expect(open, where).toHaveLength(clashes);
      if (clashes === 1) expect(open[0]?.row_value).toBe(kind[row][keys.at(-1) ?? '']);
    }
    expect(listCounterMismatches(store.context.store.db)).toEqual([]);
    const before = store.everything();
    expect(store.sync().steps).toEqual([]);
    expect(store.everything()).toEqual(before);

    const open = store.sql('SELECT id, name, row_value FROM conflicts WHERE resolution IS NULL');
    for (const [at, { id, name, row_value: text }] of open.entries()) {
      resolveClash(store.context, Number(id), { take: at % 2 === 0 ? 'db' : 'file' });
      if (at % 2 === 0) expect(store.row(String(name))?.[keys.at(-1) ?? '']).toBe(text);
    }
    const resolved = store.sync();
    expect([resolved.steps, resolved.openConflicts, syncExit(resolved)]).toEqual([[], 0, 0]);
    for (const [at, { name }] of cases.entries()) {
      if (at % 2 === 0) setRow(store, name, kind.c);
      else store.write(`${name}.toml`, editMemory(Buffer.from(store.read(`${name}.toml`)), kind.c));
    }
    const edited = store.sync();
    expect([edited.openConflicts, syncExit(edited)]).toEqual([0, 0]);
    for (const { name } of cases) expect(picked(store.row(name) ?? {}, keys), name).toEqual(picked(kind.c, keys));
  });
});

test('S15: needs_review is true after a first meeting where one side says so', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.sql('UPDATE memories SET needs_review = 1');
  store.sql('DELETE FROM bases');
  store.sync();
  expect(store.row('feedback/m')).toMatchObject({ needs_review: 1 });
  expect(fileRecord(store, 'feedback/m').needs_review).toBe(true);
});

test('SY-16: an overwritten text is in history first; changes of counters and times leave events only', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.write('feedback/m.toml', feedbackText({ surfaced_count: '9', updated_at: '"2026-05-01T00:00:00Z"' }));
  store.sync();
  expect(store.sql('SELECT * FROM history')).toEqual([]);
  store.write('feedback/m.toml', feedbackText({ action: '"By  the\\tfile"' }));
  store.sql(`UPDATE memories SET action = 'By the file'`);
  store.sync();
  expect(store.sql('SELECT * FROM conflicts')).toEqual([]);
  expect(
    store.sql(`SELECT CAST(bytes AS TEXT) AS text, json_extract(record, '$.action') AS action FROM history`),
  ).toContainEqual({
    text: feedbackText({ surfaced_count: '9', updated_at: '"2026-05-01T00:00:00Z"' }),
    action: 'Add it nullable, backfill in batches of 5,000, then set NOT NULL',
  });
});
