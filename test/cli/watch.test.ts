import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderEvent } from '../../src/cli/render-watch.ts';
import { heartbeatPath, readHeartbeat } from '../../src/files/heartbeat.ts';
import { runEngram } from '../support/engram.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';
import { until, type WatchProcess, watchProcess } from '../support/watch-process.ts';

let home: string;
let root: string;
const running: WatchProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-watch-'));
  root = join(home, 'store');
  mkdirSync(join(root, 'memory/feedback'), { recursive: true });
  mkdirSync(join(root, 'memory/facts'));
});
afterEach(async () => {
  for (const { process: child, end } of running.splice(0)) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await end;
  }
  rmSync(home, { recursive: true, force: true });
});

function start(prefix: readonly string[] = [], env: Readonly<Record<string, string>> = {}): WatchProcess {
  const watch = watchProcess(home, root, { prefix, env });
  running.push(watch);
  return watch;
}

/** Thousands of memories are not worth their vectors here. */
const WORDS_ALONE = { ENGRAM_EMBED_PROVIDER: 'none' };

const write = (name: string, changes: Readonly<Record<string, string>> = {}) =>
  writeFileSync(join(root, `memory/feedback/${name}.toml`), feedbackText(changes));

function writeMany(count: number): void {
  for (let at = 0; at < count; at += 1) write(`m${at}`, { situation: `"When handling case ${at}"` });
}

const engram = (...args: readonly string[]) => runEngram(home, [...args, '--data-dir', root, '--json']);
const value = (sql: string) => {
  try {
    return shell(databaseOf(root), `.timeout 5000\n${sql}`).trim();
  } catch {
    return null;
  }
};

test('SY-55: SIGTERM ends a watch with status 0, without a heartbeat, and another can begin', async () => {
  write('m');
  const first = start();
  await first.saw('mode');
  expect(first.events().map(({ kind }) => kind)).toEqual(['synced', 'started', 'mode']);
  first.process.kill('SIGTERM');
  expect(await first.end).toBe(0);
  expect(readHeartbeat(heartbeatPath(root), Date.now())).toBeNull();
  expect(first.events().at(-1)).toMatchObject({ kind: 'stopped' });
  const second = start();
  await second.saw('mode');
});

test('SY-51, SY-55: what was changed just before SIGTERM is taken in, and files are equal to rows afterwards', async () => {
  for (const name of ['edited', 'saved', 'from-a-shell', 'gone', 'moved']) write(name, { situation: `"When ${name}"` });
  const file = (name: string) => join(root, `memory/feedback/${name}.toml`);
  const edits: readonly (() => void)[] = [
    () => write('edited', { action: '"In place"' }),
    () => {
      write('.saved', { action: '"By a rename"' });
      renameSync(file('.saved'), file('saved'));
    },
    () => write('new', { action: '"A new one"' }),
    () => shell(databaseOf(root), "UPDATE memories SET action = 'By SQL' WHERE name = 'feedback/from-a-shell';"),
    () => rmSync(file('gone')),
    () => renameSync(file('moved'), file('moved-on')),
  ];
  for (const edit of edits) {
    const watch = start([], WORDS_ALONE);
    await watch.saw('mode');
    edit();
    const endedMs = Date.now();
    watch.process.kill('SIGTERM');
    expect(await watch.end).toBe(0);
    expect(Date.now() - endedMs).toBeLessThan(20_000);
    expect(JSON.parse(engram('db', 'status').stdout).pending, String(edit)).toEqual({ files: 0, rows: 0 });
  }
  const rows = value("SELECT name || '=' || action FROM memories ORDER BY name;")?.split('\n');
  const names = ['edited', 'from-a-shell', 'moved-on', 'new', 'saved'];
  expect(rows?.map((row) => row.split('=')[0])).toEqual(names.map((name) => `feedback/${name}`));
  for (const name of names) {
    const action = rows?.find((row) => row.startsWith(`feedback/${name}=`))?.split('=')[1];
    expect(readFileSync(file(name), 'utf8')).toContain(`action = "${action}"`);
  }
}, 120_000);

test('SY-55, S37: a second watch waits, says for whom, and takes over within 10 s when the first is killed', async () => {
  write('m');
  const first = start();
  await first.saw('mode');
  const second = start();
  await second.saw('waiting');
  expect(second.events()[0]).toMatchObject({ holder: `engram watch (process ${first.pid})` });
  first.process.kill('SIGKILL');
  const killedMs = Date.now();
  write('m', { action: '"While nobody watched"' });
  await second.saw('started');
  expect(Date.now() - killedMs).toBeLessThan(10_000);
  await until(() => value(`SELECT action FROM memories WHERE name = 'feedback/m';`) === 'While nobody watched');
  await until(() => readHeartbeat(heartbeatPath(root), Date.now())?.pid === second.pid);
});

