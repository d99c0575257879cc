import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import {
  type LearnedOptions,
  type LearnedOutcome,
  type LearnedTools,
  writeLearned,
} from '../../src/agent/write-learned.ts';
import { type Engram, openEngram } from '../../src/engram.ts';
import type { Draft } from '../../src/learning/draft.ts';
import { setPinned } from '../../src/learning/edit.ts';
import { forget } from '../../src/learning/forget.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { listContradicted } from '../../src/store/conflicts.ts';
import { factDraft, learned } from '../learning/drafts.ts';
import { project } from '../support/ask.ts';
import { GITHUB_TOKEN } from '../support/fake-secrets.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';
import { fastSubset, fullSuite, port } from './learned-drafts.ts';

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

describe('the worked examples', () => {
  test('AG-46, example 8: behavior, impact and action of the memory change, and its confidence', async () => {
    const name = known(fullSuite());
    expect(name).toBe('feedback/when-running-the-shop-api-tests');
    expect(await write(fastSubset())).toMatchObject({ kind: 'replaced', name, record: { initial_confidence: 1 } });
    expect(store.row(name)).toMatchObject({
      behavior: 'Run the whole suite with npm test',
      impact: 'the full suite takes 40 minutes',
      action: 'run make test-fast',
      initial_confidence: 1,
    });
    expect(store.sql('SELECT reason FROM history')).toEqual([{ reason: 'edit' }]);
  });

  test('AG-46, example 11: a core fact stays, both are kept', async () => {
    const name = known(port('port 9000', 1));
    setPinned(store.context, name, true);
    expect(await write(port('port 8080', 0.7))).toMatchObject({
      kind: 'conflict',
      name: 'facts/shop-api-listens-on-port-8080',
      record: { initial_confidence: 0.7 },
      other: 'facts/shop-api-listens-on-port-9000',
      otherIsCore: true,
      conflictId: 1,
    });
  });
});

describe('AG-45: an action is the opposite', () => {
  it.each([
    ['where one negates', { behavior: 'x', action: 'Use fixtures' }, { behavior: 'y', action: "Don't use fixtures" }],
    ['of the old behavior', { behavior: 'Use fixtures', action: 'a' }, { behavior: 'b', action: 'use fixtures' }],
    [
      'where the new behavior is the old action',
      { behavior: 'a', action: 'Use fixtures' },
      { behavior: 'Use fixtures', action: 'b' },
    ],
  ])('%s', async (_, one, other) => {
    const name = known(fullSuite(one));
    expect(await write(fastSubset(other))).toMatchObject({ kind: 'replaced', name });
  });

  it.each([
    ['a number', 'Use 2 workers', 'Use 4 workers'],
    ['an identifier', 'Run make test', 'Run make check'],
  ])('and not where %s differs', async (_, one, other) => {
    known(fullSuite({ action: one }));
    expect(await write(fastSubset({ action: other }))).toMatchObject({ kind: 'created' });
  });
});

describe('AG-45: situations that are only similar', () => {
  /** As a model finds: all texts are near each other. */
  const similar: LearnedTools['search'] = {
    query: (request) => engram.query(request),
    compare: async () => ({ sim: () => 0.85, degraded: [] }),
  };
  const elsewhere = { situation: 'When running the tests of shop-api on a laptop' };
  const writeSimilar = (draft: Draft) =>
    writeLearned({ context: engram.context, search: similar, refresh: engram.refresh }, draft, {
      project: project(PROJECT),
      everywhere: false,
      idempotencyKey: 'similar',
    });

  test('the new memory is written, and both are named', async () => {
    const name = known(fullSuite({ ...elsewhere, confidence: 0.4 }));
    const outcome = await writeSimilar(fastSubset());
    expect(outcome).toMatchObject({ kind: 'conflict', other: name, record: { initial_confidence: 1 } });
    expect(store.row(name)).toMatchObject({ action: 'Do not run make test-fast' });
    expect(conflicts()).toHaveLength(1);
  });

  test('and the same action is a memory of its own', async () => {
    known(fastSubset(elsewhere));
    expect(await writeSimilar(fastSubset())).toMatchObject({ kind: 'created' });
  });
});

