import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type Engram, openEngram } from '../../src/engram.ts';
import type { Draft } from '../../src/learning/draft.ts';
import { forget, restore } from '../../src/learning/forget.ts';
import { type LearnOutcome, learn as learnDraft } from '../../src/learning/learn.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { openBuiltIn } from '../../src/search/embed/built-in.ts';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { search } from '../../src/search/search.ts';
import { compareTexts } from '../../src/search/sim.ts';
import { repairStore } from '../../src/sync/repair.ts';
import { project } from '../support/ask.ts';
import { engramError } from '../support/engram-error.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';
import { factDraft, feedbackDraft, learned } from './drafts.ts';

type Request = Partial<Parameters<Engram['learn']>[1]>;

let store: TestStore;
let engram: Engram;
beforeEach(async () => {
  store = await temporaryStore();
  engram = await openEngram({ root: store.root, origin: 'test' });
});
afterEach(() => {
  engram.close();
  store[Symbol.dispose]();
});

const learn = (draft: Draft, request: Request = {}) =>
  engram.learn(draft, { project: project('shop-api'), ...request });
const NO_MODEL = fixedSource(openBuiltIn('/nowhere'));
/** As from a package whose model is missing. */
const learnWithoutModel = (draft: Draft) =>
  learnDraft(
    engram.context,
    {
      query: (request) => search(engram.context.store, request, NO_MODEL, Date.now()),
      compare: (texts) => compareTexts(engram.context.store, texts, NO_MODEL),
    },
    draft,
    { scope: { project: project('shop-api') } },
  );
const fact = (subject: string, predicate: string, object: string, situation = 'When working on the shop') =>
  factDraft({ situation, subject, predicate, object });
const rowCount = () => store.sql('SELECT count(*) AS n FROM memories')[0]?.n;
const relatedOf = (outcome: LearnOutcome) =>
  outcome.kind === 'duplicate' ? [] : outcome.related.map(({ name, relation }) => [name, relation]);
const indent = (action: string, behavior = 'Mixing styles') =>
  feedbackDraft({ situation: 'When indenting source files', behavior, impact: 'Diffs were noise', action });

describe('Q20: what differs in one thing is never the same', () => {
  it.each([
    ['a port', fact('shop-api', 'listens on', 'port 8080'), fact('shop-api', 'listens on', 'port 8081'), 'opposite'],
    ['a negation', indent('Use tabs'), indent("Don't use tabs"), 'opposite'],
    ['a date', fact('release freeze', 'starts on', 'Oct 15'), fact('release freeze', 'starts on', 'Oct 16'), 'related'],
    ['a number', indent('Use 2 spaces'), indent('Use 4 spaces'), 'related'],
  ] as const)('%s', async (_, one, other, relation) => {
    const first = await learn(one);
    expect(first).toMatchObject({ kind: 'created', related: [] });
    const second = await learn(other);
    if (relation === 'opposite') {
      expect(second).toMatchObject({ kind: 'needs_confirmation', name: first.name, relation });
      expect(rowCount()).toBe(1);
    } else {
      expect(second.kind).toBe('created');
      expect(relatedOf(second)).toEqual([[first.name, 'related']]);
      expect(rowCount()).toBe(2);
    }
  });

  test('a project: the second is stored, and the other project is not spoken of (D13)', async () => {
    const first = await learn(indent('Use tabs'), { project: project('a') });
    const second = await learn(indent('Use tabs'), { project: project('b') });
    expect([first.kind, second.kind, relatedOf(second)]).toEqual(['created', 'created', []]);
    const everywhere = await learn(indent('Use tabs'), { project: project('b'), everywhere: true });
    expect(relatedOf(everywhere)).toEqual([[second.name, 'related']]);
    expect(everywhere).toMatchObject({ related: [{ blockers: ['scope'] }] });
    expect(rowCount()).toBe(3);
  });
});

