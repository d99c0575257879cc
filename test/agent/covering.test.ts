import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { type Failure, findCovering } from '../../src/agent/covering.ts';
import { type Engram, openEngram } from '../../src/engram.ts';
import { forget } from '../../src/learning/forget.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { feedbackDraft, learned } from '../learning/drafts.ts';
import { project } from '../support/ask.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';

let store: TestStore;
let engram: Engram;
let name: MemoryName;
beforeEach(async () => {
  store = await temporaryStore();
  engram = await openEngram({ root: store.root, origin: 'agent' });
  name = learned(
    store,
    feedbackDraft({
      situation: 'When adding a database column',
      behavior: 'Locking the whole table with one migration',
      impact: 'The orders table was locked for nine minutes',
      action: 'Add it nullable, backfill in batches, then set NOT NULL',
    }),
  ).name;
  await engram.embed();
});
afterEach(() => {
  engram.close();
  store[Symbol.dispose]();
});

const covering = (failure: Partial<Failure>, inProject: string | null = null) =>
  findCovering(
    engram,
    {
      situation: 'When adding a column to the database',
      behavior: 'Locking the whole table, with one migration',
      action: '',
      ...failure,
    },
    { project: project(inProject) },
  );

it.each([
  ['no action', ''],
  ['the stored action', 'add it nullable, backfill in batches, then set NOT NULL!'],
  ['to leave it alone', 'Do not lock the whole table with one migration'],
])('AG-37: a memory of similar situation and behavior covers a failure that demands %s', async (_, action) => {
  expect(await covering({ action })).toMatchObject({ name, record: { situation: 'When adding a database column' } });
});

it.each([
  ['another action', { action: 'Ask the database team first' }],
  ['another behavior', { behavior: 'Renaming it by hand on the server' }],
  ['another situation', { situation: 'When writing the release notes' }],
  ['no behavior', { behavior: ' ' }],
] as const)('AG-37: not with %s', async (_, failure) => {
  expect(await covering(failure)).toBeNull();
});

test('AG-37: nor by a memory that is gone, or of another project', async () => {
  forget(store.context, name);
  expect(await covering({})).toBeNull();
  learned(store, feedbackDraft({ situation: 'When adding a database column' }), {
    scope: { project: 'depot', everywhere: false },
  });
  expect(await covering({}, 'shop-api')).toBeNull();
});
