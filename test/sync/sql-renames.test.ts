import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realFileSystem } from '../../src/files/file-system.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { syncAll } from '../../src/sync/sync.ts';
import { faultyFileSystem } from '../support/failing-file-system.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

async function renamed(): Promise<TestStore> {
  const store = await temporaryStore();
  store.write('feedback/old.toml', feedbackText());
  store.write('feedback/other.toml', feedbackText({ action: '"other"' }));
  store.sync();
  shell(
    databaseOf(store.root),
    `UPDATE memories SET name = 'feedback/new', surfaced_count = 7 WHERE name = 'feedback/old';`,
  );
  return store;
}

const files = (store: TestStore) => readdirSync(join(store.root, 'memory/feedback')).sort();

describe('SY-37: a rename wished by SQL', () => {
  test('dies at any call to the file system: the next sync ends with one memory under the new name', async () => {
    for (let deadly = 1; ; deadly++) {
      using store = await renamed();
      const before = store.row('feedback/new');
      let reached = false;
      // From the deadly call on nothing works any more, as for a process that is gone.
      const fs = faultyFileSystem((_call, _nth, ofAll) => {
        reached ||= ofAll >= deadly;
        return ofAll >= deadly ? 'EIO' : null;
      });
      try {
        syncAll({ ...store.context, fs });
      } catch {
        // The death.
      }
      if (!reached) {
        expect(deadly).toBeGreaterThan(10);
        break;
      }
      expect(deadly).toBeLessThan(100);
      // What a dead process leaves is not ours any more.
      for (const path of files(store).filter((name) => name.endsWith('.lock'))) {
        realFileSystem.unlinkSync(join(store.root, 'memory/feedback', path));
      }
      store.sync();
      store.sync();
      expect([deadly, files(store).filter((name) => name.endsWith('.toml'))]).toEqual([
        deadly,
        ['new.toml', 'other.toml'],
      ]);
      expect(store.row('feedback/new')).toMatchObject({ pk: before?.pk, surfaced_count: 7 });
      expect(store.row('feedback/old')).toBeUndefined();
      expect(store.read('feedback/new.toml')).toContain('surfaced_count = 7\n');
      expect(listCounterMismatches(store.context.store.db)).toEqual([]);
      expect(store.sync().steps).toEqual([]);
    }
  }, 60_000);

  test('whose old file is edited while the new one is made: the edit stays as a memory of its own', async () => {
    using store = await renamed();
    let edited = false;
    const fs = {
      ...realFileSystem,
      linkSync: (from: string, to: string) => {
        realFileSystem.linkSync(from, to);
        if (!edited && to.endsWith('new.toml')) {
          edited = true;
          store.write('feedback/old.toml', feedbackText({ action: '"edited"' }));
        }
      },
    };
    syncAll({ ...store.context, fs });
    expect(edited).toBe(true);
    store.sync();
    expect(files(store)).toEqual(['new.toml', 'old.toml', 'other.toml']);
    expect(store.row('feedback/old')).toMatchObject({ action: 'edited' });
    expect(store.row('feedback/new')).toMatchObject({ surfaced_count: 7 });
    expect(store.sync().steps).toEqual([]);
  });

  test('whose new name a file took meanwhile: nothing is replaced, both texts are kept', async () => {
    using store = await renamed();
    store.write('feedback/new.toml', feedbackText({ action: '"was here"' }));
    store.sync();
    expect(files(store)).toEqual(['new.toml', 'old.toml', 'other.toml']);
    expect(store.read('feedback/new.toml')).toContain('action = "was here"\n');
    expect(store.row('feedback/old')).toMatchObject({ action: expect.stringContaining('backfill') });
    expect(store.sync().steps).toEqual([]);
  });

  test('a dry run names it and moves nothing', async () => {
    using store = await renamed();
    const report = store.sync({ dryRun: true });
    expect(report.steps).toContainEqual({
      name: 'feedback/old',
      action: 'rename',
      reason: 'row-renamed',
      other: 'feedback/new',
    });
    expect(files(store)).toEqual(['old.toml', 'other.toml']);
    expect(store.row('feedback/new')).toMatchObject({ surfaced_count: 7 });
  });
});