describe('SE-52: what seems to be the same or the opposite is for a person to confirm', () => {
  const known = indent('Use tabs');
  const reworded = indent('You should always use tabs!');

  test('the proposal has memory, relation, both sim values and blockers; nothing is written', async () => {
    const { name } = await learn(known);
    const before = store.everything();
    expect(await learn(reworded)).toMatchObject({
      kind: 'needs_confirmation',
      name,
      relation: 'same',
      matches: [
        { name, relation: 'same', sim: { situation: 1, content: expect.any(Number) }, blockers: [], nearTwins: [] },
      ],
      related: [],
    });
    expect(await learn(indent('Never use tabs'))).toMatchObject({
      relation: 'opposite',
      matches: [{ name, blockers: ['negation'] }],
    });
    expect(store.everything()).toEqual(before);
  });

  test('keepBoth writes it beside the other, and names that', async () => {
    const { name } = await learn(known);
    const both = await learn(reworded, { keepBoth: true });
    expect(both.kind).toBe('created');
    expect(relatedOf(both)).toEqual([[name, 'same']]);
    expect(rowCount()).toBe(2);
  });

  test('superseding archives the other once the new one is written', async () => {
    const { name } = await learn(known);
    const outcome = await learn(reworded, { supersedes: [name] });
    expect(outcome).toMatchObject({ kind: 'superseded', archived: [name], related: [] });
    expect(store.sql('SELECT name, gone_to FROM archive')).toEqual([{ name, gone_to: outcome.name }]);
    expect(rowCount()).toBe(1);
  });

  test('an exact duplicate needs nobody, and no model', async () => {
    const { name } = await learn(known);
    expect(await learnWithoutModel(indent('use TABS.'))).toMatchObject({
      kind: 'duplicate',
      name,
    });
  });

  test('without a model words decide alone, and the answer says so', async () => {
    const { name } = await learn(known);
    const outcome = await learnWithoutModel(reworded);
    expect(outcome).toMatchObject({ kind: 'needs_confirmation', name, degraded: expect.arrayContaining(['no_model']) });
  });
});

test('SE-51: the best by situation and the best by content are compared, of the same type, live and visible here alone', async () => {
  const actions = [
    'Run the linter',
    'Ask for a review',
    'Write the changelog',
    'Look at the diff',
    'Update the docs',
    'Name the ticket',
  ];
  for (const action of actions)
    await learn(feedbackDraft({ situation: 'Before pushing a branch', behavior: action, action }));
  const target = await learn(indent('Use tabs'));
  const gone = await learn(indent('Use tabs everywhere'), { keepBoth: true });
  forget(store.context, gone.name);
  await learn(indent('Use tabs'), { project: project('other') });
  const pushing = feedbackDraft({
    situation: 'Before pushing a branch',
    behavior: 'Mixing styles',
    action: 'Use tabs',
  });
  const outcome = await learn(pushing);
  expect(relatedOf(outcome)).toContainEqual([target.name, 'related']);
  expect(relatedOf(outcome)).toHaveLength(6);
  expect(relatedOf(outcome).map(([name]) => name)).not.toContain(gone.name);
});

describe('Q23, SE-55: facts', () => {
  test('a shared word makes no relation', async () => {
    await learn(fact('shop-api', 'uses', 'redis'));
    const second = await learn(fact('shop-web', 'uses', 'vite'));
    expect([second.kind, relatedOf(second)]).toEqual(['created', []]);
  });

  test('another object of a single-valued predicate is the opposite; the new one is live before the old one goes', async () => {
    const old = await learn(fact('shop-api', 'test-command', 'make'));
    const draft = fact('shop-api', 'test-command', 'just');
    expect(await learn(draft)).toMatchObject({ kind: 'needs_confirmation', name: old.name, relation: 'opposite' });
    // The new memory is written even where the old one cannot be archived.
    store.write(`${old.name}.toml`, 'object = "broken\n');
    const cut = await learn(draft, { supersedes: [old.name] });
    expect(cut).toMatchObject({ kind: 'superseded', archived: [], stillLive: [{ name: old.name }] });
    expect([store.row(cut.name)?.object, store.row(old.name)?.object]).toEqual(['just', 'make']);
  });
});

test('Q24, SE-56: superseding one of three wordings names the other two, and then those go', async () => {
  const when = 'When running the tests of the shop';
  const wordings = [
    fact('shop-api', 'test command', 'make check', when),
    fact('the tests of shop-api', 'are run by', 'make check', when),
    fact('shop-api tests', 'run with', 'make check', when),
  ];
  const names: MemoryName[] = [];
  for (const draft of wordings) names.push((await learn(draft, { keepBoth: true })).name);
  const [first, ...twins] = names as [MemoryName, ...MemoryName[]];
  const now = fact('shop-api', 'test command', 'just check', when);
  const proposal = await learn(now);
  expect(proposal).toMatchObject({ kind: 'needs_confirmation', relation: 'opposite', name: first });
  const named = (list: readonly { name: MemoryName }[]) => list.map(({ name }) => name).sort();
  if (proposal.kind !== 'needs_confirmation') throw new Error('no proposal');
  expect(named(proposal.matches[0]?.nearTwins ?? [])).toEqual([...twins].sort());
  const superseded = await learn(now, { supersedes: [first] });
  if (superseded.kind !== 'superseded') throw new Error('not superseded');
  expect(named(superseded.nearTwins)).toEqual([...twins].sort());
  expect(superseded.archived).toEqual([first]);
  expect(rowCount()).toBe(3);
  const rest = await learn(now, { supersedes: twins });
  expect(rest).toMatchObject({ kind: 'superseded', name: superseded.name, archived: twins, nearTwins: [] });
  const { hits } = await engram.query({ text: 'test command of shop-api', project: project('shop-api') });
  expect(hits.map(({ name }) => name)).toEqual([superseded.name]);
});

