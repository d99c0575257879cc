import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BIN, runEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { M, memoryRepository, twoBranches } from './repositories.ts';

const counted = (surfaced: number, more: Readonly<Record<string, string>> = {}) =>
  feedbackText({ surfaced_count: String(surfaced), ...more });

/** What a person does with marks: keep the lines of theirs. */
const takeTheirs = (text: string) => text.replace(/<<<<<<< .*\n[\s\S]*?=======\n([\s\S]*?)>>>>>>> .*\n/g, '$1');

describe('S19: git merge with surfaced_count +1 and +2 on the branches', () => {
  test('with the driver: +3, and the row follows', () => {
    const repository = memoryRepository({ [M]: counted(6) });
    expect(repository.engram('db', 'sync').status).toBe(0);
    twoBranches(repository, { [M]: counted(7) }, { [M]: counted(8) });
    expect(repository.merge('theirs').clean).toBe(true);
    expect(repository.read(M)).toBe(counted(9));
    expect(repository.engram('db', 'sync').status).toBe(0);
    expect(JSON.parse(repository.engram('show', 'm', '--json').stdout).record.surfaced_count).toBe(9);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.engram('db', 'check').stdout).toBe('clean\n');
  });

  test('without: one merge-markers message with file and line, the row is kept', () => {
    const repository = memoryRepository(
      { [M]: counted(6), 'feedback/n.toml': counted(1, { action: '"n"' }) },
      { driver: false },
    );
    expect(repository.engram('db', 'sync').status).toBe(0);
    twoBranches(repository, { [M]: counted(7) }, { [M]: counted(8) });
    expect(repository.merge('theirs').clean).toBe(false);
    const before = repository.read(M);
    const line = before.split('\n').findIndex((each) => each.startsWith('<<<<<<<')) + 1;
    const synced = repository.engram('db', 'sync', '--json');
    expect(synced.status).toBe(6);
    expect(JSON.parse(synced.stdout).quarantined).toEqual([
      { side: 'file', path: M, line, column: 1, reason: 'merge-markers', message: 'a merge that is not finished' },
    ]);
    const said = repository.engram('db', 'sync').stdout;
    expect(said.match(/merge-markers/g)).toHaveLength(1);
    expect(said).toContain(`${M}:${line}:1 merge-markers`);
    const shown = JSON.parse(repository.engram('show', 'm', '--json').stdout);
    expect(shown).toMatchObject({ state: 'quarantined', record: { surfaced_count: 6 } });
    expect(repository.read(M)).toBe(before);
    repository.write(M, takeTheirs(before));
    expect(repository.engram('db', 'sync').status).toBe(0);
    expect(JSON.parse(repository.engram('show', 'm', '--json').stdout).record.surfaced_count).toBe(8);
  });
});

