import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  COUNTER_KEYS,
  isAuthoredKey,
  type MemoryRecord,
  sameAuthored,
  sameRecord,
  TEXT_KEYS,
  TIME_KEYS,
} from '../../src/memory/record.ts';
import { coreState } from '../../src/memory/tiers.ts';
import { mergeFirstMeeting, mergeRecords } from '../../src/sync/merge.ts';
import { planSync } from '../../src/sync/plan.ts';
import { applied, changedKeys, records, syncStates, threeSides } from './sync-states.ts';

const authored = (record: MemoryRecord) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => isAuthoredKey(key as keyof MemoryRecord)));

const folded = (value: unknown) =>
  typeof value === 'string' ? value.normalize('NFC').replace(/\s+/g, ' ').trim() : value;

test('SY-2: every authored change of either side ends in place, in history or in the archive', () => {
  fc.assert(
    fc.property(syncStates, (state) => {
      const after = applied(state, planSync(state));
      for (const side of [state.file, state.row]) {
        if (side.state !== 'record') continue;
        // Live on either side, waiting in its row included; else the whole record is stored away.
        const places = [after.state.file, after.state.row].flatMap((s) => (s.state === 'record' ? [s.record] : []));
        const lost = changedKeys(side.record, state.base)
          .filter(isAuthoredKey)
          .filter((key) => !places.some((place) => place[key] === side.record[key]));
        if (lost.length > 0) expect(after.kept.map(authored)).toContainEqual(authored(side.record));
      }
    }),
    { numRuns: 2000 },
  );
});

test('SY-15: a text of the row that gives way to another edit becomes a conflict row', () => {
  fc.assert(
    fc.property(threeSides, ({ base, file, row }) => {
      const merge = mergeRecords(base, file, row);
      for (const key of TEXT_KEYS) {
        const bothChanged = file[key] !== base[key] && row[key] !== base[key];
        const clashes = bothChanged && row[key] !== null && folded(file[key]) !== folded(row[key]);
        const expected = { field: key, baseValue: base[key], fileValue: file[key], rowValue: row[key] };
        expect(merge.clashes.filter((clash) => clash.field === key)).toEqual(clashes ? [expected] : []);
      }
    }),
  );
});

test('SY-16: what only one side changed is taken from it', () => {
  fc.assert(
    fc.property(threeSides, ({ base, file, row }) => {
      expect(mergeRecords(base, file, base).record).toEqual(file);
      expect(mergeRecords(base, base, row).record).toEqual(row);
      const { record } = mergeRecords(base, file, row);
      // Pairs merge as one, and an edit of a text that the file's new type does not have is a clash.
      const single = [
        'situation',
        'source',
        'initial_confidence',
        'needs_review',
        ...COUNTER_KEYS,
        ...TIME_KEYS,
      ] as const;
      for (const key of single) {
        if (file[key] === base[key]) expect(record[key]).toBe(row[key]);
        if (row[key] === base[key]) expect(record[key]).toBe(file[key]);
      }
    }),
  );
});

test('SY-7, SY-15: counters are the base plus both deltas, and their events add up', () => {
  fc.assert(
    fc.property(threeSides, ({ base, file, row }) => {
      const { record, events } = mergeRecords(base, file, row);
      for (const key of COUNTER_KEYS) {
        expect(record[key]).toBe(Math.max(0, file[key] + row[key] - base[key]));
        const own = events.filter((event) => event.key === key);
        expect(base[key] + own.reduce((sum, event) => sum + event.delta, 0)).toBe(record[key]);
        expect(own.every((event) => event.delta !== 0)).toBe(true);
      }
    }),
  );
});

test('SY-7: after every plan the events of a live memory add up to its row', () => {
  fc.assert(
    fc.property(syncStates, (state) => {
      const action = planSync(state);
      if (!('merge' in action)) return;
      const after = applied(state, action).state;
      const live = after.row.state === 'record' ? after.row.record : null;
      for (const key of COUNTER_KEYS) {
        const sum = action.merge.events.reduce((total, event) => total + (event.key === key ? event.delta : 0), 0);
        expect((state.base?.[key] ?? 0) + sum).toBe(live?.[key]);
      }
    }),
  );
});

