import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { storeStatus } from '../../src/sync/status.ts';
import { watchDirectories } from '../../src/sync/watch-directories.ts';
import { git } from '../support/git.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { type TestWatch, watched } from '../support/watch-store.ts';

const M = 'feedback/m' as MemoryName;
const BEFORE = feedbackText();
const AFTER = feedbackText({ action: '"Do that"' });

function writeMany(store: TestStore, count: number): void {
  for (let at = 0; at < count; at += 1) {
    store.write(`feedback/m${at}.toml`, feedbackText({ situation: `"When ${at}"` }));
  }
}

/** Waits for something that happens after everything before it. */
async function settled(store: TestStore, watch: TestWatch): Promise<void> {
  const mark = `mark-${watch.events.length}`;
  store.write(`feedback/${mark}.toml`, feedbackText({ situation: `"When ${mark}"` }));
  await watch.until(() => watch.done().includes(`import feedback/${mark}`));
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('S04: a watch that starts without a database fills a new one and leaves the files alone', async () => {
  using store = await temporaryStore();
  writeMany(store, 50);
  store.sync();
  store.context.store.close();
  for (const end of ['', '-wal', '-shm']) rmSync(join(store.root, `engram.db${end}`), { force: true });
  using again = await temporaryStore(store.root);
  const before = again.everything();
  await using watch = await watched(again);
  expect(again.sql('SELECT count(*) AS n FROM memories')).toEqual([{ n: 50 }]);
  expect(again.everything()).toMatchObject({ files: (before as { files: unknown }).files });
  expect(watch.done()).toHaveLength(50);
});

test('S07: touching a file and starting the watch anew leaves every row and index row as it was', async () => {
  using store = await temporaryStore();
  writeMany(store, 100);
  store.sync();
  const counts = () =>
    store.sql(`SELECT (SELECT count(*) FROM memories) AS rows, (SELECT count(*) FROM fts_prose) AS prose,
      (SELECT count(*) FROM fts_terms) AS terms, (SELECT max(pk) FROM memories) AS pk`);
  for (let start = 0; start < 2; start += 1) {
    const now = new Date();
    utimesSync(store.at('feedback/m7.toml'), now, now);
    const watch = await watched(store);
    await watch.stop();
    expect(watch.done()).toEqual([]);
    expect(counts()).toEqual([{ rows: 100, prose: 100, terms: 100, pk: 100 }]);
  }
});

test('S11: a file that is touched 100 times in a second is nothing, and the watch is idle afterwards', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', BEFORE);
  store.sync();
  await using watch = await watched(store);
  const rows = store.sql('SELECT * FROM memories');
  for (let touch = 0; touch < 100; touch += 1) {
    const now = new Date();
    utimesSync(store.at('feedback/m.toml'), now, now);
    await later(10);
  }
  await settled(store, watch);
  expect(watch.done()).toHaveLength(1);
  expect(store.sql(`SELECT * FROM memories WHERE name = 'feedback/m'`)).toEqual(rows);
  expect(store.read('feedback/m.toml')).toBe(BEFORE);
});

test('S23, SY-43: own writes are no imports; an edit 5 ms after one of them is', async () => {
  using store = await temporaryStore();
  writeMany(store, 200);
  store.sync();
  await using watch = await watched(store);
  for (let at = 0; at < 200; at += 1) {
    countOutcome(store.context, `feedback/m${at}` as MemoryName, { kind: 'surfaced' });
    if (at === 100) {
      await later(5);
      const text = store.read('feedback/m100.toml');
      store.write('feedback/m100.toml', text.replace(/action = .*/, 'action = "Of a person"'));
    }
  }
  await settled(store, watch);
  expect(watch.done().filter((step) => !step.includes('mark'))).toEqual(['import feedback/m100']);
  expect(store.row('feedback/m100')).toMatchObject({ action: 'Of a person', surfaced_count: 7 });
  expect(store.read('feedback/m100.toml')).toContain('"Of a person"');
});

describeSaves('S24: %s is one update, no archive entry, the same row and counters', {
  'vim, a copy as backup': (path) => {
    copyFileSync(path, `${path}~`);
    writeFileSync(path, AFTER);
    unlinkSync(`${path}~`);
  },
  'vim, the old file as backup': (path) => {
    renameSync(path, `${path}~`);
    writeFileSync(path, AFTER);
    unlinkSync(`${path}~`);
  },
  nano: (path) => {
    truncateSync(path, 0);
    appendFileSync(path, AFTER);
  },
  'VS Code, truncated and written in pieces': async (path) => {
    truncateSync(path, 0);
    for (let from = 0; from < AFTER.length; from += 100) {
      appendFileSync(path, AFTER.slice(from, from + 100));
      await later(2);
    }
  },
  'JetBrains, with two temporary files': (path) => {
    writeFileSync(`${path}___jb_tmp___`, AFTER);
    renameSync(path, `${path}___jb_old___`);
    renameSync(`${path}___jb_tmp___`, path);
    unlinkSync(`${path}___jb_old___`);
  },
  'sed -i': (path) => {
    execFileSync('sed', ['-i', 's/^action = .*/action = "Do that"/', path]);
  },
  'mv of a new file over it': (path) => {
    writeFileSync(join(path, '../../../new'), AFTER);
    renameSync(join(path, '../../../new'), path);
  },
  'unlink, and write after 150 ms': async (path) => {
    unlinkSync(path);
    await later(150);
    writeFileSync(path, AFTER);
  },
});

