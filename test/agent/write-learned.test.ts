import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LearnedOptions, type LearnedOutcome, writeLearned } from '../../src/agent/write-learned.ts';
import { type Engram, openEngram } from '../../src/engram.ts';
import type { Draft } from '../../src/learning/draft.ts';
import { setPinned } from '../../src/learning/edit.ts';
import { forget } from '../../src/learning/forget.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { listContradicted } from '../../src/store/conflicts.ts';
import { factDraft, feedbackDraft, learned } from '../learning/drafts.ts';
import { project } from '../support/ask.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';

const PROJECT = 'shop-api';
const HERE = { project: PROJECT, everywhere: false };

let store: TestStore;
let engram: Engram;
beforeEach(async () => {
  store = await temporaryStore();
  engram = await openEngram({ root: store.root, origin: 'agent', embedding: { provider: 'none' } });
});
afterEach(() => {
  engram.close();
  store[Symbol.dispose]();
});

let callCount = 0;
const write = (draft: Draft, options: Partial<LearnedOptions> = {}): Promise<LearnedOutcome> => {
  callCount += 1;
  return writeLearned({ context: engram.context, search: engram, refresh: engram.refresh }, draft, {
    project: project(PROJECT),
    everywhere: false,
    idempotencyKey: `call ${callCount}`,
    ...options,
  });
};
const known = (draft: Draft, scope = HERE): MemoryName => learned(store, draft, { scope }).name;
const conflicts = () => store.sql('SELECT id, name, other, field, resolution FROM conflicts');
const rowCount = () => store.sql('SELECT count(*) AS n FROM memories')[0]?.n;

const SITUATION = 'When running the shop-api tests';
/** What example 8 of agent.md replaces, and what it learns. */
const fullSuite = (changes: Partial<Draft> = {}) =>
  feedbackDraft({
    situation: SITUATION,
    behavior: 'Relying on the fast subset',
    impact: 'A broken test was missed',
    action: 'Do not run make test-fast',
    source: 'observed failure, 2026-04-02',
    confidence: 0.7,
    ...changes,
  });
const fastSubset = (changes: Partial<Draft> = {}) =>
  feedbackDraft({
    situation: SITUATION,
    behavior: 'Run the whole suite with npm test',
    impact: 'the full suite takes 40 minutes',
    action: 'run make test-fast',
    source: 'user correction, 2026-12-01',
    confidence: 1,
    ...changes,
  });
const port = (object: string, confidence: number, changes: Partial<Draft> = {}) =>
  factDraft({
    situation: 'When working on api in shop-api',
    subject: 'shop-api',
    predicate: 'listens-on',
    object,
    source: 'observed in done message, 2026-12-01',
    confidence,
    ...changes,
  });

interface Kind {
  readonly type: 'feedback' | 'facts';
  readonly old: (changes?: Partial<Draft>) => Draft;
  readonly next: (changes?: Partial<Draft>) => Draft;
  readonly field: 'action' | 'object';
  readonly oldText: string;
  readonly newText: string;
}
const KINDS: readonly Kind[] = [
  {
    type: 'feedback',
    old: fullSuite,
    next: fastSubset,
    field: 'action',
    oldText: 'Do not run make test-fast',
    newText: 'run make test-fast',
  },
  {
    type: 'facts',
    old: (changes) => port('port 8080', 0.7, changes),
    next: (changes) => port('port 9000', 1, changes),
    field: 'object',
    oldText: 'port 8080',
    newText: 'port 9000',
  },
];

