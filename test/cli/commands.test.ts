import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { BIN, type RunOptions, runEngram } from '../support/engram.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const root = () => join(home, '.local/share/engram');
const file = (path: string) => join(root(), 'memory', path);
const read = (path: string) => readFileSync(file(path), 'utf8');
const engram = (args: readonly string[], options?: RunOptions) => runEngram(home, args, options);
const json = (args: readonly string[], options?: RunOptions) => {
  const { stdout, stderr } = engram([...args, '--json'], options);
  return JSON.parse(stdout || stderr);
};

function write(path: string, text: string) {
  mkdirSync(dirname(file(path)), { recursive: true });
  writeFileSync(file(path), text);
}

const FACT = feedbackText({
  type: '"fact"',
  situation: '"When testing"',
}).replace(/\[content\][\s\S]*/, '[content]\nsubject = "shop"\npredicate = "is"\nobject = "big"\n');

describe('a name', () => {
  const COMMANDS = ['show', 'history', 'edit --source x', 'pin', 'unpin', 'forget', 'outcome missed'];
  const called = (command: string, name: string) => {
    const [word = '', ...rest] = command.split(' ');
    return engram([word, name, ...rest]);
  };

  it.each(COMMANDS)('that two memories have fails and lists them: %s', (command) => {
    write('feedback/both.toml', feedbackText());
    write('facts/both.toml', FACT);
    const { status, stdout, stderr } = called(command, 'both');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('feedback/both, facts/both');
    expect(called(command, 'facts/both')).toMatchObject({ status: 0 });
    expect([read('feedback/both.toml'), existsSync(file('feedback/both.toml'))]).toEqual([feedbackText(), true]);
  });

  test('that is a part of names shows up to five of them', () => {
    for (const slug of ['one', 'two', 'three', 'four', 'five', 'six'])
      write(`feedback/when-adding-${slug}.toml`, feedbackText());
    write('feedback/before-adding.toml', feedbackText());
    const hintOf = (name: string) => json(['show', name]).error.hint;
    expect(hintOf('when-adding')).toMatch(/^Did you mean one of: (when-adding-\w+, ){4}when-adding-\w+\?$/);
    expect(hintOf('when-adding-o')).toBe('Did you mean when-adding-one?');
    expect(hintOf('feedback/when-adding-o')).toBe('Did you mean feedback/when-adding-one?');
    expect(hintOf('adding-si')).toBe('Did you mean when-adding-six?');
  });

  test('of an archived memory is said to be archived, with the command that brings it back', () => {
    write('feedback/a.toml', feedbackText());
    engram(['forget', 'a']);
    expect(json(['show', 'a'])).toEqual({
      error: {
        code: 'memory.not-found',
        message: 'feedback/a is archived',
        hint: 'Run: engram restore feedback/a',
        exit: 3,
        retryable: false,
      },
    });
  });

  it.each([...COMMANDS, 'restore'])('that nobody knows exits 3 with a suggestion: %s', (command) => {
    write('feedback/when-deploying.toml', feedbackText());
    engram(['db', 'sync']);
    if (command === 'restore') engram(['forget', 'when-deploying']);
    expect(called(command, 'when-deployin')).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringContaining('Did you mean when-deploying?'),
    });
    expect(called(command, 'xyz')).toMatchObject({ status: 3, stderr: expect.stringMatching(/engram list/) });
    expect(called(command, '../../etc/passwd')).toMatchObject({ status: 2 });
  });

  it.each(COMMANDS)('of a file that never could be read exits 6 with its place: %s', (command) => {
    write('feedback/broken.toml', 'action = "broken\n');
    expect(called(command, 'broken')).toMatchObject({
      status: 6,
      stdout: '',
      stderr: expect.stringMatching(/feedback\/broken\.toml:1:\d+ syntax/),
    });
    expect(read('feedback/broken.toml')).toBe('action = "broken\n');
  });

  test('may be written as the path below memory/, in either Unicode form', () => {
    write('feedback/é.toml', feedbackText());
    expect(engram(['show', 'memory/feedback/é.toml']).status).toBe(0);
    expect(engram(['show', 'é'.normalize('NFD')]).status).toBe(0);
  });
});

