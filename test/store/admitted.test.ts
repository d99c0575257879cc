import { expect, test } from 'vitest';
import { admit, countExcluded } from '../../src/store/admitted.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';

const EVERYTHING = { type: null, scopes: null, without: [] } as const;

test('SY-24: a quarantined row is not searched, and is again once it is right', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.write('feedback/b.toml', feedbackText({ action: '"another"' }));
  store.sync();
  const { db } = store.context.store;
  expect(admit(db, EVERYTHING)).toBe(2);
  shell(databaseOf(store.root), `UPDATE memories SET situation = '' WHERE name = 'feedback/a';`);
  store.sync();
  expect(admit(db, EVERYTHING)).toBe(1);
  expect(countExcluded(db, EVERYTHING).notIndexed).toBe(1);
  shell(databaseOf(store.root), `UPDATE memories SET situation = 'When right' WHERE name = 'feedback/a';`);
  store.sync();
  expect(admit(db, EVERYTHING)).toBe(2);
});