test('SY-15: counters, times, flags, core and scoped against unscoped do not depend on the side', () => {
  fc.assert(
    fc.property(fc.option(records), records, records, (base, one, other) => {
      const merge = (a: MemoryRecord, b: MemoryRecord) =>
        (base === null ? mergeFirstMeeting(a, b) : mergeRecords(base, a, b)).record;
      const there = merge(one, other);
      const back = merge(other, one);
      for (const key of [...COUNTER_KEYS, ...TIME_KEYS, 'needs_review', 'project_scoped'] as const) {
        expect(there[key]).toBe(back[key]);
      }
      if (base === null) expect(coreState(there)).toBe(coreState(back));
    }),
  );
});

test('SY-15, SY-7: a first meeting takes the larger counter, and its events start from nothing', () => {
  fc.assert(
    fc.property(records, records, (file, row) => {
      const { record, events } = mergeFirstMeeting(file, row);
      for (const key of COUNTER_KEYS) {
        expect(record[key]).toBe(Math.max(file[key], row[key]));
        expect(events.filter((event) => event.key === key).map((event) => event.delta)).toEqual(
          record[key] === 0 ? [] : [record[key]],
        );
      }
    }),
  );
});

test('SY-16: changes of counters and times alone clash with nothing and overwrite no text', () => {
  fc.assert(
    fc.property(records, records, records, (base, other, third) => {
      const counted = (by: MemoryRecord) => ({
        ...base,
        ...Object.fromEntries([...COUNTER_KEYS, ...TIME_KEYS].map((key) => [key, by[key]])),
      });
      const merge = mergeRecords(base, counted(other), counted(third));
      expect(sameAuthored(merge.record, base)).toBe(true);
      expect(merge).toMatchObject({ clashes: [], overwritten: { file: false, row: false } });
    }),
  );
});

test('SY-18: one sync is enough: planning again on what it left finds nothing to write', () => {
  fc.assert(
    fc.property(syncStates, (state) => {
      const after = applied(state, planSync(state)).state;
      expect(planSync(after)).toMatchObject({ touchesFile: false, touchesRow: false, deletion: false });
      if (after.row.state === 'record' && after.file.state === 'record') {
        expect(['none', 'wait']).toContain(planSync(after).kind);
      }
    }),
    { numRuns: 2000 },
  );
});

test('SY-14: file and row end equal to each other and to the base, unless the file cannot be written', () => {
  fc.assert(
    fc.property(syncStates, (state) => {
      const after = applied(state, planSync(state)).state;
      if (after.file.state !== 'record' || after.row.state !== 'record' || after.base === null) return;
      expect(after.file.record).toEqual(after.base);
      const waits = after.file.readOnly || after.file.unwritable !== undefined;
      if (!waits) expect(sameRecord(after.row.record, after.base)).toBe(true);
    }),
  );
});

test('SY-23, SY-30: nothing is deleted without a base, an intent and a file that can be judged', () => {
  fc.assert(
    fc.property(syncStates, (state) => {
      const action = planSync(state);
      const deletes = action.kind === 'archive' || action.kind === 'delete-file';
      expect(action.deletion).toBe(deletes && action.reason !== 'forget');
      if (!deletes) return;
      expect(state.base).not.toBeNull();
      expect(state.row.state).not.toBe('bad');
      if (action.kind === 'archive') expect(state.file.state).toBe('gone');
      else expect(state.row.state).toBe('gone');
    }),
  );
});

test('SY-14: unknown and bad files, and read-only ones but for forget, are never written', () => {
  fc.assert(
    fc.property(syncStates, (state) => {
      const action = planSync(state);
      const { file } = state;
      if (file.state === 'unknown') expect(action.kind).toBe('hold');
      if (file.state === 'bad') expect(action.touchesFile).toBe(false);
      if (file.state !== 'record') return;
      if (file.readOnly && action.touchesFile) expect(action).toMatchObject({ kind: 'delete-file', reason: 'forget' });
      if (action.kind !== 'import') return;
      for (const key of file.unwritable ?? []) expect(action.agreed[key]).toBe(file.record[key]);
    }),
  );
});