test('X10 and SY-49: a file just written is ingested by the command that names it', () => {
  write('feedback/new.toml', feedbackText());
  expect(engram(['outcome', 'new', 'missed'])).toMatchObject({
    status: 0,
    stdout: 'counted missed for feedback/new\n',
  });
  expect(read('feedback/new.toml')).toContain('missed_count = 1\n');
  write('feedback/newer.toml', feedbackText());
  expect(engram(['edit', 'newer', '--source', 'me'])).toMatchObject({ status: 0 });
});

test('MF-20: a file without its last line end is waited for once, then edited', () => {
  write('feedback/new.toml', feedbackText().trimEnd());
  expect(engram(['edit', 'new', '--source', 'me'])).toMatchObject({ status: 0 });
  expect(read('feedback/new.toml')).toContain('source = "me"\n');
});

test('S08: rows stale, a pull, then an outcome: the pulled files stay byte for byte, the counted one changes two lines', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
      cwd: join(root(), 'memory'),
      stdio: 'pipe',
    });
  for (const name of ['counted', 'pulled', 'other'])
    write(`feedback/${name}.toml`, feedbackText({ action: `"${name}"` }));
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'start');
  engram(['db', 'sync']);
  const clone = join(home, 'clone');
  execFileSync('git', ['clone', '-q', join(root(), 'memory'), clone]);
  writeFileSync(join(clone, 'feedback/pulled.toml'), feedbackText({ action: '"pulled anew"', surfaced_count: '9' }));
  for (let at = 0; at < 10; at += 1)
    writeFileSync(join(clone, `feedback/new-${at}.toml`), feedbackText({ action: `"new ${at}"` }));
  execFileSync('sh', ['-c', 'git add . && git -c user.name=x -c user.email=x@x commit -qm more'], { cwd: clone });
  git('pull', '-q', clone);
  const names = readdirSync(file('feedback')).filter((name) => name.endsWith('.toml') && name !== 'counted.toml');
  const before = new Map(names.map((name) => [name, read(`feedback/${name}`)]));
  expect(before.size).toBe(12);

  expect(engram(['outcome', 'counted', 'irrelevant'])).toMatchObject({ status: 0 });

  for (const [name, text] of before) expect(read(`feedback/${name}`)).toBe(text);
  const old = feedbackText({ action: '"counted"' }).split('\n');
  const changed = read('feedback/counted.toml')
    .split('\n')
    .filter((line, at) => line !== old[at]);
  expect(changed).toEqual([expect.stringMatching(/^updated_at/), 'irrelevant_count = 1']);
  expect(json(['show', 'pulled']).record).toMatchObject({ action: 'pulled anew', surfaced_count: 9 });
  expect(json(['list', '--all-projects']).memories).toHaveLength(13);
});

