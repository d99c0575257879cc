import { expect, test } from 'vitest';
import type { MemoryName } from '../../src/memory/slug.ts';
import { admit, countExcluded } from '../../src/store/admitted.ts';
import { listAdmittedRows } from '../../src/store/candidates.ts';
import { listMemories } from '../../src/store/live-memories.ts';
import { checkStore } from '../../src/sync/check.ts';
import { presentRecord } from '../../src/sync/present-record.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';

const EVERYTHING = { type: null, scopes: null, without: [] } as const;

test('SY-42: of a quarantined row the last good record is searched, until the row is right', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText({ impact: '"Something about zebras"' }));
  store.write('feedback/b.toml', feedbackText({ action: '"another"' }));
  store.sync();
  const { db } = store.context.store;
  const found = (word: string) =>
    store.sql('SELECT m.name FROM fts_prose f JOIN memories m ON m.pk = f.rowid WHERE fts_prose MATCH ?', word);
  expect(admit(db, EVERYTHING)).toBe(2);
  shell(
    databaseOf(store.root),
    `UPDATE memories SET situation = '', impact = 'ocelots', project_scoped = 1, project_slug = 'x' WHERE name = 'feedback/a';`,
  );
  store.sync();
  expect(store.sql(`SELECT side FROM quarantine`)).toEqual([{ side: 'row' }]);
  expect([found('zebras'), found('ocelots')]).toEqual([[{ name: 'feedback/a' }], []]);
  expect(admit(db, { ...EVERYTHING, scopes: [] })).toBe(2);
  expect(countExcluded(db, EVERYTHING).notIndexed).toBe(0);
  expect(listAdmittedRows(db).map((row) => row.impact)).toContain('Something about zebras');
  expect(listMemories(db, { type: null, coreOnly: false })[0]).toMatchObject({ project_scoped: 0 });
  expect(presentRecord(db, 'feedback/a' as MemoryName).impact).toBe('Something about zebras');
  expect(checkStore(store.context).map(({ kind }) => kind)).not.toContain('index-text');
  store.write('feedback/a.toml', feedbackText({ impact: '"Something about gnus"' }));
  store.sync();
  expect(found('gnus')).toEqual([{ name: 'feedback/a' }]);
  shell(databaseOf(store.root), `UPDATE memories SET situation = 'When right' WHERE name = 'feedback/a';`);
  store.sync();
  expect(found('right')).toEqual([{ name: 'feedback/a' }]);
  expect(admit(db, EVERYTHING)).toBe(2);
  expect(checkStore(store.context)).toEqual([]);
});

test('SY-24: a row that never was good is in no answer', async () => {
  using store = await temporaryStore();
  store.write('feedback/b.toml', feedbackText());
  store.sync();
  shell(databaseOf(store.root), `INSERT INTO memories(name, situation) VALUES ('feedback/a', 'When half');`);
  store.sync();
  const { db } = store.context.store;
  expect(admit(db, EVERYTHING)).toBe(1);
  expect(countExcluded(db, EVERYTHING).notIndexed).toBe(1);
  expect(listMemories(db, { type: null, coreOnly: false }).map(({ name }) => name)).toEqual(['feedback/b']);
});
