import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forget, restore } from '../../src/learning/forget.ts';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { syncExit } from '../../src/sync/report.ts';
import { git } from '../support/git.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const M = 'feedback/m' as MemoryName;
const MAIN = ['-c', 'init.defaultBranch=main'] as const;

/** Puts `memory/` of a store under git and commits what is there. */
function underGit(store: TestStore): (...args: readonly string[]) => string {
  const memory = join(store.root, 'memory');
  const run = (...args: readonly string[]) => git(memory, ...args);
  run(...MAIN, 'init', '-q');
  run('add', '-A');
  run('commit', '-qm', 'start');
  return run;
}

const changedLines = (before: string, after: string) => {
  const old = before.split('\n');
  return after.split('\n').filter((line) => !old.includes(line));
};

test('S05: a checkout without the memory archives it, the checkout back brings it back with counters and history', async () => {
  using store = await temporaryStore();
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  const run = underGit(store);
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  store.sql(`UPDATE memories SET action = 'Do it twice' WHERE name = ?`, M);
  store.sync();
  run('add', '-A');
  run('commit', '-qm', 'with m');
  const text = store.read('feedback/m.toml');
  run('checkout', '-q', 'HEAD~1');
  const away = store.sync();
  expect(away.steps).toMatchObject([{ name: M, action: 'archive', reason: 'file-removed' }]);
  expect(store.row(M)).toBeUndefined();
  run('checkout', '-q', 'main');
  const back = store.sync();
  expect(back.steps).toMatchObject([{ name: M, action: 'restore', reason: 'restored' }]);
  expect(store.row(M)).toMatchObject({ action: 'Do it twice', followed_count: 4, surfaced_count: 6 });
  expect(store.read('feedback/m.toml')).toBe(text);
  expect(store.sql('SELECT count(*) AS n FROM history WHERE name = ?', M)).toEqual([{ n: 1 }]);
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE name = ? AND kind = 'followed'`, M)).toEqual([
    { n: 4 },
  ]);
  expect(syncExit(store.sync())).toBe(0);
});

test('S05: the archived memory comes back by restore as well', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', `# a comment\n${feedbackText()}`);
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  const run = underGit(store);
  run('rm', '-q', 'feedback/m.toml');
  run('commit', '-qm', 'without m');
  store.sync();
  restore(store.context, M);
  expect(store.read('feedback/m.toml')).toBe(`# a comment\n${feedbackText()}`);
  expect(store.row(M)).toMatchObject({ followed_count: 4 });
  expect(store.sync().steps).toEqual([]);
});

test.each([true, false])('S06: host A forgets, host B edits (%s), a git merge decides', async (edited) => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  const run = underGit(store);
  const hostB = join(store.root, 'host-b');
  git(store.root, 'clone', '-q', store.at('.'), hostB);
  const path = edited ? 'feedback/m.toml' : 'feedback/other.toml';
  writeFileSync(join(hostB, path), feedbackText({ action: '"What B found out"' }));
  git(hostB, 'commit', '-qam', 'B edits');
  forget(store.context, M);
  run('add', '-A');
  run('commit', '-qm', 'A forgets');
  const pull = () => run('pull', '-q', '--no-rebase', '--no-edit', hostB, 'main');
  if (edited) {
    // A deletion against an edit is a conflict, in which git leaves B's file; a person keeps it.
    expect(pull).toThrow('Command failed');
    run('add', 'feedback/m.toml');
    run('commit', '-qm', 'keep what B found out');
  } else pull();
  const report = store.sync();
  if (!edited) {
    expect(report.steps.map((step) => step.name)).toEqual(['feedback/other']);
    expect(store.sql('SELECT origin, restored_at_ms FROM archive')).toEqual([
      { origin: 'forget', restored_at_ms: null },
    ]);
    return;
  }
  expect(report.steps).toMatchObject([{ name: M, action: 'import', reason: 'returned-edited' }]);
  expect(store.row(M)).toMatchObject({ action: 'What B found out', followed_count: 4 });
  const [archived] = store.sql('SELECT id FROM archive WHERE name = ?', M);
  expect(store.sql('SELECT origin, reason FROM history WHERE name = ?', M)).toEqual([
    { origin: `archive ${archived?.id}`, reason: 'returned-edited' },
  ]);
  expect(store.sync().steps).toEqual([]);
});

