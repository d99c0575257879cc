import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { BIN, type RunOptions, runEngram } from '../support/engram.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const engram = (args: readonly string[], options?: RunOptions) => runEngram(home, args, options);

test('--version and --help print to stdout and exit 0', () => {
  expect(engram(['--version'])).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
  expect(engram(['--help'])).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('Usage: engram') });
});

describe('a wrong call exits 2, prints nothing to stdout and says what was meant', () => {
  it.each([
    [['confg'], "unknown command 'confg'", 'Did you mean config?'],
    [['db', 'pth'], "unknown command 'pth'", 'Did you mean path?'],
    [['config', '--jsno'], "unknown option '--jsno'", 'Did you mean --json?'],
    [['constructor'], "unknown command 'constructor'", 'Run: engram --help'],
    [['xyzzy'], "unknown command 'xyzzy'", 'Run: engram --help'],
    [['--data-dir'], 'option', 'Run: engram --help'],
    [['db', 'path', 'extra'], 'too many arguments', 'Run: engram db path --help'],
    [['conflicts', 'resolve', '3'], 'give either --take or --keep', 'Run: engram conflicts resolve --help'],
    [['db', 'xyzzy'], "unknown command 'xyzzy'", 'Run: engram db --help'],
    [['help', 'confg'], "unknown command 'confg'", 'Did you mean config?'],
    [['help', 'db', 'pth'], "unknown command 'pth'", 'Did you mean path?'],
    [['confg', '--help'], "unknown command 'confg'", 'Did you mean config?'],
  ])('%j', (args, message, hint) => {
    const { status, stdout, stderr } = engram(args);
    expect({ status, stdout, lines: stderr.split('\n') }).toEqual({
      status: 2,
      stdout: '',
      lines: [expect.stringContaining(`engram: ${message}`), `  ${hint}`, ''],
    });
  });

  it.each([[[]], [['db']]])('no command: %j prints the help to stderr', (args) => {
    expect(engram(args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Commands:') });
  });

  it.each([
    [[], 'Run: engram --help'],
    [['db'], 'Run: engram db --help'],
  ])('no command with --json: %j', (args, hint) => {
    const { status, stdout, stderr } = engram([...args, '--json']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'usage', message: 'a command is missing', hint, exit: 2 },
    });
  });

  test('with --json the error is an object on stderr', () => {
    const { status, stdout, stderr } = engram(['confg', '--json']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'usage',
        message: "unknown command 'confg'",
        hint: 'Did you mean config?',
        exit: 2,
        retryable: false,
      },
    });
  });

  test('an EngramError too keeps its code', () => {
    const { status, stderr } = engram(['project', 'show', '--project', '', '--json']);
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'project.invalid', hint: expect.any(String) } });
  });
});

test.each([
  [['help', 'db', 'sync'], 'Usage: engram db sync'],
  [['--data-dir', 'x', 'help', 'db', 'sync'], 'Usage: engram db sync'],
  [['--help', 'query'], 'Usage: engram query'],
  [['help', 'query'], 'Usage: engram query'],
  [['help', 'db'], 'Usage: engram db'],
  [['help'], 'Usage: engram [options]'],
])('%j shows the help that was asked for', (args, usage) => {
  expect(engram(args)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining(usage) });
});

test('global options are taken before and after the command', () => {
  const expected = `{"path":"${join(home, 'here/engram.db')}"}\n`;
  expect(engram(['--json', '--data-dir', 'here', 'db', 'path']).stdout).toBe(expected);
  expect(engram(['db', 'path', '--data-dir', 'here', '--json']).stdout).toBe(expected);
  expect(engram(['db', '--json', 'path', '--data-dir=here']).stdout).toBe(expected);
});

test('db path makes nothing', () => {
  expect(engram(['db', 'path']).stdout).toBe(`${join(home, '.local/share/engram/engram.db')}\n`);
  expect(readdirSync(home)).toEqual([]);
});

test('config prints each value and where it comes from, in text and as JSON', () => {
  mkdirSync(join(home, '.config/engram'), { recursive: true });
  writeFileSync(join(home, '.config/engram/config.toml'), 'context_bytes = 9000\n');
  const env = { ENGRAM_QUERY_LIMIT: '3', ENGRAM_DATADIR: '/x' };
  const { stdout } = engram(['config', '--data-dir', '/data'], { env });
  expect(stdout).toMatch(/^data_dir +\/data +flag --data-dir$/m);
  expect(stdout).toMatch(/^query_limit +3 +environment ENGRAM_QUERY_LIMIT$/m);
  expect(stdout).toMatch(/^context_bytes +9000 +config file .*config\.toml$/m);
  expect(stdout).toMatch(/^color +auto +default$/m);
  expect(stdout).toContain('unknown variable ENGRAM_DATADIR; did you mean ENGRAM_DATA_DIR?');
  expect(JSON.parse(engram(['config', '--json'], { env }).stdout)).toMatchObject({
    file_exists: true,
    settings: expect.arrayContaining([
      { name: 'query_limit', value: 3, from: 'environment', source: 'ENGRAM_QUERY_LIMIT' },
    ]),
    unknown_variables: [{ name: 'ENGRAM_DATADIR', suggestion: 'ENGRAM_DATA_DIR' }],
  });
});

