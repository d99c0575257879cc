import { describe, expect, test } from 'vitest';
import { COUNTER_KEYS, type RecordKey, TRACKING_KEYS, type TrackingKey } from '../../src/memory/record.ts';
import { effectiveFileRecord, effectiveRowRecord, type RowRecord } from '../../src/sync/merge.ts';
import { parsed, record } from './records.ts';

const known = (changes = {}) => ({ record: record(changes), present: TRACKING_KEYS });
const without = (...keys: TrackingKey[]) => TRACKING_KEYS.filter((key) => !keys.includes(key));
const DEFAULTS = {
  surfaced_count: 0,
  followed_count: 0,
  not_followed_count: 0,
  irrelevant_count: 0,
  missed_count: 0,
  initial_confidence: null,
  created_at: null,
  updated_at: null,
} as const;

describe('effectiveFileRecord', () => {
  test.each(TRACKING_KEYS)('MF-22: an absent %s that was known is no change', (key) => {
    const file = parsed({ record: record({ [key]: DEFAULTS[key] }), present: without(key) });
    expect(effectiveFileRecord(file, known(), true)).toEqual(record());
  });

  test('MF-22: a key that only the database knew comes from there too', () => {
    const base = { record: record({ missed_count: 3 }), present: without('missed_count') };
    const file = parsed({ record: record({ missed_count: 0 }), present: without('missed_count') });
    expect(effectiveFileRecord(file, base, true).missed_count).toBe(3);
  });

  test.each<[RecordKey, object, object]>([
    ['surfaced_count', { surfaced_count: 0 }, { surfaced_count: 6 }],
    ['initial_confidence', { initial_confidence: null }, { initial_confidence: 0.7 }],
    ['updated_at', { updated_at: null }, { updated_at: '2026-04-20T08:15:30Z' }],
    ['core', { core: false }, { core: true }],
    ['source', { source: '' }, { source: 'user' }],
  ])('MF-24: an unusable %s is no change', (key, read, agreed) => {
    const file = parsed({ record: record({ ...agreed, ...read }), unusable: [key] });
    expect(effectiveFileRecord(file, known(agreed), true)).toEqual(record(agreed));
  });

  test('a file never seen before is what it says', () => {
    const file = parsed({ record: record(DEFAULTS), present: [] });
    expect(effectiveFileRecord(file, null, true)).toEqual(record(DEFAULTS));
  });

  describe.each(COUNTER_KEYS)('SY-17: %s goes down', (key) => {
    const base = { record: record({ [key]: 5 }), present: without('initial_confidence') };
    const lowered = record({ [key]: 2 });

    test('in a whole file', () => {
      expect(effectiveFileRecord(parsed({ record: lowered }), base, true)).toEqual(lowered);
    });

    test('not in a file without a last newline', () => {
      expect(effectiveFileRecord(parsed({ record: lowered }), base, false)[key]).toBe(5);
    });

    test('not in a file that lacks a key of the base', () => {
      const file = parsed({ record: lowered, present: without('created_at') });
      expect(effectiveFileRecord(file, base, true)[key]).toBe(5);
    });

    test('up in any file', () => {
      const raised = parsed({ record: record({ [key]: 9 }), present: without('created_at') });
      expect(effectiveFileRecord(raised, base, false)[key]).toBe(9);
    });
  });

  test('SY-17: the texts of a file without a last newline are taken', () => {
    const file = parsed({ record: record({ action: 'new', surfaced_count: 1 }) });
    expect(effectiveFileRecord(file, known(), false)).toEqual(record({ action: 'new' }));
  });

  test('MF-43: core without a changed origin is taken as it stands', () => {
    const file = parsed({ record: record({ core: true }) });
    expect(effectiveFileRecord(file, known(), true)).toEqual(record({ core: true }));
  });
});

describe('effectiveRowRecord', () => {
  const at = '2026-05-01T00:00:00Z';

  test('SY-25: a row of a few columns changes only those', () => {
    const base = record({ extra: '{"owner":"platform"}' });
    expect(effectiveRowRecord({ impact: 'new', updated_at: at }, base, 'feedback', at)).toEqual({
      ...base,
      impact: 'new',
      updated_at: at,
    });
  });

  test('SY-25: extra is not the row\u2019s to change', () => {
    const row: RowRecord = { ...record(), extra: '{"owner":"shell"}' };
    expect(effectiveRowRecord(row, record({ extra: '{"owner":"platform"}' }), 'feedback', null).extra).toBe(
      '{"owner":"platform"}',
    );
    expect(effectiveRowRecord(row, null, 'feedback', null).extra).toBeNull();
  });

  test('SY-24: an inserted row gets the defaults, its type from the directory and the time of the insert', () => {
    const texts = { situation: 's', subject: 'a', predicate: 'b', object: 'c' };
    expect(effectiveRowRecord(texts, null, 'facts', at)).toEqual({
      ...record(DEFAULTS),
      ...texts,
      type: 'fact',
      source: '',
      behavior: null,
      impact: null,
      action: null,
      created_at: at,
      updated_at: at,
    });
    expect(effectiveRowRecord(texts, null, 'feedback', at).type).toBe('feedback');
  });

  test('SY-27: an authored change without updated_at gets the time of the logged change', () => {
    const changed = record({ action: 'new' });
    expect(effectiveRowRecord(changed, record(), 'feedback', at)).toEqual({ ...changed, updated_at: at });
  });

  test.each<[string, RowRecord, string | null]>([
    ['with its own updated_at', record({ action: 'new', updated_at: '2026-04-30T00:00:00Z' }), at],
    ['of counters alone', record({ surfaced_count: 9 }), at],
    ['that is not logged', record({ action: 'new' }), null],
    ['that is none', record(), at],
  ])('SY-27: a change %s keeps updated_at', (_, row, changedAt) => {
    expect(effectiveRowRecord(row, record(), 'feedback', changedAt)).toEqual({ ...record(), ...row });
  });
});
