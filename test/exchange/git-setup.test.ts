import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, type Ran, runEngram } from '../support/engram.ts';
import { git } from '../support/git.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LINE = '*.toml merge=engram\n';
const ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: '1' };

interface Place {
  readonly home: string;
  readonly memory: string;
  setup(...args: readonly string[]): Ran;
}

/** A home with one memory, under no git. */
function place(): Place {
  const home = temporaryDirectory();
  const memory = join(home, '.local/share/engram/memory');
  mkdirSync(join(memory, 'feedback'), { recursive: true, mode: 0o700 });
  writeFileSync(join(memory, 'feedback/m.toml'), feedbackText());
  return { home, memory, setup: (...args) => runEngram(home, ['setup', 'git', ...args], { env: ENVIRONMENT }) };
}

const init = (directory: string) => git(directory, '-c', 'init.defaultBranch=main', 'init', '-q');
const driver = (directory: string) => git(directory, 'config', '--local', 'merge.engram.driver');
const attribute = (memory: string) => git(memory, 'check-attr', 'merge', '--', 'feedback/m.toml').trim();
const isSetUp = (memory: string) => {
  expect(driver(memory)).toContain(`'${BIN}' merge-file `);
  expect(attribute(memory)).toBe('feedback/m.toml: merge: engram');
};

describe('SY-46: engram setup git in the repository that holds the memories', () => {
  test('its own: one line and one driver, said, and nothing the second time', () => {
    const { memory, setup } = place();
    init(memory);
    const first = setup();
    const config = join(memory, '.git/config');
    expect([first.status, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toBe(
      [
        `added  *.toml merge=engram  ${memory}/.gitattributes`,
        `set    merge.engram.driver  ${config}`,
        'commit .gitattributes; other clones need engram setup git, too\n',
      ].join('\n'),
    );
    expect(readFileSync(join(memory, '.gitattributes'), 'utf8')).toBe(LINE);
    isSetUp(memory);
    expect(git(memory, 'config', '--local', '--name-only', '--get-regexp', '^merge')).toBe(
      'merge.engram.name\nmerge.engram.driver\n',
    );
    const before = [config, join(memory, '.gitattributes')].map((path) => statSync(path).ino);
    const again = JSON.parse(setup('--json').stdout);
    expect(again).toMatchObject({
      dry_run: false,
      repository: memory,
      attributes: { path: join(memory, '.gitattributes'), line: LINE.trim(), change: 'unchanged' },
      driver: { config, line: driver(memory).trim(), change: 'unchanged' },
      merge_attribute: 'engram',
    });
    expect([config, join(memory, '.gitattributes')].map((path) => statSync(path).ino)).toEqual(before);
  });

  test('a bigger one: the line stays in the memory directory, the driver goes to that repository', () => {
    const { home, memory, setup } = place();
    init(home);
    const outer = join(home, '.gitattributes');
    writeFileSync(outer, '*.toml merge=union\n');
    expect(setup().status).toBe(0);
    isSetUp(memory);
    expect(readFileSync(outer, 'utf8')).toBe('*.toml merge=union\n');
    expect(existsSync(join(memory, '.git'))).toBe(false);
    expect(readFileSync(join(home, '.git/config'), 'utf8')).toContain('[merge "engram"]');
    expect(git(home, 'check-attr', 'merge', '--', 'other.toml')).toBe('other.toml: merge: union\n');
  });

  test('a linked work tree: the driver is that of the main repository', () => {
    const { home, memory, setup } = place();
    const main = join(home, 'main');
    renameSync(memory, main);
    init(main);
    git(main, 'add', '-A');
    git(main, 'commit', '-qm', 'start');
    git(main, 'worktree', 'add', '-q', memory, '-b', 'other');
    const report = JSON.parse(setup('--json').stdout);
    expect(report).toMatchObject({ repository: memory, driver: { config: join(main, '.git/config'), change: 'set' } });
    isSetUp(memory);
    expect(driver(main)).toBe(driver(memory));
    expect(existsSync(join(main, '.gitattributes'))).toBe(false);
  });

  test('a submodule: its own, not the one around it', () => {
    const { home, memory, setup } = place();
    const origin = join(home, 'origin');
    renameSync(memory, origin);
    init(origin);
    git(origin, 'add', '-A');
    git(origin, 'commit', '-qm', 'start');
    const around = join(home, '.local/share/engram');
    init(around);
    git(around, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'memory');
    const report = JSON.parse(setup('--json').stdout);
    expect(report).toMatchObject({
      repository: memory,
      driver: { config: join(around, '.git/modules/memory/config') },
    });
    isSetUp(memory);
    expect(() => driver(around)).toThrow();
  });

  test('a memory directory that is a link: the repository behind it', () => {
    const { home, memory, setup } = place();
    renameSync(memory, join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), memory);
    init(join(home, 'elsewhere'));
    expect(setup().status).toBe(0);
    isSetUp(join(home, 'elsewhere'));
  });

  test('the one of the memories, whatever a hook says about another', () => {
    const { home, memory } = place();
    init(memory);
    const other = join(home, 'other');
    mkdirSync(other);
    init(other);
    const env = {
      ...ENVIRONMENT,
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, 'x'),
    };
    expect(runEngram(home, ['setup', 'git'], { cwd: other, env }).status).toBe(0);
    isSetUp(memory);
    expect(() => driver(other)).toThrow();
  });
});

