import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COUNTER_KEYS, RECORD_KEYS } from '../../src/memory/record.ts';
import { databaseOf, shell, tryShell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const BAD_NAME = 'name must be feedback/<slug> or facts/<slug>';

function refusal(store: TestStore, statement: string): string {
  const { status, stderr } = tryShell(databaseOf(store.root), statement);
  expect(status).not.toBe(0);
  return stderr;
}

async function oneMemory(): Promise<TestStore> {
  const store = await temporaryStore();
  store.write('feedback/a.toml', feedbackText());
  store.sync();
  return store;
}

test.each([
  ['another directory', `'notes/a'`],
  ['no directory', `'a'`],
  ['no slug', `'feedback/'`],
  ['a directory in another case', `'Feedback/a'`],
  ['a slash', `'feedback/a/b'`],
  ['a backslash', `'feedback/a\\b'`],
  ['a leading dot', `'facts/.hidden'`],
  ['a line feed', `'feedback/a' || char(10)`],
  ['a delete character', `'feedback/a' || char(127)`],
  ['a NUL', `'feedback/a' || char(0) || 'b'`],
  ['201 bytes', `'feedback/' || printf('%.201c', 'x')`],
  ['101 letters of two bytes', `'feedback/' || replace(printf('%.101c', 'x'), 'x', 'é')`],
  ['bytes that are no text', `CAST('feedback/a' AS BLOB)`],
])('SY-25: a name with %s is refused with a message', async (_, name) => {
  using store = await temporaryStore();
  expect(refusal(store, `INSERT INTO memories(name) VALUES (${name});`)).toContain(BAD_NAME);
  expect(store.sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: 0 }]);
});

test('SY-25: slugs of 1 and of 200 bytes, with blanks, quotes and any letters, are accepted', async () => {
  using store = await temporaryStore();
  const names = ["'feedback/x'", `'feedback/' || printf('%.200c', 'x')`, `'facts/when "é" isn''t 目'`];
  for (const name of names) {
    shell(
      databaseOf(store.root),
      `INSERT INTO memories(name, type, situation, behavior, impact, action) VALUES (${name}, 'feedback', 's', 'b', 'i', 'a');`,
    );
  }
  expect(store.sync().created).toBe(3);
  expect(store.sync().steps).toEqual([]);
});

test.each([
  ...COUNTER_KEYS.flatMap((key) => [
    [key, '-1', `${key} must be a whole number from 0`],
    [key, '1.5', `${key} must be a whole number from 0`],
    [key, `'many'`, `${key} must be a whole number from 0`],
    [key, `''`, `${key} must be a whole number from 0`],
    [key, '9007199254740992', `${key} must be a whole number from 0`],
  ]),
  ...['core', 'needs_review', 'project_scoped'].flatMap((key) => [
    [key, '2', `${key} must be 0 or 1`],
    [key, `'yes'`, `${key} must be 0 or 1`],
  ]),
  ['type', `'note'`, 'type must be feedback or fact'],
  ['core_origin', `'me'`, 'core_origin must be user or auto'],
  ['initial_confidence', `'high'`, 'initial_confidence must be a number'],
  ['schema_version', `'one'`, 'schema_version must be a whole number'],
  ['action', `x'00ff'`, 'action must be text'],
  ['situation', `x'00ff'`, 'situation must be text'],
  ['updated_at', `x'00ff'`, 'updated_at must be text'],
])('SY-25: %s = %s is refused, the message names the column', async (column, value, message) => {
  using store = await oneMemory();
  expect(refusal(store, `UPDATE memories SET ${column} = ${value};`)).toContain(message);
  expect(refusal(store, `INSERT INTO memories(name, ${column}) VALUES ('feedback/b', ${value});`)).toContain(message);
  expect(store.sync().steps).toEqual([]);
});

test('SY-25: type may be left out: the directory says it', async () => {
  using store = await temporaryStore();
  shell(
    databaseOf(store.root),
    `INSERT INTO memories(name, situation, behavior, impact, action) VALUES ('feedback/a', 's', 'b', 'i', 'a');
     INSERT INTO memories(name, situation, subject, predicate, object) VALUES ('facts/a', 's', 's', 'p', 'o');`,
  );
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({ type: 'feedback' });
  expect(store.row('facts/a')).toMatchObject({ type: 'fact' });
});