test('S08: an outcome before any sync changes one counter and one time, the pull stays byte for byte', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.write('feedback/pulled.toml', feedbackText({ situation: '"When pulled"' }));
  store.sync();
  const run = underGit(store);
  const hostB = join(store.root, 'host-b');
  git(store.root, 'clone', '-q', store.at('.'), hostB);
  for (let at = 0; at < 10; at += 1) {
    writeFileSync(join(hostB, `feedback/new-${at}.toml`), feedbackText({ situation: `"When new ${at}"` }));
  }
  writeFileSync(join(hostB, 'feedback/pulled.toml'), feedbackText({ situation: '"When pulled and edited"' }));
  git(hostB, 'add', '-A');
  git(hostB, 'commit', '-qm', 'ten and one');
  run('pull', '-q', hostB, 'main');
  const before = store.read('feedback/m.toml');
  countOutcome(store.context, M, { kind: 'surfaced' });
  expect(run('status', '--porcelain')).toBe(' M feedback/m.toml\n');
  const lines = changedLines(before, store.read('feedback/m.toml'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^updated_at = "/);
  expect(lines[1]).toBe('surfaced_count = 7');
  expect(store.sync().imported).toBe(11);
  expect(run('status', '--porcelain')).toBe(' M feedback/m.toml\n');
});

test('S09, SY-19: git reset takes the file as it is, though it carries older counters; the newer text is in history', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText({ action: '"v1"' }));
  store.sync();
  const run = underGit(store);
  store.sql(`UPDATE memories SET action = 'v2' WHERE name = ?`, M);
  countOutcome(store.context, M, { kind: 'surfaced' });
  store.sync();
  expect(store.read('feedback/m.toml')).toContain('action = "v2"');
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7');
  run('reset', '-q', '--hard');
  expect(store.sync().steps).toMatchObject([{ name: M, action: 'import', reason: 'file-changed' }]);
  expect(store.row(M)).toMatchObject({ action: 'v1', surfaced_count: 6 });
  expect(store.read('feedback/m.toml')).toBe(feedbackText({ action: '"v1"' }));
  const kept = store.sql(
    `SELECT json_extract(record, '$.action') AS action FROM history WHERE name = ? ORDER BY id DESC`,
    M,
  );
  expect(kept.map((entry) => entry.action)).toContain('v2');
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE name = ? AND kind = 'surfaced'`, M)).toEqual([
    { n: 6 },
  ]);
});

test('SY-19: an editor that saves an old text over a newer file takes no counts and no row edits away', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText({ action: '"v1"' }));
  store.sync();
  const run = underGit(store);
  store.sync();
  countOutcome(store.context, M, { kind: 'surfaced' });
  store.sql(`UPDATE memories SET action = 'by SQL' WHERE name = ?`, M);
  store.sync();
  expect(run('--no-optional-locks', 'status', '--porcelain')).toBe(' M feedback/m.toml\n');
  store.write('feedback/m.toml', feedbackText({ action: '"v1"', impact: '"Edited in the old buffer"' }));
  expect(store.sync().steps).toMatchObject([{ name: M, action: 'merge', reason: 'stale-buffer' }]);
  const row = store.row(M);
  expect(row).toMatchObject({ action: 'by SQL', impact: 'Edited in the old buffer', surfaced_count: 7 });
  expect(store.read('feedback/m.toml')).toContain('surfaced_count = 7\n');
  expect(store.read('feedback/m.toml')).toContain('action = "by SQL"\n');
  expect(store.sql(`SELECT sum(delta) AS n FROM outcome_events WHERE name = ? AND kind = 'surfaced'`, M)).toEqual([
    { n: 7 },
  ]);
  expect(store.sync().steps).toEqual([]);
});

/** A memory that was counted once since `old`, the text that git has and that an editor may still hold. */
async function countedStore() {
  const store = await temporaryStore();
  const old = feedbackText({ action: '"v1"' });
  store.write('feedback/m.toml', old);
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  const run = underGit(store);
  countOutcome(store.context, M, { kind: 'surfaced' });
  store.sync();
  return { store, run, old };
}

test('SY-19: git was at work since, but before the editor saved: it is the old buffer all the same', async () => {
  const { store, run, old } = await countedStore();
  using _ = store;
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"', action: '"committed"' }));
  run('commit', '-qm', 'other', 'feedback/other.toml');
  // Times of the system move in steps of some milliseconds.
  do store.write('feedback/m.toml', old.replace('[content]', '# edited\n[content]'));
  while (statSync(store.at('feedback/m.toml')).ctimeMs <= statSync(store.at('.git/index')).ctimeMs);
  expect(store.sync().steps).toContainEqual({ name: M, action: 'merge', reason: 'stale-buffer', other: null });
  expect(store.row(M)).toMatchObject({ surfaced_count: 7 });
  expect(store.read('feedback/m.toml')).toMatch(/surfaced_count = 7\n[\s\S]*# edited\n/);
});

test('SY-19: a file that git put there is taken as it is, also before git has written its index', async () => {
  const { store, run, old } = await countedStore();
  using _ = store;
  // As a long checkout looks from outside: files come first, the index is renamed into place at the end.
  writeFileSync(store.at('.git/index.lock'), '');
  store.write('feedback/m.toml', old);
  const during = store.sync();
  expect([during.steps, during.exported]).toMatchObject([[{ name: M, action: 'import', reason: 'file-changed' }], 0]);
  expect(store.read('feedback/m.toml')).toBe(old);
  rmSync(store.at('.git/index.lock'));
  expect(store.sync().steps).toEqual([]);
  expect([store.row(M)?.surfaced_count, run('status', '--porcelain')]).toEqual([6, '']);
});

test.each(['index.lock', 'rebase-merge', 'rebase-apply'])('SY-28: while git has %s nothing is gone', async (sign) => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  underGit(store);
  const busy = store.at(`.git/${sign}`);
  if (sign === 'index.lock') writeFileSync(busy, '');
  else mkdirSync(busy);
  renameSync(store.at('feedback/m.toml'), join(store.root, 'away.toml'));
  const during = store.sync();
  expect([during.archived, during.unfinished, syncExit(during)]).toEqual([
    0,
    [{ name: M, reason: 'git-operation' }],
    5,
  ]);
  rmSync(busy, { recursive: true });
  expect(store.sync().archived).toBe(1);
  expect(existsSync(store.at('feedback/m.toml'))).toBe(false);
});

const S34_FILES = 300;
const nameOf = (at: number) => `feedback/m-${String(at).padStart(3, '0')}.toml`;

/** 300 memories on branch `a`; on `b` 120 of them say something else, two are missing and two are new. */
function branchesAB(store: TestStore): (...args: readonly string[]) => string {
  // Seen from b, a file of a looks like an old buffer (SY-19): git put it there all the same.
  const counts = { a: { surfaced_count: '6' }, b: { surfaced_count: '7', updated_at: '"2026-05-01T00:00:00Z"' } };
  const text = (at: number, side: 'a' | 'b') =>
    feedbackText({ situation: `"When ${at} on ${side}"`, action: `"do ${at}"`, ...counts[side] });
  for (let at = 0; at < S34_FILES; at += 1) store.write(nameOf(at), text(at, 'a'));
  const run = underGit(store);
  run('branch', 'a');
  run('checkout', '-qb', 'b');
  for (let at = 0; at < 120; at += 1) store.write(nameOf(at), text(at, 'b'));
  run('rm', '-q', nameOf(200), nameOf(201));
  for (const at of [300, 301]) store.write(nameOf(at), text(at, 'b'));
  run('add', '-A');
  run('commit', '-qm', 'b');
  return run;
}

/** Rows and files say the same, nothing that is there counts as archived, and git finds the tree it wrote. */
function expectTree(store: TestStore, run: (...args: readonly string[]) => string): void {
  const files = store.files().filter((path) => path.endsWith('.toml'));
  const rows = store.sql('SELECT name, situation, surfaced_count FROM memories ORDER BY name');
  expect(rows.map((row) => `${row.name}.toml`)).toEqual(files);
  for (const row of rows) {
    const text = store.read(`${row.name}.toml`);
    expect(text).toContain(`situation = "${row.situation}"\n`);
    expect(text).toContain(`surfaced_count = ${row.surfaced_count}\n`);
  }
  const archived = store.sql('SELECT name FROM archive WHERE restored_at_ms IS NULL').map((row) => `${row.name}.toml`);
  expect(archived.filter((path) => files.includes(path))).toEqual([]);
  expect(run('status', '--porcelain')).toBe('');
}

test('S34 between syncs: 20 checkouts of two branches with 300 files', { timeout: 120_000 }, async () => {
  using store = await temporaryStore();
  const run = branchesAB(store);
  expect(store.sync().imported).toBe(S34_FILES);
  for (let at = 0; at < 20; at += 1) {
    run('checkout', '-q', at % 2 === 0 ? 'a' : 'b');
    const report = store.sync();
    expect([syncExit(report), report.exported, report.created, report.heldDeletions]).toEqual([0, 0, 0, []]);
    expectTree(store, run);
    expect(store.row('feedback/m-000')).toMatchObject(
      at % 2 === 0 ? { situation: 'When 0 on a', surfaced_count: 6 } : { situation: 'When 0 on b', surfaced_count: 7 },
    );
    expect(store.exists(nameOf(200))).toBe(at % 2 === 0);
  }
  expect(store.sync().steps).toEqual([]);
});

test('S34 between syncs: a rebase of 5 commits, looked at while it waits and when it is done', async () => {
  using store = await temporaryStore();
  for (let at = 0; at < 20; at += 1) store.write(nameOf(at), feedbackText({ situation: `"When ${at}"` }));
  const run = underGit(store);
  run('checkout', '-qb', 'topic');
  for (let at = 0; at < 5; at += 1) {
    store.write(nameOf(at), feedbackText({ situation: `"When ${at}"`, action: `"topic ${at}"` }));
    if (at === 2) run('rm', '-q', nameOf(12));
    run('commit', '-qam', `topic ${at}`);
  }
  run('checkout', '-q', 'main');
  store.write(nameOf(3), feedbackText({ situation: '"When 3"', action: '"main 3"' }));
  store.write(nameOf(10), feedbackText({ situation: '"When 10"', action: '"main 10"' }));
  run('commit', '-qam', 'main');
  run('checkout', '-q', 'topic');
  store.sync();
  expect(() => run('rebase', '-q', 'main')).toThrow();
  // Stopped at the fourth commit, with marks in one file: nothing is gone while git is at work.
  const during = store.sync();
  expect(during.quarantined).toMatchObject([{ path: nameOf(3), reason: 'merge-markers' }]);
  expect([during.archived, during.exported, during.created]).toEqual([0, 0, 0]);
  expect(store.row('feedback/m-003')?.action).toBe('topic 3');
  store.write(nameOf(3), feedbackText({ situation: '"When 3"', action: '"both 3"' }));
  run('add', '-A');
  run('-c', 'core.editor=true', 'rebase', '--continue');
  expect(syncExit(store.sync())).toBe(0);
  expectTree(store, run);
  expect(store.row('feedback/m-003')?.action).toBe('both 3');
  expect(store.row('feedback/m-010')?.action).toBe('main 10');
  expect(store.row('feedback/m-012')).toBeUndefined();
  expect(run('log', '--oneline').trim().split('\n')).toHaveLength(7);
  expect(store.sync().steps).toEqual([]);
});
