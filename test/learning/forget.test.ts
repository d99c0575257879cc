import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forget, restore } from '../../src/learning/forget.ts';
import { countOutcome } from '../../src/learning/outcomes.ts';
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

const absolute = (path = PATH) => join(store.root, 'memory', path);
async function synced(text: string, path = PATH) {
  store.write(path, text);
  await store.sync();
}

describe('SY-33: forget archives, restore brings back', () => {
  test('the same bytes and counters, odd layout included', async () => {
    const text = `\uFEFF# mine\r\n${feedbackText({ owner: '"platform"' }).replaceAll('\n', '\r\n')}`;
    await synced(text);
    forget(store.context, NAME);
    expect(existsSync(absolute())).toBe(false);
    expect(store.row(NAME)).toBeUndefined();
    expect(store.sql('SELECT name, origin, gone_to, restored_at_ms FROM archive')).toEqual([
      { name: NAME, origin: 'forget', gone_to: null, restored_at_ms: null },
    ]);
    expect(store.sql('SELECT sum(delta) AS n FROM outcome_events GROUP BY kind').every(({ n }) => n === 0)).toBe(true);
    expect(await store.sync()).toMatchObject({ steps: [], heldDeletions: [] });

    expect(restore(store.context, NAME)).toMatchObject({ surfaced_count: 6 });
    expect(store.read(PATH)).toBe(text);
    expect(statSync(absolute()).mode & 0o777).toBe(0o600);
    expect(store.row(NAME)).toMatchObject({ surfaced_count: 6, followed_count: 4 });
    expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE kind = 'surfaced'`)).toEqual([{ n: 6 }]);
    expect(store.sql('SELECT restored_at_ms FROM archive')).toEqual([{ restored_at_ms: expect.any(Number) }]);
    expect(await store.sync()).toMatchObject({ steps: [] });
    expect(() => restore(store.context, NAME)).toThrow(engramError('memory.not-found'));
  });

  test('takes the newest of several', async () => {
    await synced(feedbackText({ action: '"old"' }));
    forget(store.context, NAME);
    await synced(feedbackText({ action: '"new"' }));
    forget(store.context, NAME);
    restore(store.context, NAME);
    expect(store.row(NAME)).toMatchObject({ action: 'new' });
  });

  test('SY-49: what was just edited on either side is in the tombstone', async () => {
    await synced(feedbackText());
    store.write(PATH, feedbackText({ impact: '"It was locked"' }));
    store.sql(`UPDATE memories SET source = 'by SQL' WHERE name = ?`, NAME);
    forget(store.context, NAME);
    restore(store.context, NAME);
    expect(store.row(NAME)).toMatchObject({ impact: 'It was locked', source: 'by SQL' });
  });

  test('works on a file that was never synced', () => {
    store.write(PATH, feedbackText());
    forget(store.context, NAME);
    expect(existsSync(absolute())).toBe(false);
    restore(store.context, NAME);
    expect(store.read(PATH)).toBe(feedbackText());
  });

  test('of a memory whose file has just been removed by hand', async () => {
    await synced(feedbackText());
    const { rmSync } = await import('node:fs');
    rmSync(absolute());
    forget(store.context, NAME);
    restore(store.context, NAME);
    expect(store.read(PATH)).toBe(feedbackText());
  });

  test('counts waiting in the row of a quarantined file are not lost with it', async () => {
    await synced(feedbackText());
    store.write(PATH, 'action = "broken\n');
    await store.sync();
    countOutcome(store.context, NAME, { kind: 'missed' });
    store.write(PATH, feedbackText());
    forget(store.context, NAME);
    expect(restore(store.context, NAME)).toMatchObject({ missed_count: 1 });
    expect(store.row(NAME)).toMatchObject({ missed_count: 1 });
  });
});

describe('a name that is taken is not restored', () => {
  test('by a memory', async () => {
    await synced(feedbackText({ action: '"old"' }));
    forget(store.context, NAME);
    await synced(feedbackText({ action: '"new"' }));
    store.sql('UPDATE archive SET restored_at_ms = NULL');
    expect(() => restore(store.context, NAME)).toThrow(engramError('memory.exists'));
    expect(store.row(NAME)).toMatchObject({ action: 'new' });
  });

  test('by a file that nobody has read', async () => {
    await synced(feedbackText());
    forget(store.context, NAME);
    store.write(PATH, 'anything');
    expect(() => restore(store.context, NAME)).toThrow(engramError('memory.exists'));
    expect(store.read(PATH)).toBe('anything');
  });

  test('but for case (MF-4)', async () => {
    await synced(feedbackText());
    forget(store.context, NAME);
    await synced(feedbackText({ action: '"new"' }), 'feedback/A.toml');
    expect(() => restore(store.context, NAME)).toThrow(engramError('memory.exists'));
    expect(readdirSync(absolute('feedback'))).toEqual(['A.toml']);
  });
});

describe('what cannot be forgotten is said', () => {
  test('SY-14: a quarantined file stays: repair or remove it', async () => {
    await synced(feedbackText());
    store.write(PATH, 'action = "broken\n');
    expect(() => forget(store.context, NAME)).toThrow(
      expect.objectContaining({ code: 'memory.quarantined', hint: expect.stringMatching(/repair/i) }),
    );
    expect(store.read(PATH)).toBe('action = "broken\n');
    expect(store.row(NAME)).toBeDefined();
    expect(store.sql('SELECT * FROM archive')).toEqual([]);
  });
});

test('SY-14: of a link the name goes, never its target; restore makes a file', async () => {
  const target = join(store.root, 'target.toml');
  writeFileSync(target, feedbackText());
  mkdirSync(absolute('feedback'), { recursive: true });
  symlinkSync(target, absolute());
  await store.sync();
  forget(store.context, NAME);
  expect([existsSync(absolute()), readFileSync(target, 'utf8')]).toEqual([false, feedbackText()]);
  restore(store.context, NAME);
  expect(store.read(PATH)).toBe(feedbackText());
});

test('MF-17: a file of a newer version may be moved to the archive unchanged', async () => {
  await synced(feedbackText({ schema_version: '3' }));
  forget(store.context, NAME);
  restore(store.context, NAME);
  expect(store.read(PATH)).toBe(feedbackText({ schema_version: '3' }));
});

test('SY-21: what was renamed lives on under its new name; restoring the old one would make a copy', async () => {
  store.write('feedback/old.toml', feedbackText());
  store.sync();
  const { renameSync } = await import('node:fs');
  renameSync(store.at('feedback/old.toml'), store.at('feedback/new.toml'));
  store.sync();
  expect(() => restore(store.context, 'feedback/old' as MemoryName)).toThrow(engramError('memory.exists'));
  expect(store.files()).toEqual(['feedback/new.toml']);
});