describe('SY-46: git merges memories by fields', () => {
  test('outcomes counted on two hosts add up, with the texts, comments and keys of both', () => {
    const a = memoryRepository({ [M]: feedbackText() });
    const b = memoryRepository({});
    b.git('pull', '-q', '--no-rebase', '--allow-unrelated-histories', a.memory, 'main');
    for (const [host, kinds] of [
      [a, ['surfaced', 'surfaced', 'followed']],
      [b, ['surfaced', 'not-followed']],
    ] as const) {
      for (const kind of kinds) expect(host.engram('outcome', 'm', kind).status).toBe(0);
    }
    a.write(M, a.read(M).replace('[content]', 'owner = "platform" # ours\n\n[content]'));
    expect(a.engram('edit', 'm', '--action', 'from A').status).toBe(0);
    b.write(M, `# seen by B\n${b.read(M)}`);
    expect(b.engram('edit', 'm', '--impact', 'from B').status).toBe(0);
    a.commit('A');
    b.commit('B');
    a.git('pull', '-q', '--no-rebase', '--no-edit', b.memory, 'main');
    const merged = a.read(M);
    const updated = /^updated_at = (".*")$/m.exec(merged)?.[1] ?? '';
    const values = {
      updated_at: updated,
      surfaced_count: '9',
      followed_count: '5',
      not_followed_count: '2',
      action: '"from A"',
      impact: '"from B"',
    };
    const plain = feedbackText(values).replace('[content]', 'owner = "platform" # ours\n\n[content]');
    expect(merged).toBe(`# seen by B\n${plain}`);
    expect(a.engram('db', 'sync').status).toBe(0);
    expect(JSON.parse(a.engram('show', 'm', '--json').stdout).record).toMatchObject({
      surfaced_count: 9,
      action: 'from A',
    });
    // The way back is a fast-forward, and nothing counts twice.
    b.git('pull', '-q', '--no-rebase', a.memory, 'main');
    expect(b.engram('db', 'sync').status).toBe(0);
    expect(b.read(M)).toBe(merged);
    expect(JSON.parse(b.engram('show', 'm', '--json').stdout).record.surfaced_count).toBe(9);
    expect(b.engram('db', 'check').stdout).toBe('clean\n');
  });

  test('the same memory added on both sides: the larger count of each, one file', () => {
    const repository = memoryRepository({ 'feedback/other.toml': feedbackText() });
    twoBranches(
      repository,
      { [M]: counted(3, { followed_count: '0', created_at: '"2026-04-02T10:00:00Z"' }) },
      { [M]: counted(2, { followed_count: '1', created_at: '"2026-04-03T10:00:00Z"' }) },
    );
    expect(repository.merge('theirs').clean).toBe(true);
    expect(repository.read(M)).toBe(counted(3, { followed_count: '1' }));
  });

  test('texts that clash get marks, counts are added all the same, and choosing is all there is to do', () => {
    const repository = memoryRepository({ [M]: counted(6) });
    expect(repository.engram('db', 'sync').status).toBe(0);
    twoBranches(repository, { [M]: counted(7, { action: '"ours"' }) }, { [M]: counted(8, { action: '"theirs"' }) });
    const { clean, said } = repository.merge('theirs');
    expect(clean).toBe(false);
    expect(said).toContain(`CONFLICT (content): Merge conflict in ${M}`);
    expect(said).toContain(`engram: ${M}: both sides changed action\n`);
    const marked = '<<<<<<< ours\naction = "ours"\n=======\naction = "theirs"\n>>>>>>> theirs\n';
    expect(repository.read(M)).toBe(counted(9).replace(/action = .*\n/, marked));
    expect(repository.engram('db', 'sync').status).toBe(6);
    repository.write(M, takeTheirs(repository.read(M)));
    repository.commit('theirs it is');
    expect(repository.read(M)).toBe(counted(9, { action: '"theirs"' }));
    expect(repository.engram('db', 'sync').status).toBe(0);
    expect(JSON.parse(repository.engram('show', 'm', '--json').stdout).record.surfaced_count).toBe(9);
  });

  test('marks never stand inside a string: such a file would be a memory', () => {
    const lines = (body: string) => counted(6, { action: `"""\nfirst\n${body}\nlast"""` });
    const repository = memoryRepository({ [M]: lines('base') });
    twoBranches(repository, { [M]: lines('ours') }, { [M]: lines('theirs') });
    expect(repository.merge('theirs').clean).toBe(false);
    const text = repository.read(M);
    const side = (body: string) => `action = """\nfirst\n${body}\nlast"""\n`;
    expect(text).toContain(`<<<<<<< ours\n${side('ours')}=======\n${side('theirs')}>>>>>>> theirs\n`);
    const { status, stdout } = repository.engram('db', 'sync');
    expect([status, stdout]).toEqual([6, expect.stringContaining('merge-markers')]);
  });

  test('what rules decide is said, and git has the other value', () => {
    const repository = memoryRepository({ [M]: feedbackText() });
    twoBranches(repository, { [M]: feedbackText({ source: '"ours"' }) }, { [M]: feedbackText({ source: '"theirs"' }) });
    const { clean } = repository.merge('theirs');
    expect(clean).toBe(true);
    expect(repository.read(M)).toBe(feedbackText({ source: '"ours"' }));
    expect(repository.git('show', `HEAD^2:${M}`)).toContain('source = "theirs"');
  });

  test('a memory renamed on one side and counted on both keeps every count', () => {
    const repository = memoryRepository({ [M]: counted(6) });
    repository.git('checkout', '-qb', 'theirs');
    repository.git('mv', M, 'feedback/renamed.toml');
    repository.write('feedback/renamed.toml', counted(8));
    repository.commit('renamed');
    repository.git('checkout', '-q', 'main');
    repository.write(M, counted(7));
    repository.commit('counted');
    expect(repository.merge('theirs').clean).toBe(true);
    expect([existsSync(join(repository.memory, M)), repository.read('feedback/renamed.toml')]).toEqual([
      false,
      counted(9),
    ]);
  });

  test('cherry-pick, rebase and revert count what they bring and take', () => {
    const repository = memoryRepository({ [M]: counted(6) });
    twoBranches(repository, { [M]: counted(7) }, { [M]: counted(8) });
    repository.git('cherry-pick', 'theirs');
    expect(repository.read(M)).toBe(counted(9));
    repository.git('revert', '--no-edit', 'HEAD~1');
    expect(repository.read(M)).toBe(counted(8));
    repository.git('checkout', '-q', 'theirs');
    repository.git('rebase', '-q', 'main~2');
    expect(repository.read(M)).toBe(counted(9));
  });

  test('merged across each other, no count is added twice', () => {
    const repository = memoryRepository({ [M]: counted(0) });
    twoBranches(repository, { [M]: counted(1) }, { [M]: counted(2) });
    repository.git('branch', 'first-ours');
    repository.merge('theirs');
    repository.write(M, counted(4));
    repository.commit('ours again');
    repository.git('checkout', '-q', 'theirs');
    repository.merge('first-ours');
    repository.write(M, counted(5));
    repository.commit('theirs again');
    repository.git('checkout', '-q', 'main');
    expect(repository.merge('theirs').clean).toBe(true);
    // 1 and 2, then 1 and 2 again.
    expect(repository.read(M)).toBe(counted(6));
  });

  test('an octopus, which asks no driver, leaves everything; one merge after the other adds up', () => {
    const repository = memoryRepository({ [M]: counted(1) });
    for (const [branch, count] of [
      ['one', 2],
      ['two', 3],
      ['three', 5],
    ] as const) {
      repository.git('checkout', '-qb', branch, 'main');
      repository.write(M, counted(count));
      repository.commit(branch);
    }
    repository.git('checkout', '-q', 'main');
    expect(repository.merge('one', 'two', 'three').clean).toBe(false);
    repository.git('reset', '-q', '--hard', 'main');
    for (const branch of ['one', 'two', 'three']) expect(repository.merge(branch).clean).toBe(true);
    expect(repository.read(M)).toBe(counted(1 + 1 + 2 + 4));
  });

  test('a deletion against an edit is for git, and a deletion against nothing deletes', () => {
    const repository = memoryRepository({ [M]: counted(6), 'feedback/n.toml': feedbackText({ action: '"n"' }) });
    repository.git('checkout', '-qb', 'theirs');
    repository.git('rm', '-q', M, 'feedback/n.toml');
    repository.git('commit', '-qm', 'theirs');
    repository.git('checkout', '-q', 'main');
    repository.write(M, counted(7));
    repository.commit('ours');
    const { clean, said } = repository.merge('theirs');
    expect([clean, said]).toEqual([false, expect.stringContaining('CONFLICT (modify/delete)')]);
    expect([repository.read(M), existsSync(join(repository.memory, 'feedback/n.toml'))]).toEqual([counted(7), false]);
  });

  test('a file that is no memory is merged line by line as git would', () => {
    const broken = (n: string) => `situation = "no end\n\n\n\n${n}\n`;
    const files = { [M]: broken('a'), 'notes.toml': 'a = 1\n\n\n\nb = 1\n' };
    const repository = memoryRepository(files);
    twoBranches(
      repository,
      { [M]: broken('b'), 'notes.toml': 'a = 2\n\n\n\nb = 1\n' },
      { [M]: broken('c'), 'notes.toml': 'a = 1\n\n\n\nb = 2\n' },
    );
    const { clean, said } = repository.merge('theirs');
    expect([clean, said]).toEqual([
      false,
      expect.stringContaining(`engram: ${M}: merged line by line: base is no memory`),
    ]);
    expect(repository.read(M)).toBe(broken('<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs'));
    expect(repository.read('notes.toml')).toBe('a = 2\n\n\n\nb = 2\n');
  });
});