test('SY-57, S30: a stopped watch is not believed: a query answers from the file, the status names what is pending', async () => {
  writeMany(2100);
  expect(runEngram(home, ['db', 'sync', '--data-dir', root], { env: WORDS_ALONE }).status).toBe(0);
  const watch = start([], WORDS_ALONE);
  await watch.saw('mode');
  watch.process.kill('SIGSTOP');
  write('m7', { situation: '"When the zeppelin lands"' });
  await until(() => (readHeartbeat(heartbeatPath(root), Date.now())?.ageMs ?? 0) > 3000);
  expect(JSON.parse(engram('db', 'status').stdout)).toMatchObject({ pending: { files: 1 } });
  const answer = JSON.parse(engram('query', 'when the zeppelin lands').stdout);
  expect(answer.stale || answer.hits[0]?.name === 'feedback/m7').toBe(true);
  watch.process.kill('SIGCONT');
  await until(() => JSON.parse(engram('db', 'status').stdout).pending.files === 0);
  expect(JSON.parse(engram('query', 'when the zeppelin lands').stdout).hits[0]).toMatchObject({ name: 'feedback/m7' });
}, 120_000);

test('SY-50, S31: 64 open files are enough for 5,000 memories, and three directories are watched', async () => {
  writeMany(5000);
  expect(runEngram(home, ['db', 'sync', '--data-dir', root], { env: WORDS_ALONE }).status).toBe(0);
  const watch = start(['bash', '-c', 'ulimit -n 64; exec "$@"', 'bash'], WORDS_ALONE);
  await watch.saw('mode');
  expect(watch.events().filter(({ kind }) => kind === 'mode')).toMatchObject([{ mode: 'live' }]);
  expect(inotifyWatches(watch.pid)).toBe(3);
  write('m77', { situation: '"When it is seen"' });
  await until(() => value(`SELECT situation FROM memories WHERE name = 'feedback/m77';`) === 'When it is seen');
}, 120_000);

function inotifyWatches(pid: number): number {
  return readdirSync(`/proc/${pid}/fdinfo`)
    .map((name) => readFileSync(`/proc/${pid}/fdinfo/${name}`, 'utf8'))
    .reduce((count, text) => count + (text.match(/^inotify/gm)?.length ?? 0), 0);
}

test('SY-25, S07: what a watch embeds is there once for each memory, however often it starts', async () => {
  writeMany(20);
  for (let turn = 0; turn < 2; turn += 1) {
    const watch = start();
    await watch.saw('mode');
    await until(() => value(`SELECT count(*) FROM embeddings WHERE part = 'record' AND state = 'ready';`) === '20');
    watch.process.kill('SIGTERM');
    expect(await watch.end).toBe(0);
  }
  expect(
    value("SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM embeddings WHERE part = 'record');"),
  ).toBe('20|20');
}, 60_000);

test('SY-71, X12: another data root in the configuration is said once, and the old one is kept', async () => {
  const config = join(home, '.config/engram/config.toml');
  const other = join(home, 'other');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, `data_dir = "${root}"\n`);
  write('m');
  const watch = watchProcess(home, null, { env: WORDS_ALONE });
  running.push(watch);
  await watch.saw('mode');
  writeFileSync(config, `data_dir = "${other}"\n`);
  // Directories in the place of those that were watched are looked at in full.
  const anew = async () => {
    const before = watch.events().filter(({ kind }) => kind === 'rearmed').length;
    renameSync(join(root, 'memory/facts'), join(root, `facts-${before}`));
    mkdirSync(join(root, 'memory/facts'));
    await until(() => watch.events().filter(({ kind }) => kind === 'rearmed').length > before);
  };
  await anew();
  await watch.saw('config');
  await anew();
  write('m', { action: '"Into the old root"' });
  await until(() => value(`SELECT action FROM memories WHERE name = 'feedback/m';`) === 'Into the old root');
  watch.process.kill('SIGTERM');
  expect(await watch.end).toBe(0);
  expect(watch.events().filter(({ kind }) => kind === 'config')).toHaveLength(1);
  expect(existsSync(other)).toBe(false);
  expect(renderEvent({ kind: 'config' })).toBe('the configuration has changed; a restart applies it');
}, 60_000);

test('X12: a data root that is a regular file is refused with path and flag, and nothing is written', () => {
  writeFileSync(join(home, 'file'), '');
  const ran = runEngram(home, ['watch', '--data-dir', join(home, 'file')]);
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  expect(ran.stderr).toContain(`the data root ${join(home, 'file')} is not a directory`);
  expect(ran.stderr).toContain('--data-dir');
  expect(readFileSync(join(home, 'file'), 'utf8')).toBe('');
  expect(readdirSync(home).sort()).toEqual(['file', 'store']);
});

test.each([
  [{ kind: 'waiting', holder: null }, 'another process watches this store; waiting for its end'],
  [{ kind: 'started', files: 3 }, 'watching 3 files'],
  [{ kind: 'mode', mode: 'live', reason: 'events arrive' }, null],
  [
    { kind: 'mode', mode: 'degraded', reason: 'self-test failed' },
    'degraded (self-test failed): looking every few seconds',
  ],
  [
    { kind: 'synced', steps: [{ name: 'feedback/a', action: 'import', reason: 'new', other: null }] },
    'import feedback/a (a new file)',
  ],
  [
    { kind: 'quarantined', path: 'feedback/a\u001b[1m.toml', reason: 'syntax', message: 'line 1' },
    'not usable: feedback/a[1m.toml: line 1',
  ],
] as const)('a person reads %j as a line', (event, line) => {
  expect(renderEvent(event)).toBe(line);
});
