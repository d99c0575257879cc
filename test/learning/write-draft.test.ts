import { readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { Draft, DraftScope } from '../../src/learning/draft.ts';
import { forget } from '../../src/learning/forget.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { engramError } from '../support/engram-error.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';
import { EVERYWHERE, factDraft, feedbackDraft, learned } from './drafts.ts';

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

const files = () =>
  readdirSync(store.root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.toml|tmp/.test(name));
const rowCount = () => store.sql('SELECT count(*) AS n FROM memories')[0]?.n;

describe('MF-10: a new memory', () => {
  test('has zero counters, both times now, and agrees with its file at once', async () => {
    const outcome = learned(store, feedbackDraft({ source: 'user correction', confidence: 0.7 }));
    expect(outcome).toMatchObject({ kind: 'created', name: 'feedback/when-regenerating-the-api-client' });
    const row = store.row('feedback/when-regenerating-the-api-client');
    expect(row).toMatchObject({
      surfaced_count: 0,
      followed_count: 0,
      not_followed_count: 0,
      irrelevant_count: 0,
      missed_count: 0,
      initial_confidence: 0.7,
      source: 'user correction',
      created_at: row?.updated_at,
    });
    expect(row?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await store.sync()).toMatchObject({ steps: [], imported: 0, exported: 0 });
  });

  test('of a fact is named by its triple (MF-7)', () => {
    expect(learned(store, factDraft())).toMatchObject({ name: 'facts/shop-api-test-command-make-check' });
    expect(store.read('facts/shop-api-test-command-make-check.toml')).toContain('type = "fact"\n');
  });

  it.each([
    ['the present project', { project: 'shop', everywhere: false }, true, 'shop'],
    ['every project, where it was learned kept', { project: 'shop', everywhere: true }, false, 'shop'],
    ['every project, where there is none', { project: null, everywhere: false }, false, ''],
  ])('applies in %s', (_, scope, scoped, slug) => {
    const outcome = learned(store, feedbackDraft(), { scope });
    expect(outcome).toMatchObject({ record: { project_scoped: scoped, project_slug: slug } });
  });
});

describe('MF-12: a draft that is not complete writes nothing and names the key', () => {
  it.each([
    ['situation', feedbackDraft({ situation: ' ' })],
    ['situation', feedbackDraft({ situation: 'x'.repeat(2001) })],
    ['action', feedbackDraft({ action: 'x'.repeat(8001) })],
    ['impact', feedbackDraft({ impact: '' })],
    ['source', feedbackDraft({ source: 's'.repeat(501) })],
    ['subject', feedbackDraft({ subject: 'a thing' })],
    ['action', factDraft({ action: 'do' })],
    ['confidence', feedbackDraft({ confidence: 1.2 })],
    ['confidence', feedbackDraft({ confidence: Number.NaN })],
    ['behavior', feedbackDraft({ behavior: 'a \0 b' })],
  ])('%s', (key, draft) => {
    expect(() => learned(store, draft)).toThrow(
      expect.objectContaining({ code: 'memory.invalid', message: expect.stringMatching(new RegExp(`^${key} `)) }),
    );
    expect([files(), rowCount()]).toEqual([[], 0]);
  });

  test('a field that is not given is missing', () => {
    const { behavior: _, ...draft } = feedbackDraft();
    expect(() => learned(store, draft)).toThrow(/^behavior is missing/);
  });

  test('limits count characters, not bytes', () => {
    expect(learned(store, feedbackDraft({ situation: '𝒮'.repeat(2000) })).kind).toBe('created');
  });
});

describe('MF-8: creation is exclusive', () => {
  test('a taken slug gets the next suffix', () => {
    const names = ['one', 'two', 'three'].map((action) => learned(store, feedbackDraft({ action })).name);
    expect(names).toEqual([
      'feedback/when-regenerating-the-api-client',
      'feedback/when-regenerating-the-api-client-2',
      'feedback/when-regenerating-the-api-client-3',
    ]);
  });

  test('a file that nobody knows yet is left alone', () => {
    store.write('feedback/when-regenerating-the-api-client.toml', 'somebody else writes here');
    expect(learned(store, feedbackDraft())).toMatchObject({ name: 'feedback/when-regenerating-the-api-client-2' });
    expect(store.read('feedback/when-regenerating-the-api-client.toml')).toBe('somebody else writes here');
  });

  test('so is one that appears between the look and the link', () => {
    const fs = {
      ...store.context.fs,
      linkSync: (from: string, to: string) => {
        if (to.endsWith('/when-regenerating-the-api-client.toml')) writeFileSync(to, 'just now', { flag: 'wx' });
        return store.context.fs.linkSync(from, to);
      },
    };
    const outcome = learned({ context: { ...store.context, fs } }, feedbackDraft());
    expect(outcome).toMatchObject({ kind: 'created', name: 'feedback/when-regenerating-the-api-client-2' });
    expect(store.read('feedback/when-regenerating-the-api-client.toml')).toBe('just now');
    expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
    expect(learned(store, feedbackDraft())).toMatchObject({
      kind: 'duplicate',
      name: 'feedback/when-regenerating-the-api-client-2',
    });
  });

  test('a name that differs by case alone is taken too (MF-4)', async () => {
    store.write('feedback/When-Regenerating-the-API-client.toml', learnedText(store));
    await store.sync();
    expect(learned(store, feedbackDraft({ action: 'other' })).name).toBe('feedback/when-regenerating-the-api-client-2');
  });
});

describe('SE-53: an exact duplicate', () => {
  const said = 'Überprüfe die Eingabe';
  it.each([
    ['white space', { situation: '  When  regenerating\n the API client', action: said }],
    ['case', { situation: 'WHEN regenerating the api client', action: said.toUpperCase() }],
    ['NFD', { situation: 'When regenerating the API client', action: said.normalize('NFD') }],
    ['final punctuation', { situation: 'When regenerating the API client:', action: `${said}!!` }],
    ['behavior and impact, which do not count', { action: said, behavior: 'another', impact: 'one' }],
  ])('that differs in %s is known already', (_, changes) => {
    learned(store, feedbackDraft({ action: said.normalize('NFC') }));
    expect(learned(store, feedbackDraft(changes))).toEqual({
      kind: 'duplicate',
      name: 'feedback/when-regenerating-the-api-client',
      deduplicated: true,
      differs: Object.keys(changes).filter((key) => key === 'behavior' || key === 'impact'),
    });
    expect([files().length, rowCount()]).toEqual([1, 1]);
  });

  test('case folding knows that ß is ss', () => {
    learned(store, feedbackDraft({ action: 'Die Straße sperren' }));
    expect(learned(store, feedbackDraft({ action: 'DIE STRASSE SPERREN' })).kind).toBe('duplicate');
  });

  it.each<[string, Draft, DraftScope?]>([
    ['a word', feedbackDraft({ action: 'Change the schema' })],
    ['the project', feedbackDraft(), { project: 'shop', everywhere: false }],
    [
      'punctuation that means something',
      feedbackDraft({ action: 'Change the schema, or the template, then run make client' }),
    ],
  ])('is none when %s differs', (_, draft, scope = EVERYWHERE) => {
    learned(store, feedbackDraft());
    expect(learned(store, draft, { scope }).kind).toBe('created');
  });

  test.each(['C++', 'C#', 'a + b', 'x?', '--force'])('a sign at the end that is part of a name counts: %s', (name) => {
    learned(store, feedbackDraft({ action: `Write it in ${name.replace(/[+#]+$/, '')}` }));
    const kind = learned(store, feedbackDraft({ action: `Write it in ${name}` })).kind;
    expect(kind).toBe(/[+#]$/.test(name) ? 'created' : 'duplicate');
  });

  test('of an archived memory is new', () => {
    const { name } = learned(store, feedbackDraft());
    forget(store.context, name);
    expect(learned(store, feedbackDraft()).kind).toBe('created');
  });

  test('of a file that was copied by hand stays known when the first of the two goes, or changes its text', async () => {
    const { name } = learned(store, feedbackDraft());
    store.write('feedback/b-copy.toml', store.read(`${name}.toml`));
    store.write('feedback/c-copy.toml', store.read(`${name}.toml`));
    await store.sync();
    expect(learned(store, feedbackDraft())).toMatchObject({ kind: 'duplicate', name });
    forget(store.context, name);
    expect(learned(store, feedbackDraft())).toMatchObject({ kind: 'duplicate', name: 'feedback/b-copy' });
    store.sql(`UPDATE memories SET action = 'another' WHERE name = 'feedback/b-copy'`);
    await store.sync();
    expect(learned(store, feedbackDraft())).toMatchObject({ kind: 'duplicate', name: 'feedback/c-copy' });
    store.sql(`UPDATE memories SET name = 'feedback/moved' WHERE name = 'feedback/c-copy'`);
    await store.sync();
    expect(learned(store, feedbackDraft())).toMatchObject({ kind: 'duplicate', name: 'feedback/moved' });
  });

  test('of a memory that was restored is known again', async () => {
    const { name } = learned(store, feedbackDraft());
    const text = store.read(`${name}.toml`);
    forget(store.context, name);
    store.write(`${name}.toml`, text);
    await store.sync();
    expect(learned(store, feedbackDraft())).toMatchObject({ kind: 'duplicate', name });
  });
});

describe('SE-56: superseding', () => {
  const archived = () => store.sql('SELECT name, origin, gone_to FROM archive');

  test('writes the new memory and archives the old one with a link', () => {
    const old = learned(store, feedbackDraft()).name;
    const outcome = learned(store, feedbackDraft({ action: 'Better' }), { supersedes: [old] });
    expect(outcome).toMatchObject({ kind: 'superseded', name: `${old}-2`, archived: [old], stillLive: [] });
    expect(archived()).toEqual([{ name: old, origin: 'superseded', gone_to: `${old}-2` }]);
    expect(files()).toEqual(['memory/feedback/when-regenerating-the-api-client-2.toml']);
  });

  test('leaves both live and says so when the old one cannot go', async () => {
    const [broken, fine] = ['one', 'two'].map((action) => learned(store, feedbackDraft({ action })).name) as [
      MemoryName,
      MemoryName,
    ];
    store.write(`${broken}.toml`, 'action = "broken\n');
    await store.sync();
    const outcome = learned(store, feedbackDraft({ action: 'Better' }), { supersedes: [broken, fine, fine] });
    expect(outcome).toMatchObject({
      kind: 'superseded',
      archived: [fine],
      stillLive: [{ name: broken, reason: expect.stringContaining('quarantined') }],
    });
    expect(store.row(broken)).toMatchObject({ action: 'one' });
    expect(store.row(outcome.name)).toMatchObject({ action: 'Better' });
    expect(store.read(`${broken}.toml`)).toBe('action = "broken\n');
  });

  test('that was cut short is finished by the same call', async () => {
    const old = learned(store, feedbackDraft()).name;
    const text = store.read(`${old}.toml`);
    store.write(`${old}.toml`, 'action = "broken\n');
    await store.sync();
    const first = learned(store, feedbackDraft({ action: 'Better' }), { supersedes: [old] });
    store.write(`${old}.toml`, text);
    await store.sync();
    const again = learned(store, feedbackDraft({ action: 'Better' }), { supersedes: [old] });
    expect(again).toMatchObject({ kind: 'superseded', name: first.name, archived: [old], stillLive: [] });
    expect(archived()).toEqual([{ name: old, origin: 'superseded', gone_to: first.name }]);
  });

  test('of itself archives nothing', () => {
    const { name } = learned(store, feedbackDraft());
    const outcome = learned(store, feedbackDraft({ impact: 'other' }), { supersedes: [name] });
    expect(outcome).toMatchObject({ kind: 'duplicate', name });
    expect(archived()).toEqual([]);
  });

  test('takes in what was edited in the old file just before', () => {
    const { name } = learned(store, feedbackDraft());
    store.write(`${name}.toml`, store.read(`${name}.toml`).replace('The next run', 'Each next run'));
    learned(store, feedbackDraft({ action: 'Better' }), { supersedes: [name] });
    const [{ record } = {}] = store.sql('SELECT record FROM archive');
    expect(record).toContain('Each next run');
  });
});

test('a disk that is full leaves nothing behind, and the same save works later', () => {
  const fs = {
    ...store.context.fs,
    writeSync: () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  };
  const full = { ...store.context, fs };
  expect(() => learned({ context: full }, feedbackDraft())).toThrow(engramError('disk.full'));
  expect([files(), rowCount()]).toEqual([[], 0]);
  expect(learned(store, feedbackDraft()).kind).toBe('created');
});

test('a name that cannot be made leaves nothing reserved', () => {
  const fs = {
    ...store.context.fs,
    linkSync: (from: string, to: string) => {
      if (!to.endsWith('.toml')) return store.context.fs.linkSync(from, to);
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    },
  };
  expect(() => learned({ context: { ...store.context, fs } }, feedbackDraft())).toThrow(engramError('file.write'));
  expect([files(), rowCount()]).toEqual([[], 0]);
  expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
  expect(store.sql('SELECT * FROM record_keys')).toEqual([]);
});

test('SY-36: what a process that died while creating has reserved does not pass for known', () => {
  learned(store, feedbackDraft());
  const { name } = learned(store, feedbackDraft({ action: 'other' }));
  const entry = `INSERT INTO pending_writes(name, op, old_hash, new_hash, payload, owner, at_ms)
    VALUES ('feedback/never-made', 'create', NULL, 'h', '{"step":"agree","path":"feedback/never-made.toml","bytes":""}', '1', 1)`;
  store.sql(entry);
  store.sql(`UPDATE record_keys SET name = 'feedback/never-made' WHERE name = ?`, name);
  forget(store.context, name);
  expect(learned(store, feedbackDraft({ action: 'other' })).kind).toBe('created');
  expect(store.sql('SELECT * FROM pending_writes')).toEqual([]);
});

function learnedText(from: TestStore): string {
  const { name } = learned(from, feedbackDraft());
  const text = from.read(`${name}.toml`);
  forget(from.context, name);
  return text;
}