describe('SY-46: the driver wherever it stands', () => {
  /** A copy of the built program at a place of its own, with all it needs. */
  function installedAt(directory: string): string {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    mkdirSync(directory, { recursive: true });
    cpSync(dirname(BIN), join(directory, 'dist'), { recursive: true });
    for (const name of ['node_modules', 'migrations', 'models', 'package.json'])
      symlinkSync(join(root, name), join(directory, name));
    return join(directory, 'dist/engram.cjs');
  }

  function setUpFrom(program: string, home: string) {
    const repository = memoryRepository({ [M]: counted(6) }, { driver: false, home });
    const env = { PATH: process.env.PATH ?? '', HOME: home };
    execFileSync(process.execPath, [program, 'setup', 'git'], { env });
    expect(repository.git('config', 'merge.engram.driver')).toContain('/dist/engram.cjs');
    expect(repository.git('config', 'merge.engram.driver')).not.toContain(BIN);
    repository.commit('attributes');
    return repository;
  }

  test.each(['it\'s 100% "here" $HOME', 'plain'])('its path and that of the memories may be any: %s', (name) => {
    const home = join(temporaryDirectory(), name);
    mkdirSync(home);
    const repository = setUpFrom(installedAt(join(home, 'the program')), home);
    const path = `feedback/it's "one" $x %A.toml`;
    repository.git('mv', M, path);
    repository.commit('renamed');
    twoBranches(repository, { [path]: counted(7) }, { [path]: counted(8) });
    expect(repository.merge('theirs').clean).toBe(true);
    expect(repository.read(path)).toBe(counted(9));
  });

  test('engram gone: git merges line by line and says what would help; nothing is lost', () => {
    const home = temporaryDirectory();
    const place = join(home, 'program');
    const repository = setUpFrom(installedAt(place), home);
    renameSync(place, join(home, 'elsewhere'));
    twoBranches(repository, { [M]: counted(7), 'feedback/n.toml': 'x' }, { [M]: counted(8, { action: '"theirs"' }) });
    const { clean, said } = repository.merge('theirs');
    expect(clean).toBe(false);
    expect(said).toContain('git does it line by line; if engram moved: engram setup git');
    const marked = '<<<<<<< ours\nsurfaced_count = 7\n=======\nsurfaced_count = 8\n>>>>>>> theirs\n';
    expect(repository.read(M)).toBe(counted(0, { action: '"theirs"' }).replace('surfaced_count = 0\n', marked));
    repository.git('merge', '--abort');
    // Set up again, it counts.
    expect(repository.engram('setup', 'git').stdout).toMatch(/^replaced +merge\.engram\.driver/m);
    expect(repository.merge('theirs').clean).toBe(true);
    expect(repository.read(M)).toBe(counted(9, { action: '"theirs"' }));
  });

  test('a node that cannot run it is as good as none', () => {
    const repository = memoryRepository({ [M]: counted(6) });
    const line = repository.git('config', 'merge.engram.driver').trim();
    const fake = join(repository.home, 'node');
    writeFileSync(fake, '#!/bin/sh\necho "a message"\nexit 1\n');
    chmodSync(fake, 0o755);
    repository.git('config', 'merge.engram.driver', line.replace(/'[^']*node'/, `'${fake}'`));
    twoBranches(repository, { [M]: counted(7) }, { [M]: counted(6, { action: '"theirs"' }) });
    expect(repository.merge('theirs').clean).toBe(true);
    expect(repository.read(M)).toBe(counted(7, { action: '"theirs"' }));
  });
});

describe('engram merge-file', () => {
  function three(base: string, ours: string, theirs: string) {
    const directory = temporaryDirectory();
    for (const [name, text] of Object.entries({ base, ours, theirs })) writeFileSync(join(directory, name), text);
    const home = join(directory, 'home');
    mkdirSync(home);
    return { directory, home };
  }

  test('needs no data root and no settings, makes none, and leaves the other files alone', () => {
    const { directory, home } = three(counted(6), counted(7), counted(8));
    const env = { ENGRAM_DATA_DIR: '/dev/null/nowhere', ENGRAM_QUERY_LIMIT: 'wrong' };
    const ran = runEngram(home, ['merge-file', 'base', 'ours', 'theirs'], { cwd: directory, env });
    expect(ran).toEqual({ status: 0, stdout: 'clean\n', stderr: '' });
    expect(readdirSync(directory).sort()).toEqual(['base', 'home', 'ours', 'theirs']);
    expect(readdirSync(home)).toEqual([]);
    const texts = ['base', 'ours', 'theirs'].map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(texts).toEqual([counted(6), counted(9), counted(8)]);
  });

  test('says how it went in JSON, with marks as long as asked for', () => {
    const { directory, home } = three(counted(6), counted(6, { action: '"a"' }), counted(6, { action: '"b"' }));
    const args = ['merge-file', 'base', 'ours', 'theirs', '--marker-size', '9', '--json', '--quiet'];
    const { status, stdout, stderr } = runEngram(home, args, { cwd: directory });
    expect([status, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toEqual({
      result: 'conflict',
      merged_by: 'fields',
      reason: null,
      clashes: ['action'],
      decided: [],
    });
    expect(readFileSync(join(directory, 'ours'), 'utf8')).toMatch(/^<<<<<<<<< ours$/m);
    expect(
      runEngram(home, ['merge-file', 'base', 'ours', 'theirs', '--marker-size', 'x'], { cwd: directory }).status,
    ).toBe(2);
  });

  test('a key that both sides added, at two levels: one count at both', () => {
    const without = feedbackText().replace('missed_count = 0\n', '');
    const { directory, home } = three(
      without,
      `missed_count = 1\n${without}`,
      without.replace('[content]\n', '[content]\nmissed_count = 2\n'),
    );
    const { status, stdout } = runEngram(home, ['merge-file', 'base', 'ours', 'theirs'], { cwd: directory });
    expect([status, stdout]).toEqual([0, 'clean\n']);
    expect(readFileSync(join(directory, 'ours'), 'utf8')).toBe(
      `missed_count = 3\n${without.replace('[content]\n', '[content]\nmissed_count = 3\n')}`,
    );
  });

  test('a key that both sides added at two places of one level is for a person, with both values', () => {
    const without = feedbackText().replace('missed_count = 0\n', '');
    const { directory, home } = three(
      without,
      `missed_count = 1\n${without}`,
      without.replace('situation =', 'missed_count = 2\nsituation ='),
    );
    const { status, stdout, stderr } = runEngram(home, ['merge-file', 'base', 'ours', 'theirs'], { cwd: directory });
    expect([status, stdout]).toEqual([1, 'conflict\n']);
    expect(stderr).toBe('engram: ours: merged line by line: both sides added the same key, at different places\n');
    expect(readFileSync(join(directory, 'ours'), 'utf8').match(/missed_count = ./g)).toEqual([
      'missed_count = 1',
      'missed_count = 2',
    ]);
  });

  test('comments that clash are a conflict of lines, and said to be one', () => {
    const line = (comment: string) => feedbackText().replace('core = false', `core = false # ${comment}`);
    const { directory, home } = three(line('a'), line('b'), line('c'));
    const { status, stdout, stderr } = runEngram(home, ['merge-file', 'base', 'ours', 'theirs'], { cwd: directory });
    expect([status, stdout, stderr]).toEqual([1, 'conflict\n', 'engram: ours: both sides changed the same lines\n']);
    expect(readFileSync(join(directory, 'ours'), 'utf8')).toContain(
      '<<<<<<< ours\ncore = false # b\n=======\ncore = false # c\n>>>>>>> theirs\n',
    );
  });

  test('no room for its work: an error, no word on stdout, and ours stays', () => {
    const { directory, home } = three(counted(6), counted(6, { action: '"a"' }), counted(6, { action: '"b"' }));
    const ran = runEngram(home, ['merge-file', 'base', 'ours', 'theirs', '--json'], {
      cwd: directory,
      env: { TMPDIR: join(directory, 'missing') },
    });
    expect([ran.status, ran.stdout, JSON.parse(ran.stderr).error.code]).toEqual([1, '', 'file.write']);
    expect(readFileSync(join(directory, 'ours'), 'utf8')).toBe(counted(6, { action: '"a"' }));
  });

  test('two files are not enough, four too many', () => {
    const { directory, home } = three(counted(6), counted(7), counted(8));
    for (const files of [
      ['base', 'ours'],
      ['base', 'ours', 'theirs', 'base'],
    ]) {
      const { status, stderr } = runEngram(home, ['merge-file', ...files], { cwd: directory });
      expect([status, stderr]).toEqual([2, expect.stringContaining('three files are needed')]);
    }
  });

  test.each([
    [
      'a file that is not there',
      ['base', 'ours', 'missing'],
      'THEIRS: missing does not exist; an empty file stands for nothing',
    ],
    ['a directory', ['base', 'ours', '.'], 'THEIRS: . is a directory; a file is needed'],
  ])('SY-46: %s is one line and exit 2, and ours stays', (_, files, message) => {
    const { directory, home } = three(counted(6), counted(7), counted(8));
    const { status, stdout, stderr } = runEngram(home, ['merge-file', ...files], { cwd: directory });
    expect([status, stdout, stderr.split('\n')[0]]).toEqual([2, '', `engram: ${message}`]);
  });
});
