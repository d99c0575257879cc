import { expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { staleBufferBase } from '../../src/sync/merge.ts';
import { record } from './records.ts';

const NOW = 1_780_000_000_000;
const HOUR = 3_600_000;
const old = record({ surfaced_count: 5, updated_at: '2026-04-01T00:00:00Z' });
const base = record({ surfaced_count: 9, updated_at: '2026-04-20T00:00:00Z' });
const saved = (changes: Partial<MemoryRecord> = {}) => ({ ...old, action: 'typed', ...changes });
const versions = [{ record: old, atMs: NOW - HOUR }];

test('SY-19: a file with the counters and updated_at of an older agreement comes from there', () => {
  expect(staleBufferBase(saved(), base, versions, NOW)).toEqual(old);
});

test.each([
  ['updated_at of the base', { updated_at: base.updated_at }],
  ['another counter', { missed_count: 3 }],
  ['counters of the base', { surfaced_count: 9 }],
])('SY-19: not with %s', (_, changes) => {
  expect(staleBufferBase(saved(changes), base, versions, NOW)).toBeNull();
});

test('SY-19: not when the base has the same counters and updated_at', () => {
  expect(staleBufferBase(saved(), { ...old, impact: 'other' }, versions, NOW)).toBeNull();
});

test('SY-19: not from an agreement replaced more than 24 h ago', () => {
  const atMs = NOW - 24 * HOUR;
  expect(staleBufferBase(saved(), base, [{ record: old, atMs }], NOW)).toEqual(old);
  expect(staleBufferBase(saved(), base, [{ record: old, atMs: atMs - 1 }], NOW)).toBeNull();
});

test('SY-19: the newest agreement that fits, in any order', () => {
  const newer = { record: { ...old, impact: 'newer' }, atMs: NOW - HOUR / 2 };
  for (const list of [
    [newer, ...versions],
    [...versions, newer],
  ]) {
    expect(staleBufferBase(saved(), base, list, NOW)).toEqual(newer.record);
  }
});
