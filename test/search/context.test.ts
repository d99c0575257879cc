import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MemoryName } from '../../src/memory/slug.ts';
import { type ContextMemory, listContext, selectContext } from '../../src/search/context.ts';
import { project } from '../support/ask.ts';
import { feedback, storeWith } from '../support/memory-rows.ts';

const NOW = Date.parse('2026-04-10T00:00:00Z');
const at = (day: string) => ({ created_at: `2026-04-${day}T00:00:00Z` });

test('MF-47: core first, then recent, then the rest; each by the last change of its text', async () => {
  using store = await storeWith({
    old: feedback('a', at('01')),
    older: feedback('b', { created_at: '2025-01-01T00:00:00Z' }),
    recent: feedback('c', at('08')),
    newest: feedback('d', at('09')),
    core: feedback('e', { core: true, created_at: '2025-01-01T00:00:00Z' }),
    unknown: feedback('f', { created_at: null }),
  });
  const listed = listContext(store, { project: project(null), nowMs: NOW });
  expect(listed.map(({ name, tier }) => `${name.slice('feedback/'.length)} ${tier}`)).toEqual([
    'core core',
    'newest recent',
    'recent recent',
    'old on-demand',
    'older on-demand',
    'unknown on-demand',
  ]);
});

test('SE-50, MF-14: the project rule holds, and what needs review is never in a context', async () => {
  using store = await storeWith({
    mine: feedback('a', { project_scoped: true, project_slug: 'shop-api' }),
    other: feedback('b', { project_scoped: true, project_slug: 'blog' }),
    review: feedback('c', { needs_review: true }),
  });
  const names = listContext(store, { project: project('shop-api'), nowMs: NOW }).map((memory) => memory.name);
  expect(names).toEqual(['feedback/mine']);
});

const memory = (situation: string): ContextMemory => ({
  name: 'feedback/x' as MemoryName,
  record: feedback(situation),
  tier: 'core',
});
const TEXTS = {
  title: ({ record }: ContextMemory) => `${record.situation}\n`,
  full: ({ record }: ContextMemory) => `${record.situation}: ${'detail '.repeat(10)}\n`,
  mark: (left: number, titles: number) => `${left} more, ${titles} by title: engram list\n`,
};

test('SE-61: within the budget everything is shown in full, without a mark', () => {
  const selection = selectContext([memory('a'), memory('b')], 1000, TEXTS);
  expect(selection.entries.map((entry) => entry.full)).toEqual([true, true]);
  expect(selection).toMatchObject({ left: 0, mark: '' });
});

test('SE-61: titles come first, the best in full as far as there is room', () => {
  const selection = selectContext(['a', 'b', 'c', 'd'].map(memory), 130, TEXTS);
  expect(selection.entries.map((entry) => entry.full)).toEqual([true, false, false, false]);
  expect(selection.mark).toBe('0 more, 3 by title: engram list\n');
});

test('SE-61: the block stays within its budget, whatever the texts, and what is cut is said', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 30 })),
      fc.integer({ min: 60, max: 600 }),
      (situations, budget) => {
        const { entries, left, mark } = selectContext(situations.map(memory), budget, TEXTS);
        const block = entries.map((entry) => entry.text).join('') + mark;
        expect(Buffer.byteLength(block)).toBeLessThanOrEqual(budget);
        expect(entries.length + left).toBe(situations.length);
        if (left > 0 || entries.some((entry) => !entry.full)) expect(mark).not.toBe('');
      },
    ),
  );
});