describe('outcome', () => {
  test('counts, says what became of the core, and takes a key once', () => {
    write('feedback/a.toml', feedbackText({ surfaced_count: '9', followed_count: '8' }));
    expect(engram(['outcome', 'a', 'followed'])).toMatchObject({
      status: 0,
      stdout: 'counted followed for feedback/a\n  it is core now\n',
    });
    expect(json(['outcome', 'a', 'not_followed', '--key', 'k', '--situation', 'deploying'])).toEqual({
      name: 'feedback/a',
      kind: 'not-followed',
      counted: true,
      pending: false,
      promoted: false,
      demoted: [],
    });
    expect(engram(['outcome', 'a', 'not-followed', '--key', 'k'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('counted before'),
    });
    expect(json(['show', 'a']).record).toMatchObject({ followed_count: 9, not_followed_count: 2 });
  });

  test('of an unknown kind exits 2 with a suggestion', () => {
    write('feedback/a.toml', feedbackText());
    expect(engram(['outcome', 'a', 'folowed'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Did you mean followed?'),
    });
    expect(engram(['outcome', 'a'])).toMatchObject({ status: 2 });
  });

  test('SY-40: on a quarantined file exits 0, says that it waits, and is exported later', () => {
    write('feedback/a.toml', feedbackText());
    engram(['db', 'sync']);
    write('feedback/a.toml', 'action = "broken\n');
    expect(engram(['outcome', 'a', 'missed'])).toMatchObject({ status: 0, stdout: expect.stringContaining('waits') });
    write('feedback/a.toml', feedbackText());
    expect(engram(['db', 'sync']).status).toBe(0);
    expect(read('feedback/a.toml')).toContain('missed_count = 1\n');
  });
});

test('pin, unpin, forget and restore say what they did', () => {
  write('feedback/a.toml', feedbackText());
  expect(engram(['pin', 'a']).stdout).toBe('pinned feedback/a\n');
  expect(engram(['pin', 'a']).stdout).toBe('was pinned already: feedback/a\n');
  expect(json(['list', '--core', '--all-projects']).memories).toMatchObject([{ name: 'feedback/a', core: true }]);
  expect(engram(['unpin', 'a']).stdout).toBe('unpinned feedback/a\n');
  const text = read('feedback/a.toml');
  expect(engram(['forget', 'a'])).toMatchObject({
    status: 0,
    stdout: 'archived feedback/a\n  undo: engram restore feedback/a\n',
  });
  expect(existsSync(file('feedback/a.toml'))).toBe(false);
  expect(engram(['show', 'a'])).toMatchObject({ status: 3 });
  expect(engram(['list', '--archived']).stdout).toContain('feedback/a');
  expect(json(['list', '--archived', '--type', 'fact']).memories).toEqual([]);
  expect(engram(['restore', 'a'])).toMatchObject({ status: 0, stdout: 'restored feedback/a\n' });
  expect(read('feedback/a.toml')).toBe(text);
  engram(['forget', 'a']);
  write('feedback/a.toml', 'anything');
  expect(engram(['restore', 'a'])).toMatchObject({ status: 1, stderr: expect.stringContaining('has this name') });
  expect(read('feedback/a.toml')).toBe('anything');
});

describe('conflicts', () => {
  function clash() {
    write('feedback/a.toml', feedbackText());
    engram(['db', 'sync']);
    shell(databaseOf(root()), `UPDATE memories SET action = 'by row' WHERE name = 'feedback/a';`);
    write('feedback/a.toml', feedbackText({ action: '"by file"' }));
    expect(engram(['db', 'sync'])).toMatchObject({ status: 1, stdout: expect.stringContaining('1 open') });
  }

  test('are listed and shown with both texts', () => {
    expect(engram(['conflicts', 'list'])).toEqual({
      status: 0,
      stdout: 'no conflicts\n',
      stderr: expect.stringContaining('there is no store at'),
    });
    clash();
    const { conflicts } = json(['conflicts', 'list']);
    expect(conflicts).toMatchObject([{ id: 1, name: 'feedback/a', field: 'action', resolution: null }]);
    const shown = engram(['conflicts', 'show', '1']).stdout;
    for (const text of ['by file', 'by row', 'Add it nullable', '--take file|db|FILE']) expect(shown).toContain(text);
    expect(engram(['conflicts', 'show', '7'])).toMatchObject({ status: 3 });
    expect(engram(['conflicts', 'show', 'first'])).toMatchObject({ status: 2 });
  });

  test.each([
    ['file', 'by file'],
    ['db', 'by row'],
    ['./text.txt', 'by me\nin two lines'],
  ])('S15: --take %s ends it on both sides, and db sync is content', (take, expected) => {
    clash();
    writeFileSync(join(home, 'text.txt'), 'by me\nin two lines\n');
    expect(engram(['conflicts', 'resolve', '1', '--take', take])).toMatchObject({
      status: 0,
      stdout: 'resolved 1: feedback/a action\n',
    });
    expect(json(['show', 'a'])).toMatchObject({ state: 'clean', record: { action: expected } });
    expect(engram(['db', 'sync'])).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing to do') });
    expect(engram(['conflicts', 'list'])).toMatchObject({ stdout: 'no conflicts\n' });
    expect(json(['conflicts', 'list', '--all']).conflicts).toMatchObject([{ id: 1, resolution: expect.any(String) }]);
    expect(engram(['conflicts', 'resolve', '1', '--take', 'file'])).toMatchObject({ status: 3 });
  });

  test('--take must be given, and readable', () => {
    clash();
    expect(engram(['conflicts', 'resolve', '1'])).toMatchObject({ status: 2 });
    execFileSync('mkfifo', [join(home, 'fifo')]);
    for (const take of ['fifo', '/dev/null', '.']) {
      expect(engram(['conflicts', 'resolve', '1', '--take', take])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`--take ${take}: is not a regular file`),
      });
    }
    expect(engram(['conflicts', 'resolve', '1', '--take', 'no-such-file'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no-such-file'),
    });
    writeFileSync(join(home, 'bytes'), Buffer.from([0xff, 0xfe, 0x41]));
    expect(engram(['conflicts', 'resolve', '1', '--take', 'bytes'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('UTF-8'),
    });
    expect(json(['show', 'a'])).toMatchObject({ state: 'conflict', record: { action: 'by file' } });
  });
});

test.each([
  'learn fact --situation y --subject a --predicate b --object d',
  'edit a --source x',
  'pin a',
  'forget a',
  'outcome a followed',
  'conflicts resolve 1 --take file',
])('SY-59: on a root that cannot be written nothing is changed, and it is said: %s', (command) => {
  write('feedback/a.toml', feedbackText());
  engram(['db', 'sync']);
  execFileSync('chmod', ['-R', 'a+rX', home]);
  chmodSync(root(), 0o555);
  const isRoot = process.getuid?.() === 0;
  const { status, stdout, stderr } = spawnSync(
    isRoot ? 'setpriv' : process.execPath,
    [
      ...(isRoot ? ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath] : []),
      BIN,
      ...command.split(' '),
    ],
    { cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home }, encoding: 'utf8' },
  );
  chmodSync(root(), 0o755);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(
    `engram: the data root ${root()} cannot be written\n  Check its permissions, or name another one with --data-dir DIR.\n`,
  );
  expect(read('feedback/a.toml')).toBe(feedbackText());
});