function describeSaves(title: string, saves: Readonly<Record<string, (path: string) => void | Promise<void>>>): void {
  test.each(Object.entries(saves))(title, async (_name, save) => {
    using store = await temporaryStore();
    store.write('feedback/m.toml', BEFORE);
    store.sync();
    const { pk } = store.row(M) ?? {};
    await using watch = await watched(store);
    await save(store.at('feedback/m.toml'));
    await watch.until(() => store.row(M)?.action === 'Do that');
    await settled(store, watch);
    expect(watch.done().filter((step) => !step.includes('mark'))).toEqual(['import feedback/m']);
    expect(store.row(M)).toMatchObject({ pk, surfaced_count: 6, followed_count: 4 });
    expect(store.sql('SELECT count(*) AS n FROM archive')).toEqual([{ n: 0 }]);
  });
}

test('S24: git checkout of another version is one update', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', BEFORE);
  store.sync();
  const run = (...args: readonly string[]) => git(join(store.root, 'memory'), ...args);
  run('init', '-q', '-b', 'main');
  run('add', '-A');
  run('commit', '-qm', 'before');
  run('checkout', '-qb', 'other');
  store.write('feedback/m.toml', AFTER);
  run('commit', '-qam', 'after');
  run('checkout', '-q', 'main');
  store.sync();
  await using watch = await watched(store);
  run('checkout', '-q', 'other');
  await watch.until(() => store.row(M)?.action === 'Do that');
  expect(watch.done()).toEqual(['import feedback/m']);
});

test('S27: a directory that was made anew is watched again within 2 s, and what is missing is held', async () => {
  using store = await temporaryStore();
  writeMany(store, 5);
  store.write('facts/f.toml', FACT);
  store.sync();
  await using watch = await watched(store);
  rmSync(store.at('facts'), { recursive: true });
  mkdirSync(store.at('facts'));
  await watch.until(() => watch.events.some(({ kind }) => kind === 'rearmed'));
  await watch.until(() => storeStatus(store.context).holds.length === 1);
  expect(store.row('facts/f')).toBeDefined();
  store.write('facts/g.toml', FACT.replace('"x"', '"y"'));
  await watch.until(() => store.row('facts/g') !== undefined);
  store.write('facts/g.toml', FACT.replace('"x"', '"z"'));
  await watch.until(() => store.row('facts/g')?.object === 'z');
});

const FACT = `schema_version = 1
type = "fact"
situation = "When asked"

[content]
subject = "it"
predicate = "is"
object = "x"
`;

test('S27: another clone in the place of memory/ is taken in, its missing files are held, its edits are seen', async () => {
  using store = await temporaryStore();
  writeMany(store, 5);
  store.sync();
  const memory = join(store.root, 'memory');
  git(memory, 'init', '-q', '-b', 'main');
  git(memory, 'add', '-A');
  git(memory, 'commit', '-qm', 'start');
  git(memory, 'rm', '-q', '--cached', 'feedback/m3.toml');
  git(memory, 'commit', '-qm', 'without one');
  await using watch = await watched(store);
  renameSync(memory, `${memory}.bak`);
  git(store.root, 'clone', '-q', `${memory}.bak`, 'memory');
  await watch.until(() => watch.events.some(({ kind }) => kind === 'rearmed'));
  await watch.until(() => storeStatus(store.context).holds.length === 1);
  expect(storeStatus(store.context).holds).toMatchObject([{ name: 'feedback/m3', side: 'file' }]);
  store.write('feedback/m1.toml', feedbackText({ situation: '"When 1"', action: '"Seen"' }));
  await watch.until(() => store.row('feedback/m1')?.action === 'Seen');
});

test('S28: files that are made while the watch starts are all taken in', async () => {
  using store = await temporaryStore();
  writeMany(store, 1);
  let made = 1;
  await using watch = await watched(store, {
    watchDirectories: (paths, onHint, onFailure) => {
      const directories = watchDirectories(paths, onHint, onFailure);
      const writing = setInterval(() => {
        store.write(`feedback/m${made}.toml`, feedbackText({ situation: `"When ${made}"` }));
        made += 1;
        if (made === 100) clearInterval(writing);
      }, 1);
      return directories;
    },
  });
  await watch.until(() => store.sql('SELECT count(*) AS n FROM memories')[0]?.n === 100);
});