describe('SY-46: --dry-run and --undo', () => {
  test('--dry-run writes nothing and says what would be', () => {
    const { memory, setup } = place();
    init(memory);
    const config = readFileSync(join(memory, '.git/config'), 'utf8');
    expect(setup('--dry-run').stdout).toMatch(/^would be added .*\nwould be set .*\n$/);
    expect(readFileSync(join(memory, '.git/config'), 'utf8')).toBe(config);
    expect(existsSync(join(memory, '.gitattributes'))).toBe(false);
    setup();
    expect(setup('--undo', '--dry-run').stdout).toMatch(/^would be removed .*\nwould be removed .*\n$/);
    isSetUp(memory);
  });

  test('--undo leaves both files as they were, and other lines and settings alone', () => {
    const { memory, setup } = place();
    init(memory);
    git(memory, 'config', 'merge.other.driver', 'true');
    writeFileSync(join(memory, '.gitattributes'), '# mine\n*.png binary');
    const files = () => ['.git/config', '.gitattributes'].map((name) => readFileSync(join(memory, name), 'utf8'));
    const before = files();
    expect(setup().status).toBe(0);
    expect(files()[1]).toBe(`# mine\n*.png binary\n${LINE.trim()}`);
    expect(JSON.parse(setup('--undo', '--json').stdout)).toMatchObject({
      attributes: { change: 'removed' },
      driver: { change: 'removed' },
      merge_attribute: 'unspecified',
    });
    expect(files()).toEqual(before);
    expect(setup('--undo').stdout).toMatch(/^unchanged .*\nunchanged .*\n$/);
  });

  test('--undo removes the file that held nothing else', () => {
    const { memory, setup } = place();
    init(memory);
    setup();
    expect(setup('--undo').status).toBe(0);
    expect(existsSync(join(memory, '.gitattributes'))).toBe(false);
  });
});

describe('SY-46: what is refused', () => {
  test('no repository: git init is the next command', () => {
    const { memory, setup } = place();
    const { status, stdout, stderr } = setup();
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `engram: ${memory} lies in no work tree of git: not a git repository (or any of the parent directories): .git\n  Run: git -C ${memory} init\n`,
    );
    expect(existsSync(join(memory, '.gitattributes'))).toBe(false);
    git(memory, 'init', '-q');
    expect(setup().status).toBe(0);
  });

  test('a repository that ignores the memories, and a memory directory that is not there', () => {
    const { home, memory, setup } = place();
    init(home);
    writeFileSync(join(home, '.gitignore'), '.local/\n');
    expect(setup()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`${home} ignores ${memory}`),
    });
    rmSync(memory, { recursive: true });
    const gone = setup('--json');
    expect([gone.status, JSON.parse(gone.stderr).error.code]).toEqual([1, 'git.no-repository']);
  });

  test.each(['--local', '--global'])('a driver of the same name that is not ours (%s), also for --undo', (scope) => {
    const { home, memory, setup } = place();
    init(memory);
    const config = join(
      scope === '--local' ? join(memory, '.git') : home,
      scope === '--local' ? 'config' : '.gitconfig',
    );
    git(memory, 'config', '--file', config, 'merge.engram.driver', 'their-merge %O %A %B');
    const before = readFileSync(config, 'utf8');
    for (const args of [[], ['--undo'], ['--dry-run']]) {
      const { status, stderr } = setup(...args, '--json');
      expect([status, JSON.parse(stderr).error.code]).toEqual([1, 'git.driver-taken']);
    }
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(existsSync(join(memory, '.gitattributes'))).toBe(false);
  });

  test('a configuration that git cannot lock: git says why', () => {
    const { memory, setup } = place();
    init(memory);
    writeFileSync(join(memory, '.git/config.lock'), '');
    const { status, stderr } = setup();
    expect([status, stderr]).toEqual([1, expect.stringContaining('could not lock config file')]);
    expect(existsSync(join(memory, '.gitattributes'))).toBe(false);
  });

  test('an attribute from elsewhere that wins is named', () => {
    const { memory, setup } = place();
    init(memory);
    mkdirSync(join(memory, '.git/info'), { recursive: true });
    writeFileSync(join(memory, '.git/info/attributes'), '*.toml merge=ours\n');
    expect(setup().stdout).toContain('not in force: another line asks for merge=ours');
  });

  test('git that is not there', () => {
    const { home } = place();
    const path = join(home, 'bin');
    mkdirSync(path);
    const { status, stderr } = runEngram(home, ['setup', 'git', '--json'], { env: { PATH: path } });
    expect([status, JSON.parse(stderr).error]).toMatchObject([1, { code: 'git.failed' }]);
  });
});
