import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type Choice, resolveClash } from '../../src/learning/clashes.ts';
import { forget } from '../../src/learning/forget.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { engramError } from '../support/engram-error.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const NAME = 'feedback/a' as MemoryName;
const PATH = 'feedback/a.toml';

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

/** Both sides change `column` of one memory, and sync finds the clash. */
async function clash(column: string, file: string, row: string, start: Readonly<Record<string, string>> = {}) {
  store.write(PATH, feedbackText(start));
  await store.sync();
  store.write(PATH, feedbackText({ ...start, [column]: `"${file}"` }));
  store.sql(`UPDATE memories SET ${column} = ? WHERE name = ?`, row, NAME);
  await store.sync();
}

const conflicts = () => store.sql('SELECT id, field, file_value, row_value, resolution FROM conflicts ORDER BY id');
const firstId = () => Number(conflicts()[0]?.id);

const CHOICES: readonly (readonly [string, Choice, string])[] = [
  ['the text of the file', { take: 'file' }, 'by file'],
  ["the row's text", { take: 'db' }, 'by row'],
  ['another text', { take: 'text', text: 'by me' }, 'by me'],
];

describe('S15 and SY-20: resolving a conflict', () => {
  describe.each(['situation', 'action', 'behavior', 'impact'])('of %s', (field) => {
    it.each(CHOICES)('takes %s for both sides, and no new conflict follows', async (_, choice, expected) => {
      await clash(field, 'by file', 'by row');
      expect(store.row(NAME)).toMatchObject({ [field]: 'by file' });
      expect(resolveClash(store.context, firstId(), choice)).toEqual({
        id: firstId(),
        name: NAME,
        field,
        value: expected,
      });
      expect(store.row(NAME)).toMatchObject({ [field]: expected });
      expect(store.read(PATH)).toContain(`${field} = "${expected}"\n`);
      expect(conflicts()).toEqual([expect.objectContaining({ resolution: expect.any(String) })]);
      expect(await store.sync()).toMatchObject({ steps: [], openConflicts: 0 });
      store.write(PATH, store.read(PATH).replace(`"${expected}"`, '"edited later"'));
      expect(await store.sync()).toMatchObject({ openConflicts: 0, imported: 1 });
      store.sql(`UPDATE memories SET ${field} = 'and by row' WHERE name = ?`, NAME);
      expect(await store.sync()).toMatchObject({ openConflicts: 0 });
      expect(store.row(NAME)).toMatchObject({ [field]: 'and by row' });
    });
  });

  it.each([
    ['file', { take: 'file' }, 'shop'],
    ['db', { take: 'db' }, 'depot'],
  ] as const)('of the project takes that of the %s', async (_, choice, expected) => {
    await clash('project_slug', 'shop', 'depot', { project_scoped: 'true', project_slug: '"before"' });
    expect(conflicts()).toMatchObject([{ field: 'project_slug', resolution: null }]);
    resolveClash(store.context, firstId(), choice);
    expect(store.row(NAME)).toMatchObject({ project_scoped: 1, project_slug: expected });
    expect(await store.sync()).toMatchObject({ steps: [], openConflicts: 0 });
  });

  test('keeps the text that goes in history', async () => {
    await clash('action', 'by file', 'by row');
    resolveClash(store.context, firstId(), { take: 'db' });
    const texts = store.sql('SELECT record FROM history').map(({ record }) => String(record));
    expect(texts.some((text) => text.includes('by file'))).toBe(true);
  });

  test('that says what the file says by now leaves later edits alone', async () => {
    await clash('action', 'by file', 'by row');
    store.write(PATH, feedbackText({ action: '"by file, and better"' }));
    expect(resolveClash(store.context, firstId(), { take: 'file' })).toMatchObject({ value: 'by file, and better' });
    expect(store.row(NAME)).toMatchObject({ action: 'by file, and better' });
  });
});

describe('what cannot be resolved stays open', () => {
  test('a number that nobody knows, or one that is resolved', async () => {
    await clash('action', 'by file', 'by row');
    expect(() => resolveClash(store.context, 99, { take: 'file' })).toThrow(engramError('conflict.not-found'));
    resolveClash(store.context, firstId(), { take: 'file' });
    expect(() => resolveClash(store.context, firstId(), { take: 'db' })).toThrow(engramError('conflict.not-found'));
    expect(store.row(NAME)).toMatchObject({ action: 'by file' });
  });

  test('a text that is none', async () => {
    await clash('action', 'by file', 'by row');
    expect(() => resolveClash(store.context, firstId(), { take: 'text', text: ' ' })).toThrow(/^action/);
    expect(conflicts()).toMatchObject([{ resolution: null }]);
    expect(store.row(NAME)).toMatchObject({ action: 'by file' });
  });

  test('a file that is quarantined by now', async () => {
    await clash('action', 'by file', 'by row');
    store.write(PATH, 'action = "broken\n');
    expect(() => resolveClash(store.context, firstId(), { take: 'db' })).toThrow(engramError('memory.quarantined'));
    expect(conflicts()).toMatchObject([{ resolution: null }]);
    expect(store.read(PATH)).toBe('action = "broken\n');
  });
});

test('forgetting a memory ends its conflicts', async () => {
  await clash('action', 'by file', 'by row');
  forget(store.context, NAME);
  expect(conflicts()).toMatchObject([{ resolution: 'archived' }]);
});