test('SY-25: NULL is an absent key: no change, and the next sync fills it', async () => {
  using store = await oneMemory();
  const text = store.read('feedback/a.toml');
  const before = store.row('feedback/a');
  const columns = RECORD_KEYS.filter((key) => key !== 'extra');
  shell(databaseOf(store.root), `UPDATE memories SET ${columns.map((key) => `${key} = NULL`).join(', ')};`);
  store.sync();
  expect(store.read('feedback/a.toml')).toBe(text);
  expect(store.row('feedback/a')).toEqual(before);
});

test('SY-25: REPLACE with a few columns takes no counts, texts or times away', async () => {
  using store = await oneMemory();
  shell(databaseOf(store.root), `REPLACE INTO memories(name, action) VALUES ('feedback/a', 'only the action');`);
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({
    action: 'only the action',
    behavior: 'Adding the column NOT NULL with a default in one migration',
    surfaced_count: 6,
    followed_count: 4,
    not_followed_count: 1,
    initial_confidence: 1,
    created_at: '2026-04-02T10:00:00Z',
  });
  expect(store.sql('SELECT kind, sum(delta) AS n FROM outcome_events GROUP BY kind ORDER BY kind')).toEqual([
    { kind: 'followed', n: 4 },
    { kind: 'not-followed', n: 1 },
    { kind: 'surfaced', n: 6 },
  ]);
});

test('SY-25: writing `extra` or `schema_version` of a row is undone', async () => {
  using store = await temporaryStore();
  store.write('feedback/a.toml', `mine = "kept"\n${feedbackText()}`);
  store.sync();
  const [text, before] = [store.read('feedback/a.toml'), store.row('feedback/a')];
  shell(databaseOf(store.root), `UPDATE memories SET extra = '{"theirs":1}', schema_version = 9, type = 'fact';`);
  store.sync();
  expect(store.read('feedback/a.toml')).toBe(text);
  expect(store.row('feedback/a')).toEqual(before);
  expect(store.sync().steps).toEqual([]);
});

test.each([
  ['a NUL in a text', `action = 'a' || char(0) || 'b'`, 'action contains a NUL character'],
  ['an empty text', `situation = ''`, 'situation must not be empty'],
  ['a text above the limit', `impact = printf('%.8001c', 'x')`, 'impact has 8001 characters, the limit is 8000'],
  ['a confidence above 1', 'initial_confidence = 1.5', 'initial_confidence must be between 0 and 1'],
  ['a time that is none', `created_at = 'yesterday'`, 'created_at must be a UTC time'],
  ['a key of the other type', `subject = 's'`, 'subject does not belong to a feedback memory'],
])('SY-24, SY-25: %s is a quarantined row: file and base stay, and the reason is told', async (_, change, message) => {
  using store = await oneMemory();
  const text = store.read('feedback/a.toml');
  shell(databaseOf(store.root), `UPDATE memories SET ${change}, followed_count = 5;`);
  const [quarantined] = store.sync().quarantined;
  expect(quarantined).toMatchObject({ side: 'row', path: 'feedback/a', reason: 'invalid' });
  expect(quarantined?.message).toContain(message);
  expect(store.read('feedback/a.toml')).toBe(text);
  const [key = ''] = change.split(' ');
  shell(databaseOf(store.root), `UPDATE memories SET ${key} = NULL;`);
  expect(store.sync().quarantined).toEqual([]);
  expect(readFileSync(`${store.root}/memory/feedback/a.toml`, 'utf8')).toContain('followed_count = 5\n');
  expect(store.sync().steps).toEqual([]);
});

test('SY-1, SY-25: a row whose name is not in normal form C is quarantined, and makes no second memory', async () => {
  using store = await temporaryStore();
  shell(
    databaseOf(store.root),
    `INSERT INTO memories(name, situation, behavior, impact, action) VALUES ('feedback/e' || char(769), 's', 'b', 'i', 'a');`,
  );
  const report = store.sync();
  expect(report.created).toBe(0);
  expect(report.quarantined).toMatchObject([{ side: 'row', reason: 'name' }]);
  shell(databaseOf(store.root), `UPDATE memories SET name = 'feedback/é';`);
  expect(store.sync().created).toBe(1);
  expect(store.sync()).toMatchObject({ steps: [], quarantined: [] });
});