test('a database that is damaged inside exits 6 too', () => {
  for (let at = 0; at < 60; at += 1) write(`feedback/m${at}.toml`, feedbackText({ action: `"do ${at}"` }));
  engram(['db', 'sync']);
  shell(databaseOf(root()), 'PRAGMA wal_checkpoint(TRUNCATE);');
  const bytes = readFileSync(databaseOf(root()));
  const page = Number(shell(databaseOf(root()), `SELECT rootpage FROM sqlite_master WHERE name = 'memories';`));
  bytes.fill(0x5a, (page - 1) * 4096, page * 4096);
  writeFileSync(databaseOf(root()), bytes);
  const { status, stdout, stderr } = engram(['list']);
  expect({ status, stdout }).toEqual({ status: 6, stdout: '' });
  expect(stderr).toContain('engram db rebuild');
});

describe('a damaged database exits 6 with the way out, whatever the command', () => {
  it.each([['list'], ['show', 'a'], ['learn', 'fact'], ['query', 'table'], ['db', 'sync']])('%s', (...args) => {
    write('feedback/a.toml', feedbackText());
    engram(['db', 'sync']);
    writeFileSync(databaseOf(root()), 'no database at all, but long enough to be read as one'.repeat(100));
    rmSync(`${databaseOf(root())}-wal`, { force: true });
    const { status, stdout, stderr } = engram(args, {
      input: '{"situation":"x","subject":"a","predicate":"b","object":"c"}',
    });
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' });
    expect(stderr).toContain('engram db rebuild');
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });
});

test.each(['', '   ', '???', '\u{1f680}'])(
  'Q03: a query without terms, %j, is no error: exit 3 and no hits',
  (text) => {
    const { status, stdout } = engram(['query', text, '--json']);
    expect([status, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ abstained: 'no_terms', hits: [] })]);
  },
);