test('S29: a file that is never quiet is read at least every 2 s, and its last content is what counts', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', BEFORE);
  store.sync();
  await using watch = await watched(store);
  const seen = () => Number(store.sql(`SELECT length(bytes) AS n FROM bases WHERE name = 'feedback/m'`)[0]?.n);
  let [size, sinceMs, longestMs] = [seen(), Date.now(), 0];
  for (const startMs = Date.now(); Date.now() - startMs < 5000; ) {
    appendFileSync(store.at('feedback/m.toml'), '# still writing\n');
    await later(50);
    if (seen() === size) continue;
    longestMs = Math.max(longestMs, Date.now() - sinceMs);
    [size, sinceMs] = [seen(), Date.now()];
  }
  expect(longestMs).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(3500);
  await watch.until(() => seen() === readFileSync(store.at('feedback/m.toml')).length);
});

test('S32, SY-58: a thousand writes to the database are no hint, and git sees nothing', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', BEFORE);
  store.sync();
  const memory = join(store.root, 'memory');
  git(memory, 'init', '-q', '-b', 'main');
  git(memory, 'add', '-A');
  git(memory, 'commit', '-qm', 'start');
  const hints: string[] = [];
  await using watch = await watched(store, {
    watchDirectories: (paths, onHint, onFailure) =>
      watchDirectories(
        paths,
        (path) => {
          if (!path.includes('.engram-tmp-')) hints.push(path);
          onHint(path);
        },
        onFailure,
      ),
  });
  shell(
    join(store.root, 'engram.db'),
    `CREATE TABLE notes(n);\n${Array.from({ length: 1000 }, (_, n) => `INSERT INTO notes VALUES (${n});`).join('\n')}`,
  );
  expect(hints).toEqual([]);
  expect(git(memory, 'status', '--porcelain')).toBe('');
  await settled(store, watch);
  expect(new Set(hints.map((path) => path.replace(/.*\//, '')))).toEqual(
    new Set([`mark-${watch.events.length - 1}.toml`]),
  );
});

test('S33: hidden directories above the root do not matter, a hidden file inside is ignored', async () => {
  const top = mkdtempSync(join(tmpdir(), 'engram-'));
  const root = join(top, '.hidden/.local/share/engram');
  mkdirSync(root, { recursive: true });
  using store = await temporaryStore(root);
  await using watch = await watched(store);
  store.write('feedback/.foo.toml', BEFORE);
  store.write('feedback/m.toml', BEFORE);
  await watch.until(() => store.row(M) !== undefined);
  expect(store.sql('SELECT name FROM memories')).toEqual([{ name: M }]);
  await watch.stop();
  rmSync(top, { recursive: true });
});

test('S34: checkouts and a rebase under the watch end with rows equal to the tree, and git is never in the way', async () => {
  using store = await temporaryStore();
  writeMany(store, 300);
  const run = (...args: readonly string[]) => git(join(store.root, 'memory'), ...args);
  store.sync();
  run('init', '-q', '-b', 'a');
  run('add', '-A');
  run('commit', '-qm', 'a');
  run('checkout', '-qb', 'b');
  for (let at = 0; at < 300; at += 3) {
    store.write(`feedback/m${at}.toml`, feedbackText({ situation: `"When ${at}"`, action: '"Of b"' }));
  }
  for (let at = 1; at < 30; at += 3) store.remove(`feedback/m${at}.toml`);
  run('add', '-A');
  run('commit', '-qm', 'b');
  await using watch = await watched(store);
  for (let turn = 0; turn < 20; turn += 1) run('checkout', '-q', turn % 2 === 0 ? 'a' : 'b');
  run('checkout', '-qb', 'five', 'a');
  for (let commit = 0; commit < 5; commit += 1) {
    store.write(`feedback/new${commit}.toml`, feedbackText({ situation: `"When new ${commit}"` }));
    run('add', '-A');
    run('commit', '-qm', `new ${commit}`);
  }
  run('rebase', '-q', 'b');
  const present = store.files().map((path) => path.replace('.toml', ''));
  const names = () => store.sql('SELECT name FROM memories ORDER BY name').map(({ name }) => String(name));
  await watch.until(() => names().length === present.length && !storeStatusPending(store));
  expect(names()).toEqual([...present].sort());
  expect(store.row('feedback/m0')).toMatchObject({ action: 'Of b' });
  expect(
    store.sql('SELECT name FROM archive WHERE restored_at_ms IS NULL AND name IN (SELECT name FROM memories)'),
  ).toEqual([]);
  expect(run('status', '--porcelain')).toBe('');
  expect(watch.done().filter((step) => /^(export|create-file|merge|delete-file)/.test(step))).toEqual([]);
}, 60_000);

function storeStatusPending(store: TestStore): boolean {
  const { pending } = storeStatus(store.context);
  return pending.files !== 0 || pending.rows !== 0;
}