test('Q28: project show names the project and how it was found, and keeps the name', () => {
  const cwd = join(home, 'My Shop');
  mkdirSync(cwd);
  spawnSync('git', ['init', '-q'], { cwd });
  const shown = (...args: string[]) => JSON.parse(engram(['project', 'show', '--json', ...args], { cwd }).stdout);
  expect(shown()).toMatchObject({ name: 'my-shop', found_by: 'work-tree' });
  expect(shown()).toMatchObject({ name: 'my-shop', found_by: 'binding' });
  expect(shown('--project', 'Other')).toMatchObject({ name: 'other', found_by: 'flag' });
  expect(engram(['project', 'show'], { cwd }).stdout).toMatch(/^my-shop\nfound by +stored for this repository\n/);
});

test('colours appear only where they are asked for', () => {
  const escapeSequence = '\u001b[';
  expect(engram(['config']).stdout).not.toContain(escapeSequence);
  expect(engram(['config'], { env: { ENGRAM_COLOR: 'always' } }).stdout).toContain(escapeSequence);
  expect(engram(['config', '--no-color'], { env: { ENGRAM_COLOR: 'always' } }).stdout).not.toContain(escapeSequence);
});

test('a reader that goes away is no failure', () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `"${process.execPath}" "${BIN}" --help | true; exit "\${PIPESTATUS[0]}"`],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', HOME: home },
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('a working directory that was removed is said in one line', () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `mkdir gone; cd gone; rmdir ../gone; "${process.execPath}" "${BIN}" project show`],
    {
      encoding: 'utf8',
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home },
    },
  );
  expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 2 });
  expect(stderr).toMatch(/^engram: the working directory .*does not exist.*\n {2}.*cd /);
});

test.runIf(existsSync('/dev/full'))('output to a full disk is said in one line with what to do', () => {
  const { status, stderr } = spawnSync('bash', ['-c', `"${process.execPath}" "${BIN}" config > /dev/full`], {
    encoding: 'utf8',
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home },
  });
  expect(status).toBe(1);
  expect(stderr).toBe('engram: stdout cannot be written: the disk is full\n  Free some space, then run it again.\n');
});

test('Ctrl-C ends a command that waits for its input with 130', async () => {
  const child = spawn(process.execPath, [BIN, 'learn', 'feedback'], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
  });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  // More than a pipe holds: when it is written, the command is reading.
  await new Promise((resolve) => child.stdin.write(' '.repeat(1 << 20), resolve));
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
});

describe('SY-65: the native part of better-sqlite3', () => {
  /** The package as it is installed: `dist` and `migrations` beside the packages it needs. */
  function installed(): string {
    const root = join(home, 'node_modules/engram');
    for (const part of ['dist', 'migrations', 'package.json']) {
      cpSync(join(dirname(BIN), '..', part), join(root, part), { recursive: true });
    }
    for (const name of ['drizzle-orm', 'better-sqlite3']) {
      const from = join(dirname(BIN), '../node_modules', name);
      if (name === 'better-sqlite3')
        cpSync(from, join(home, 'node_modules', name), {
          recursive: true,
          filter: (path) => !/\/(deps|src)$/.test(path),
        });
      else symlinkSync(from, join(home, 'node_modules', name));
    }
    return root;
  }

  test('is found, and the migrations too, wherever the package is installed', () => {
    const root = installed();
    const ran = spawnSync(
      process.execPath,
      [join(root, 'dist/engram.cjs'), 'project', 'show', '--data-dir', join(home, 'data')],
      {
        encoding: 'utf8',
        cwd: home,
        env: { PATH: process.env.PATH ?? '', HOME: home },
      },
    );
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(home, 'data/engram.db'))).toBe(true);
  });

  it.each([
    ['missing', (file: string) => rmSync(file), 'its install script did not run'],
    ['not loadable', (file: string) => writeFileSync(file, 'no library'), 'cannot be loaded'],
  ])('that is %s gets one line with the way out', (_, spoil, message) => {
    const root = installed();
    spoil(join(home, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/engram.cjs'), 'project', 'show'], {
      encoding: 'utf8',
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home },
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('npm install -g --allow-scripts=better-sqlite3');
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });
});