test('SE-56: memories that share no more than the situation of the old one are no twins of it', async () => {
  const old = await learn(fact('shop-api', 'test-command', 'make'));
  for (const thing of ['redis', 'nginx']) await learn(fact('shop-api', 'uses', thing));
  const twin = await learn(fact('tests of shop-api', 'run with', 'make', 'When a build fails in the night'));
  const outcome = await learn(fact('shop-api', 'test-command', 'just'), { supersedes: [old.name] });
  expect(outcome).toMatchObject({ kind: 'superseded', nearTwins: [{ name: twin.name }] });
});

describe('SE-53: a repeated call with an idempotency key', () => {
  test('gets the same answer, and writes nothing again', async () => {
    const first = await learn(indent('Use tabs'), { idempotencyKey: 'call-1' });
    const again = await learn(indent('Use tabs'), { idempotencyKey: 'call-1' });
    expect(first.kind).toBe('created');
    expect(again).toEqual(first);
    expect(rowCount()).toBe(1);
    expect((await learn(indent('Use tabs'), { idempotencyKey: 'call-2' })).kind).toBe('duplicate');
  });

  test('is refused for another draft', async () => {
    await learn(indent('Use tabs'), { idempotencyKey: 'call-1' });
    await expect(learn(indent('Use spaces'), { idempotencyKey: 'call-1' })).rejects.toThrow(engramError('usage'));
    expect(rowCount()).toBe(1);
  });

  test('may answer the question that the first call came back with', async () => {
    const old = await learn(indent('Use tabs'));
    const asked = await learn(indent('Avoid tabs'), { idempotencyKey: 'call-1' });
    expect(asked.kind).toBe('needs_confirmation');
    const superseded = await learn(indent('Avoid tabs'), { idempotencyKey: 'call-1', supersedes: [old.name] });
    expect(superseded).toMatchObject({ kind: 'superseded', archived: [old.name] });
    expect(await learn(indent('Avoid tabs'), { idempotencyKey: 'call-1', supersedes: [old.name] })).toEqual(superseded);
  });
});

describe('Q26, SE-58: what engram printed itself', () => {
  const printed = '[FACT] shop-api uses redis (situation: When working on the shop)';

  test('makes no memory', async () => {
    await expect(learn(indent(printed))).rejects.toThrow(/^action holds nothing but what engram itself printed/);
    expect(rowCount()).toBe(0);
  });

  test('is left out of what is compared and written', async () => {
    const { name } = await learn(indent('Use tabs'));
    expect(await learn(indent(`> ${printed}\nUse tabs.`))).toMatchObject({ kind: 'duplicate', name });
    const outcome = await learn(indent(`Use two blanks\n${printed}`));
    expect(outcome).toMatchObject({ kind: 'created', record: { action: 'Use two blanks' }, leftOut: ['action'] });
  });
});

test('SE-57: the answer has what there is to say about the situation, and the memory is written', async () => {
  const outcome = await learn(feedbackDraft({ situation: 'The deploy broke because of #42' }));
  expect(outcome).toMatchObject({
    kind: 'created',
    lint: [{ rule: 'L1' }, { rule: 'L3', words: '#42' }, { rule: 'L4' }],
  });
  expect(rowCount()).toBe(1);
});

test('Q22: learned, superseded and repaired 100 times, then undone: nothing is missing, and files come back byte for byte', async () => {
  const bytes = new Map<MemoryName, string>();
  const names = Array.from({ length: 10 }, (_, at) => learned(store, indent(`Follow rule ${at}`)).name);
  for (const name of names) bytes.set(name, store.read(`${name}.toml`));
  for (let round = 0; round < 100; round++) {
    const old = names[round % names.length];
    if (old === undefined) throw new Error('no memory');
    const outcome = learned(store, indent(`Follow rule ${round % names.length}, as of round ${round}`), {
      supersedes: [old],
    });
    expect(outcome).toMatchObject({ kind: 'superseded', archived: [old] });
    if (round % 10 === 0) repairStore(store.context);
    expect(rowCount()).toBe(names.length);
    forget(store.context, outcome.name);
    restore(store.context, old);
    expect(store.read(`${old}.toml`)).toBe(bytes.get(old));
    expect(rowCount()).toBe(names.length);
  }
  await store.sync();
  expect(store.files()).toEqual([...bytes.keys()].map((name) => `${name}.toml`).sort());
}, 60_000);
