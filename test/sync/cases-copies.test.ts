import { expect, test } from 'vitest';
import { resolveClash } from '../../src/learning/clashes.ts';
import { syncExit } from '../../src/sync/report.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const EQUAL = 'feedback/m.sync-conflict-20260101.toml';
const OTHER = 'feedback/m (conflicted copy 2).toml';

async function storeWithCopies(copies: Readonly<Record<string, string>>): Promise<TestStore> {
  const store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  for (const [path, text] of Object.entries(copies)) store.write(path, text);
  return store;
}

const openConflicts = (store: TestStore) =>
  store.sql('SELECT id, name, field, file_value, row_value, reason FROM conflicts WHERE resolution IS NULL');

test('X09, SY-48: an equal copy is redundant, another one gives one conflict row; neither is live', async () => {
  using store = await storeWithCopies({ [EQUAL]: feedbackText(), [OTHER]: feedbackText({ action: '"Another way"' }) });
  const report = store.sync();
  expect(store.sql('SELECT name FROM memories')).toEqual([{ name: 'feedback/m' }]);
  expect(report.quarantined.map(({ path, reason }) => [path, reason])).toEqual([
    [OTHER, 'conflict-copy'],
    [EQUAL, 'conflict-copy'],
  ]);
  expect(report.quarantined[1]?.message).toContain('equal to feedback/m: redundant');
  expect(report.steps).toContainEqual({ name: 'feedback/m', action: 'note', reason: 'redundant-copy', other: EQUAL });
  expect(openConflicts(store)).toMatchObject([
    { name: 'feedback/m', field: 'action', row_value: 'Another way', reason: 'sync-copy' },
  ]);
  const again = store.sync();
  expect([again.steps, again.openConflicts, syncExit(again)]).toEqual([[], 1, 6]);
  store.write('feedback/m.toml', feedbackText({ impact: '"Something else"' }));
  store.sync();
  expect(openConflicts(store)).toHaveLength(1);
});

test.each([
  ['db', 'Another way'],
  ['file', 'Add it nullable, backfill in batches of 5,000, then set NOT NULL'],
] as const)('SY-48, SY-20: taking the side %s, the copy goes to the archive', async (take, action) => {
  const text = `# from the laptop\n${feedbackText({ action: '"Another way"' })}`;
  using store = await storeWithCopies({ [OTHER]: text });
  store.sync();
  resolveClash(store.context, Number(openConflicts(store)[0]?.id), { take });
  expect(store.exists(OTHER)).toBe(true);
  const report = store.sync();
  expect(store.exists(OTHER)).toBe(false);
  expect(store.row('feedback/m')).toMatchObject({ action });
  expect([report.quarantined, report.openConflicts, syncExit(report)]).toEqual([[], 0, 0]);
  expect(store.sql('SELECT name, origin, gone_to, CAST(bytes AS TEXT) AS text FROM archive')).toEqual([
    { name: 'feedback/m (conflicted copy 2)', origin: 'sync-copy', gone_to: 'feedback/m', text },
  ]);
  expect(store.sync().steps).toEqual([]);
});

test('SY-48: every clashing text has its row, and the copy stays until the last is resolved', async () => {
  using store = await storeWithCopies({ [OTHER]: feedbackText({ action: '"Another way"', impact: '"Worse"' }) });
  store.sync();
  const [first, second] = openConflicts(store);
  expect([first?.field, second?.field]).toEqual(['impact', 'action']);
  resolveClash(store.context, Number(first?.id), { take: 'db' });
  store.sync();
  expect(store.exists(OTHER)).toBe(true);
  expect(openConflicts(store)).toHaveLength(1);
  resolveClash(store.context, Number(second?.id), { take: 'text', text: 'A third way' });
  store.sync();
  expect(store.exists(OTHER)).toBe(false);
  expect(store.row('feedback/m')).toMatchObject({ action: 'A third way', impact: 'Worse' });
  expect(openConflicts(store)).toEqual([]);
});

test('SY-48: a copy without its memory, and one that is no memory, stay where they are', async () => {
  using store = await storeWithCopies({
    'feedback/gone (conflicted copy).toml': feedbackText(),
    [OTHER]: 'no = toml =',
  });
  const report = store.sync();
  expect(report.quarantined).toHaveLength(2);
  expect(openConflicts(store)).toEqual([]);
  expect(store.sync().steps).toEqual([]);
  expect(store.files()).toHaveLength(3);
});
