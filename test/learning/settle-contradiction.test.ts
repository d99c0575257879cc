import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { resolveClash } from '../../src/learning/clashes.ts';
import { editMemoryFields } from '../../src/learning/edit.ts';
import { forget } from '../../src/learning/forget.ts';
import { settleContradiction } from '../../src/learning/settle-contradiction.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { listContradicted, openContradiction } from '../../src/store/conflicts.ts';
import { immediately } from '../../src/store/transaction.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { engramError } from '../support/engram-error.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { factDraft, learned } from './drafts.ts';

let store: TestStore;
let older: MemoryName;
let newer: MemoryName;
beforeEach(async () => {
  store = await temporaryStore();
  older = learned(store, factDraft({ object: 'make check' })).name;
  newer = learned(store, factDraft({ object: 'make test' })).name;
});
afterEach(() => store[Symbol.dispose]());

const open = (name = newer, other = older) =>
  immediately(store.context.store, () =>
    openContradiction(store.context.store.db, { name, other, field: 'object' }, store.context.clock()),
  );
const conflicts = () => store.sql('SELECT id, name, other, resolution FROM conflicts ORDER BY id');
const contradicted = () => [...listContradicted(store.context.store.db)];
const archived = () => store.sql('SELECT name, origin, gone_to FROM archive');
const settle = (id: number, keep: 'this' | 'other' | 'both') => settleContradiction(store.context, id, keep);

describe('AG-46: a conflict of two memories', () => {
  test('is opened once for a pair, whichever is named first', () => {
    expect([open(), open(), open(older, newer)]).toEqual([1, 1, 1]);
    expect(conflicts()).toEqual([{ id: 1, name: newer, other: older, resolution: null }]);
  });

  test('AG-16: names the newer side as contradicted as long as it is open', () => {
    open();
    expect(contradicted()).toEqual([newer]);
    settle(1, 'both');
    expect(contradicted()).toEqual([]);
    expect(open()).toBe(2);
  });

  it.each([
    ['this', () => older, () => newer],
    ['other', () => newer, () => older],
  ] as const)('--keep %s archives the other one, linked, restorable', (keep, gone, kept) => {
    open();
    expect(settle(1, keep)).toEqual({ id: 1, kept: keep, name: newer, other: older, archived: gone() });
    expect(archived()).toEqual([{ name: gone(), origin: 'superseded', gone_to: kept() }]);
    expect(conflicts()).toMatchObject([{ resolution: keep }]);
    expect(() => settle(1, 'both')).toThrow(engramError('conflict.not-found'));
  });

  it.each(['newer', 'older'] as const)('ends when the %s one is archived, by whomever', async (which) => {
    open();
    const gone = which === 'newer' ? newer : older;
    store.remove(`${gone}.toml`);
    await store.sync({ allowMassDelete: true });
    await store.sync({ allowMassDelete: true });
    expect(store.row(gone)).toBeUndefined();
    expect(conflicts()).toMatchObject([{ resolution: 'archived' }]);
    expect(contradicted()).toEqual([]);
  });

  it.each(['newer', 'older'] as const)('ends when the %s one is forgotten', (which) => {
    open();
    forget(store.context, which === 'newer' ? newer : older);
    expect(conflicts()).toMatchObject([{ resolution: 'archived' }]);
  });

  test('stays open after an edit that ends the contradiction, until somebody resolves it', async () => {
    open();
    editMemoryFields(store.context, newer, { object: 'make check, as before' });
    expect(await store.sync()).toMatchObject({ openConflicts: 1 });
    expect(contradicted()).toEqual([newer]);
  });

  it.each(['newer', 'older'] as const)('follows a renamed file of the %s one', async (which) => {
    open();
    const before = which === 'newer' ? newer : older;
    const after = 'facts/by-another-name';
    renameSync(store.at(`${before}.toml`), store.at(`${after}.toml`));
    await store.sync();
    await store.sync();
    expect(store.row(after)).toBeDefined();
    expect(conflicts()).toMatchObject([{ [which === 'newer' ? 'name' : 'other']: after, resolution: null }]);
  });

  test('archives nothing while the one to keep is gone from disk', () => {
    open();
    store.remove(`${newer}.toml`);
    expect(() => settle(1, 'this')).toThrow(engramError('memory.not-found'));
    expect([archived(), conflicts()]).toMatchObject([[], [{ resolution: null }]]);
    expect(store.exists(`${older}.toml`)).toBe(true);
  });

  test('archives nothing whose file cannot be read', () => {
    open();
    store.write(`${older}.toml`, 'object = "broken\n');
    expect(() => settle(1, 'this')).toThrow(engramError('memory.quarantined'));
    expect(conflicts()).toMatchObject([{ resolution: null }]);
  });

  test('takes no text, and a conflict of texts keeps no memory', async () => {
    open();
    expect(() => resolveClash(store.context, 1, { take: 'file' })).toThrow(engramError('usage'));
    store.write('feedback/a.toml', feedbackText());
    await store.sync();
    store.write('feedback/a.toml', feedbackText({ action: '"by file"' }));
    store.sql(`UPDATE memories SET action = 'by row' WHERE name = 'feedback/a'`);
    await store.sync();
    expect(() => settle(2, 'this')).toThrow(engramError('usage'));
    expect(conflicts()).toMatchObject([{ resolution: null }, { resolution: null }]);
  });

  test('two processes that decide differently at once never archive both', async () => {
    const script = bundleForChild(new URL('./children/settle.ts', import.meta.url));
    for (let round = 1; round <= 3; round += 1) {
      const object = `round ${round}`;
      const pair = [`a ${object}`, `b ${object}`].map((text) => learned(store, factDraft({ object: text })).name);
      const id = open(pair[1], pair[0]);
      const running = ['this', 'other'].map((keep) =>
        startChild(process.execPath, [script, store.root, String(id), keep]),
      );
      await Promise.all(running.map(({ printed }) => printed('ready')));
      for (const { process: child } of running) child.stdin?.write('go\n');
      const ends = await Promise.all(running.map(({ end }) => end));
      expect(ends.map(({ stderr }) => stderr)).toEqual(['', '']);
      const said = ends.map(({ stdout }) => stdout.trim().split('\n').at(-1));
      expect(said.filter((word) => word === 'settled')).toHaveLength(1);
      expect(said.find((word) => word !== 'settled')).toMatch(
        /^(conflict\.not-found|write\.contended|memory\.not-found)$/,
      );
      expect(pair.filter((name) => store.row(name) !== undefined)).toHaveLength(1);
    }
    expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
  }, 60_000);
});