test('SY-25: a row named like a copy of a file synchroniser is quarantined: its file would be refused (MF-4)', async () => {
  using store = await temporaryStore();
  shell(
    databaseOf(store.root),
    `INSERT INTO memories(name, situation, behavior, impact, action)
     VALUES ('feedback/m.sync-conflict-20260101', 's', 'b', 'i', 'a');`,
  );
  expect(store.sync().quarantined).toMatchObject([{ side: 'row', reason: 'name' }]);
  shell(databaseOf(store.root), 'DELETE FROM memories;');
  expect(store.sync()).toMatchObject({ quarantined: [] });
});

test('SY-25: a row whose name differs from a live one in case only is quarantined: two files would clash (MF-4)', async () => {
  using store = await oneMemory();
  shell(
    databaseOf(store.root),
    `INSERT INTO memories(name, situation, behavior, impact, action) VALUES ('feedback/A', 's', 'b', 'i', 'a');`,
  );
  const report = store.sync();
  expect(report.quarantined).toMatchObject([{ side: 'row', path: 'feedback/A', reason: 'name-clash' }]);
  expect(report.created).toBe(0);
});

test('SY-26: a row that disappeared without a logged DELETE is rebuilt from its file, else from its base', async () => {
  using store = await oneMemory();
  store.write('feedback/b.toml', feedbackText());
  store.sync();
  // What damage looks like: no trigger ran.
  shell(databaseOf(store.root), `DELETE FROM memories; DELETE FROM changes;`);
  store.write('feedback/b.toml', 'broken = "');
  const report = store.sync();
  expect(report.archived).toBe(0);
  expect(store.row('feedback/a')).toMatchObject({ followed_count: 4 });
  expect(store.row('feedback/b')).toMatchObject({ followed_count: 4 });
  expect(report.steps.map(({ name, reason }) => [name, reason])).toEqual(
    expect.arrayContaining([
      ['feedback/a', 'row-lost'],
      ['feedback/b', 'row-lost'],
    ]),
  );
});

test('SY-27: an authored change without updated_at gets the time of the logged change; one with it keeps its own', async () => {
  using store = await oneMemory();
  shell(databaseOf(store.root), `UPDATE memories SET action = 'new';`);
  const [change] = store.sql('SELECT at FROM changes ORDER BY seq DESC LIMIT 1');
  store.sync();
  const logged = String(change?.at).replace(/\.\d+Z$/, 'Z');
  expect(store.row('feedback/a')).toMatchObject({ updated_at: logged });
  expect(store.read('feedback/a.toml')).toContain(`updated_at = "${logged}"\n`);
  shell(databaseOf(store.root), `UPDATE memories SET action = 'newer', updated_at = '2030-01-01T00:00:00Z';`);
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({ updated_at: '2030-01-01T00:00:00Z' });
});

test('SY-27: a counter changed by SQL alone leaves updated_at', async () => {
  using store = await oneMemory();
  shell(databaseOf(store.root), `UPDATE memories SET followed_count = 5;`);
  store.sync();
  expect(store.row('feedback/a')).toMatchObject({ updated_at: '2026-04-20T08:15:30Z', followed_count: 5 });
});

test.each([
  ['another case', 'feedback/A', ['A.toml']],
  ['a name in normal form D', `feedback/e' || char(769) || '`, ['a.toml']],
  ['the name of a conflict copy', 'feedback/a.sync-conflict-1', ['a.toml']],
])('SY-24: UPDATE of a name to %s', async (_, name, files) => {
  using store = await oneMemory();
  shell(databaseOf(store.root), `UPDATE memories SET name = '${name}';`);
  const report = store.sync();
  expect(readdirSync(`${store.root}/memory/feedback`)).toEqual(files);
  expect(report.renamed).toBe(files[0] === 'a.toml' ? 0 : 1);
  expect(store.row('feedback/a') === undefined).toBe(report.renamed === 1);
  expect(report.quarantined).toHaveLength(1 - report.renamed);
  expect(store.sync().steps).toEqual([]);
});