describe('AG-46: facts whose predicate may have several objects', () => {
  const uses = (object: string, changes: Partial<Draft> = {}) =>
    factDraft({ subject: 'shop-api', predicate: 'uses', object, confidence: 0.7, ...changes });

  test('never conflict', async () => {
    known(uses('npm'));
    expect(await write(uses('pnpm'))).toMatchObject({ kind: 'created' });
    expect(conflicts()).toEqual([]);
  });

  it.each([
    ['instead of Z', uses('pnpm instead of npm')],
    ['switched from Z to Y', uses('npm to pnpm', { predicate: 'switched-from' })],
    ['Z was replaced by Y', uses('pnpm', { subject: 'npm', predicate: 'was-replaced-by' })],
  ])('but for a sentence that replaces exactly that object: %s', async (_, draft) => {
    const [one, other] = [known(uses('npm')), known(uses('Redis'))];
    expect(await write(draft)).toMatchObject({ kind: 'replaced', name: one, record: { object: 'pnpm' } });
    expect(store.row(one)).toMatchObject({ subject: 'shop-api', predicate: 'uses', object: 'pnpm' });
    expect(store.row(other)).toMatchObject({ object: 'Redis' });
    expect(rowCount()).toBe(2);
  });

  test('a sentence that names nothing in its place leaves both', async () => {
    const name = known(uses('npm'));
    expect(await write(uses('npm', { predicate: 'no-longer-uses' }))).toMatchObject({ kind: 'conflict', other: name });
  });

  test('one whose new text another memory has already leaves all, and two of the same never', async () => {
    const [one, two] = [known(uses('npm')), known(uses('pnpm'))];
    expect(await write(uses('pnpm instead of npm'))).toMatchObject({ kind: 'conflict', other: one });
    expect([store.row(one), store.row(two)]).toMatchObject([{ object: 'npm' }, { object: 'pnpm' }]);
  });

  test('which predicates have one object is a setting', async () => {
    const name = known(uses('npm'));
    expect(await write(uses('pnpm'), { singleValued: 'uses' })).toMatchObject({ kind: 'replaced', name });
    expect(await write(port('port 1', 1), { singleValued: 'uses' })).toMatchObject({ kind: 'created' });
    expect(await write(port('port 2', 1), { singleValued: 'uses' })).toMatchObject({ kind: 'created' });
  });
});

describe('what cannot be written', () => {
  test('AG-47: a secret: nothing is stored, not even what it was', async () => {
    const outcome = await write(fastSubset({ action: `export TOKEN=${GITHUB_TOKEN}` }));
    expect(outcome).toEqual({ kind: 'secret', secret: 'github-pat' });
    expect(await write(fastSubset({ source: GITHUB_TOKEN }))).toMatchObject({ kind: 'secret' });
    const tables = ['memories', 'learn_answers', 'history', 'pending_writes', 'conflicts', 'record_keys'];
    expect(tables.flatMap((table) => store.sql(`SELECT * FROM ${table}`))).toEqual([]);
    expect(store.files()).toEqual([]);
  });

  it.each([
    ['an empty field', fastSubset({ impact: ' ' }), /^impact/],
    ['a text that is too long', fastSubset({ situation: 'x'.repeat(2001) }), /^situation/],
    ['a confidence of no number', fastSubset({ confidence: Number.NaN }), /^confidence/],
  ])('%s: the reason names the key', async (_, draft, reason) => {
    expect(await write(draft)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
    expect(rowCount()).toBe(0);
  });

  test('AG-46: an opposite memory whose file cannot be written stays, and both are kept', async () => {
    const name = known(fullSuite());
    const text = store.read(`${name}.toml`);
    store.write(`${name}.toml`, text.replace('schema_version = 1', 'schema_version = 3'));
    await store.sync();
    expect(await write(fastSubset())).toMatchObject({ kind: 'conflict', other: name });
    expect(store.read(`${name}.toml`)).toContain('Do not run make test-fast');
  });

  test('AG-46: what was deleted just now is not known any more', async () => {
    const name = known(fastSubset());
    store.remove(`${name}.toml`);
    expect(await write(fastSubset())).toMatchObject({ kind: 'created' });
  });

  test('AG-46: what an editor changed just now is what counts', async () => {
    const name = known(fastSubset());
    store.write(`${name}.toml`, store.read(`${name}.toml`).replace('"run make', '"do not run make'));
    expect(await write(fastSubset())).toMatchObject({ kind: 'replaced', name });
    expect(store.sql('SELECT count(*) AS n FROM history')).toEqual([{ n: 2 }]);
  });
});

const nameOf = (outcome: LearnedOutcome): MemoryName => {
  if (!('name' in outcome)) throw new Error(`no name: ${JSON.stringify(outcome)}`);
  return outcome.name;
};