describe.each(KINDS)('AG-46: $type', ({ old, next, field, oldText, newText }) => {
  const oldRow = (name: MemoryName) => ({ name, [field]: oldText });

  it('the same: nothing is written', async () => {
    const name = known(next({ confidence: 0.4 }));
    const before = store.everything();
    expect(await write(next())).toEqual({ kind: 'duplicate', name });
    expect(store.everything()).toEqual(before);
    expect(conflicts()).toEqual([]);
  });

  it.each([
    ['lower', 0.4, 0.7],
    ['equal', 0.7, 0.7],
  ])('the opposite, the known one %s: replaced in place, the old text in history', async (_, before, own) => {
    const name = known(old({ confidence: before }));
    const outcome = await write(next({ confidence: own }));
    expect(outcome).toMatchObject({ kind: 'replaced', name, record: { [field]: newText, initial_confidence: own } });
    expect(store.row(name)).toMatchObject({
      situation: old().situation,
      [field]: newText,
      behavior: next().behavior ?? null,
      impact: next().impact ?? null,
      source: next().source,
      initial_confidence: own,
    });
    expect(store.read(`${name}.toml`)).toContain(`${field} = "${newText}"`);
    expect(store.sql('SELECT name, json_extract(record, ?) AS text FROM history', `$.${field}`)).toEqual([
      { name, text: oldText },
    ]);
    expect([rowCount(), conflicts()]).toEqual([1, []]);
    expect(await store.sync()).toMatchObject({ steps: [] });
  });

  it('the opposite, of unknown confidence: replaced in place', async () => {
    const written = known(old());
    const name = `${written}-of-before` as MemoryName;
    store.write(`${name}.toml`, store.read(`${written}.toml`).replace(/initial_confidence = .*\n/, ''));
    forget(store.context, written);
    await store.sync();
    expect(store.row(name)).toMatchObject({ initial_confidence: null });
    expect(await write(next({ confidence: 0.4 }))).toMatchObject({ kind: 'replaced', name });
    expect(store.row(name)).toMatchObject({ [field]: newText, initial_confidence: 0.4 });
  });

  it('the opposite, the known one more certain: both are kept, a person decides', async () => {
    const name = known(old({ confidence: 0.9 }));
    const outcome = await write(next({ confidence: 0.7 }));
    expect(outcome).toMatchObject({
      kind: 'conflict',
      other: name,
      otherIsCore: false,
      otherConfidence: 0.9,
      conflictId: 1,
      record: { initial_confidence: 0.7 },
    });
    expect(conflicts()).toEqual([{ id: 1, name: nameOf(outcome), other: name, field, resolution: null }]);
    expect(store.row(name)).toMatchObject(oldRow(name));
    expect(store.row(nameOf(outcome))).toMatchObject({ [field]: newText, initial_confidence: 0.7 });
    expect(listContradicted(store.context.store.db)).toEqual(new Set([nameOf(outcome)]));
  });

  it.each([
    ['pinned, confidence 1', true, 1, 1, 0.8],
    ['pinned, confidence 0.2', true, 0.2, 1, 0.1],
    ['promoted, confidence 0.7', false, 0.7, 1, 0.5],
    ['pinned, more certain by far', true, 1, 0.4, 0.4],
  ])(
    'the opposite, the known one core (%s): it stays, and the new one is less certain',
    async (_, pin, theirs, own, kept) => {
      const name = known(old({ confidence: theirs }));
      if (pin) setPinned(store.context, name, true);
      else store.sql(`UPDATE memories SET core = 1, core_origin = 'auto'`);
      const outcome = await write(next({ confidence: own }));
      expect(outcome).toMatchObject({ kind: 'conflict', other: name, otherIsCore: true, otherConfidence: theirs });
      expect(store.row(nameOf(outcome))).toMatchObject({ [field]: newText, initial_confidence: kept });
      expect(store.row(name)).toMatchObject(oldRow(name));
    },
  );

  it.each([
    ['everywhere', { project: PROJECT, everywhere: true }, false],
    ['of this project', HERE, true],
  ])('the opposite, the known one in another scope (%s): both are kept', async (_, scope, everywhere) => {
    const name = known(old({ confidence: 0.4 }), scope);
    const outcome = await write(next(), { everywhere });
    expect(outcome).toMatchObject({ kind: 'conflict', other: name });
    expect(store.row(nameOf(outcome))).toMatchObject({ initial_confidence: 1, project_scoped: everywhere ? 0 : 1 });
    expect(store.row(name)).toMatchObject(oldRow(name));
  });

  it('the opposite in another project: a new memory', async () => {
    known(old(), { project: 'depot', everywhere: false });
    expect(await write(next())).toMatchObject({ kind: 'created' });
    expect(conflicts()).toEqual([]);
  });

  it('anything else: a new memory', async () => {
    known(field === 'action' ? old({ action: 'Read the log first' }) : old({ predicate: 'is served by' }));
    const outcome = await write(next());
    expect(outcome).toMatchObject({ kind: 'created', record: { [field]: newText, project_slug: PROJECT } });
    expect([rowCount(), conflicts()]).toEqual([2, []]);
  });

  it('AG-40: a learned message replaces no record whose source is the user', async () => {
    const user = known(old({ source: 'user confirmation, 2026-04-02' }));
    expect(await write(next(), { sparesUserRecords: true })).toMatchObject({ kind: 'conflict', other: user });
    expect(store.row(user)).toMatchObject(oldRow(user));
  });

  it('AG-40: a learned message replaces what was observed', async () => {
    const name = known(old());
    expect(await write(next(), { sparesUserRecords: true })).toMatchObject({ kind: 'replaced', name });
  });

  it('AG-45: a model may say that two are different after all, and nothing else', async () => {
    const name = known(old());
    const asked: unknown[] = [];
    const different = await write(next(), {
      relation: async (a, b) => {
        asked.push([a[field], b[field]]);
        return 'different';
      },
    });
    expect([different.kind, asked, conflicts()]).toEqual(['created', [[newText, oldText]], []]);
    expect(store.row(name)).toMatchObject(oldRow(name));
    // Of one that is known word for word it is not asked.
    expect(await write(next(), { relation: () => Promise.reject(new Error('asked')) })).toMatchObject({
      kind: 'duplicate',
    });
  });

  it('several that contradict: all stay, each with its conflict', async () => {
    const one = known(old({ confidence: 0.4 }));
    const two = known(
      field === 'action' ? old({ action: 'Never run make test-fast', impact: 'x' }) : old({ object: 'port 7000' }),
    );
    setPinned(store.context, two, true);
    const outcome = await write(next());
    expect(outcome).toMatchObject({ kind: 'conflict', other: two, otherIsCore: true, conflictId: 1 });
    expect(conflicts().map(({ other }) => other)).toEqual([two, one]);
    expect(rowCount()).toBe(3);
  });
});

const nameOf = (outcome: LearnedOutcome): MemoryName => {
  if (!('name' in outcome)) throw new Error(`no name: ${JSON.stringify(outcome)}`);
  return outcome.name;
};
