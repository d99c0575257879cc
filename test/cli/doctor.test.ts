import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { examineMachine, type Machine, thisMachine } from '../../src/cli/doctor/machine.ts';
import { heartbeatPath } from '../../src/files/heartbeat.ts';
import { BIN, runEngram } from '../support/engram.ts';
import { git } from '../support/git.ts';
import { makeOlderDatabase } from '../support/older-database.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

interface Finding {
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
  readonly next: string;
}

/** A home with a data root in it, and the ways to use them. */
function newHome() {
  const home = temporaryDirectory();
  const root = join(home, '.local/share/engram');
  const file = (name: string) => join(root, `memory/feedback/${name}.toml`);
  const write = (name: string, text = feedbackText()) => {
    mkdirSync(dirname(file(name)), { recursive: true, mode: 0o700 });
    writeFileSync(file(name), text, { mode: 0o600 });
  };
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runEngram(home, args, { env });
  const doctor = (env: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = run(['doctor', '--json'], env);
    const { findings, notes, trial } = JSON.parse(stdout === '' ? '{}' : stdout) as {
      findings: Finding[];
      notes: string[];
      trial: { step: string; problem: string | null }[];
    };
    return { status, stderr, findings, notes, trial };
  };
  return { home, root, file, write, run, doctor };
}

/** Everything below a directory: bytes and times of files, modes. */
function everythingBelow(directory: string): unknown[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const { mode, mtimeMs, ino } = lstatSync(path);
      const isFile = lstatSync(path).isFile();
      return { name, mode, ino, ...(isFile ? { mtimeMs, bytes: readFileSync(path).toString('base64') } : {}) };
    });
}

test('SY-67: a store that is well is clean, the whole loop works, and nothing in it changes', () => {
  const { root, write, run, doctor } = newHome();
  write('a');
  expect(run(['db', 'sync']).status).toBe(0);
  expect(run(['db', 'sync']).status).toBe(0);
  const before = everythingBelow(root);
  const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('engram-doctor-'));
  const scratch = temporary();
  const { status, findings, trial } = doctor();
  expect(findings).toEqual([]);
  expect(status).toBe(0);
  expect(trial).toEqual(
    ['learn', 'sync', 'words', 'meaning', 'edit', 'outcome', 'forget', 'restore'].map((step) => ({
      step,
      problem: null,
    })),
  );
  expect(everythingBelow(root)).toEqual(before);
  expect(temporary().filter((name) => !scratch.includes(name))).toEqual([]);
  expect(run(['doctor']).stdout).toMatch(/^clean$/m);
});

test('SE-29: it says that the built-in model is for English, and of no other', () => {
  const { doctor } = newHome();
  expect(doctor().notes.join('\n')).toContain('the built-in model is for English');
  expect(doctor({ ENGRAM_EMBED_PROVIDER: 'none' }).notes.join('\n')).not.toContain('English');
});

test('without a store it tries the loop all the same, and makes none', () => {
  const { home, doctor } = newHome();
  const { status, notes, trial } = doctor();
  expect(status).toBe(0);
  expect(notes.join('\n')).toContain('there is no store at');
  expect(trial).toHaveLength(8);
  expect(readdirSync(home)).toEqual([]);
});

test('a root without a database, and one with an older database, are left as they are', () => {
  const { root, write, doctor } = newHome();
  write('a');
  let before = everythingBelow(root);
  expect(doctor()).toMatchObject({ status: 0, notes: [expect.stringContaining('no database yet'), expect.anything()] });
  expect(everythingBelow(root)).toEqual(before);
  makeOlderDatabase(root);
  before = everythingBelow(root);
  expect(doctor()).toMatchObject({ status: 0, notes: [expect.stringContaining('migrates'), expect.anything()] });
  expect(everythingBelow(root)).toEqual(before);
});

test.skipIf(process.getuid?.() !== 0)(
  'SY-59: a root that cannot be written is named, and nothing in it changes',
  () => {
    const { home, root, write, run } = newHome();
    write('a');
    expect(run(['db', 'sync']).status).toBe(0);
    for (const path of [
      home,
      join(home, '.local'),
      join(home, '.local/share'),
      root,
      join(root, 'memory'),
      dirname(join(root, 'memory/feedback/a')),
    ])
      chmodSync(path, 0o755);
    const before = everythingBelow(root);
    const ran = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, BIN, 'doctor', '--json'], {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', HOME: home },
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe('');
    expect(JSON.parse(ran.stdout).findings).toMatchObject([{ kind: 'root', subject: root }]);
    expect(ran.status).toBe(1);
    expect(everythingBelow(root)).toEqual(before);
  },
);

test.each([
  [
    'a file that is broken',
    'quarantined',
    'feedback/b.toml',
    ({ write, run }) => {
      write('b', 'situation = "');
      run(['db', 'sync']);
    },
  ],
  ['a file that was edited', 'not-synced', '1 files', ({ write }) => write('a', feedbackText({ action: '"Another"' }))],
  ['a file that others may write', 'mode', 'feedback/a.toml', ({ file }) => chmodSync(file('a'), 0o666)],
  [
    'a lock that nobody holds',
    'stale-lock',
    'feedback/a.toml.lock',
    ({ file }) => {
      writeFileSync(`${file('a')}.lock`, '');
      utimesSync(`${file('a')}.lock`, 1, 1);
    },
  ],
  [
    'a watcher that is silent',
    'watcher',
    'engram watch (process 2147483646)',
    ({ root }) => {
      const path = heartbeatPath(root);
      writeFileSync(path, JSON.stringify({ pid: 2147483646, command: 'engram watch', mode: 'live', selfTest: null }));
      utimesSync(path, 1, 1);
    },
  ],
  [
    'a watcher to which no events come',
    'watcher',
    'engram watch (process 7)',
    ({ root }) => {
      const path = heartbeatPath(root);
      const selfTest = { atMs: 1, passed: false };
      writeFileSync(path, JSON.stringify({ pid: 7, command: 'engram watch', mode: 'degraded', selfTest }));
      // However long this test takes, it gave a sign of life just now.
      utimesSync(path, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    },
  ],
  [
    'rows that a shell deleted in large numbers',
    'held',
    'feedback/m1',
    ({ root, write, run }) => {
      for (let at = 0; at < 60; at += 1) write(`m${at}`, feedbackText({ situation: `"When handling case ${at}"` }));
      run(['db', 'sync']);
      shell(join(root, 'engram.db'), "DELETE FROM memories WHERE name LIKE 'feedback/m%';");
      run(['db', 'sync']);
    },
  ],
  [
    'an index that lost its words',
    'full-text',
    'fts_prose',
    ({ root }) => shell(join(root, 'engram.db'), 'DELETE FROM fts_prose_data WHERE id > 10;'),
  ],
] as const satisfies readonly (readonly [string, string, string, (home: ReturnType<typeof newHome>) => unknown])[])(
  'SY-66, SY-67: %s is found, with a way out',
  (_, kind, subject, harm) => {
    const home = newHome();
    const env = { ENGRAM_EMBED_PROVIDER: 'none' };
    home.write('a');
    home.run(['db', 'sync'], env);
    harm({ ...home, run: (args) => home.run(args, env) });
    const before = everythingBelow(home.root);
    const { status, findings } = home.doctor(env);
    const found = findings.find((finding) => finding.kind === kind && finding.subject.includes(subject));
    expect(found, JSON.stringify(findings)).toBeDefined();
    expect(found?.next).not.toBe('');
    expect(status).toBe(1);
    expect(home.run(['doctor'], env).stdout).toContain(`next: ${found?.next}`);
    expect(everythingBelow(home.root)).toEqual(before);
  },
  60_000,
);

test('SY-67: a damaged database is 6, and the way out is to build it anew', () => {
  const { root, write, run, doctor } = newHome();
  write('a');
  run(['db', 'sync']);
  truncateSync(join(root, 'engram.db'), 5000);
  const { status, findings } = doctor();
  expect(findings).toMatchObject([{ kind: 'integrity', next: expect.stringContaining('engram db rebuild') }]);
  expect(status).toBe(6);
});

test('a variable that looks like a setting is named, with the one that was meant', () => {
  const { status, findings } = newHome().doctor({ ENGRAM_DATADIR: '/tmp', ENGRAM_EMBED_PROVIDER: 'none' });
  expect(findings).toMatchObject([
    {
      kind: 'variable',
      subject: 'ENGRAM_DATADIR',
      message: expect.stringContaining('ENGRAM_DATA_DIR'),
      next: 'unset ENGRAM_DATADIR',
    },
  ]);
  expect(status).toBe(1);
});

test('a server that does not answer is named', () => {
  const { root, write, run, doctor } = newHome();
  write('a');
  const env = { ENGRAM_EMBED_PROVIDER: 'openai', ENGRAM_EMBED_URL: 'http://127.0.0.1:9', ENGRAM_EMBED_MODEL: 'm' };
  run(['db', 'sync'], { ENGRAM_EMBED_PROVIDER: 'none' });
  const { status, findings, trial } = doctor(env);
  expect(findings).toContainEqual(
    expect.objectContaining({
      kind: 'model',
      message: expect.stringContaining('no_model'),
      next: expect.stringContaining('embed use built-in'),
    }),
  );
  expect(status).toBe(1);
  expect(trial.map(({ step }) => step)).not.toContain('meaning');
  expect(readdirSync(root)).toContain('engram.db');
});

test('how git merges memories is said where a repository holds them', () => {
  const { root, write, run, doctor } = newHome();
  const memory = join(root, 'memory');
  write('a');
  run(['db', 'sync']);
  expect(doctor().notes.join('\n')).not.toContain('git merges');
  git(memory, 'init', '-q');
  expect(doctor().notes.join('\n')).toContain('line by line');
  writeFileSync(join(memory, '.gitattributes'), '*.toml merge=engram\n');
  expect(doctor().notes.join('\n')).toContain('its merge driver is not configured here');
  expect(run(['setup', 'git']).status).toBe(0);
  const { status, notes } = doctor();
  expect(notes.join('\n')).toContain('field by field');
  expect(status).toBe(0);
}, 60_000);

/** A copy of the package with parts that may be damaged. */
function packageCopy() {
  const copy = temporaryDirectory();
  for (const name of ['package.json', 'dist', 'models', 'migrations']) {
    cpSync(join(PACKAGE, name), join(copy, name), { recursive: true });
  }
  const modules = join(copy, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(PACKAGE, 'node_modules'))) {
    if (name !== 'better-sqlite3') symlinkSync(join(PACKAGE, 'node_modules', name), join(modules, name));
  }
  cpSync(join(PACKAGE, 'node_modules/better-sqlite3/package.json'), join(modules, 'better-sqlite3/package.json'));
  for (const name of ['lib', 'build/Release/better_sqlite3.node']) {
    cpSync(join(PACKAGE, 'node_modules/better-sqlite3', name), join(modules, 'better-sqlite3', name), {
      recursive: true,
    });
  }
  const home = temporaryDirectory();
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(copy, 'dist/engram.cjs'), ...args], {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home },
      encoding: 'utf8',
    });
  return { copy, native: join(modules, 'better-sqlite3/build/Release/better_sqlite3.node'), run };
}

/** Makes a native module one of another Node: the number stands in its data, and in the name of its entry. */
function makeForAnotherNode(path: string): void {
  const bytes = readFileSync(path);
  const version = Number(process.versions.modules);
  const name = `node_register_module_v${version}`;
  bytes.write('x', bytes.indexOf(name), 'latin1');
  for (let at = 0; at + 16 <= bytes.length; at += 8) {
    const isStart = bytes.readInt32LE(at) === version && bytes.readUInt32LE(at + 4) === 0;
    if (isStart && bytes.readBigUInt64LE(at + 8) === 0n) bytes.writeInt32LE(version - 7, at);
  }
  writeFileSync(path, bytes);
}

test('X07, SY-65: a native module of another Node is said in one line with the fix, by every command and by doctor', () => {
  const { native, run } = packageCopy();
  makeForAnotherNode(native);
  const list = run('list');
  expect(list).toMatchObject({ status: 1, stdout: '' });
  expect(list.stderr.split('\n')).toEqual([
    `engram: better-sqlite3 was built for another version of Node than ${process.version}`,
    expect.stringContaining('npm rebuild better-sqlite3'),
    '',
  ]);
  const doctor = run('doctor', '--json');
  expect(doctor).toMatchObject({ status: 1, stderr: '' });
  expect(JSON.parse(doctor.stdout)).toMatchObject({
    findings: [
      { kind: 'native-module', subject: 'better-sqlite3', next: expect.stringContaining('npm rebuild better-sqlite3') },
    ],
    status: null,
  });
}, 60_000);

test('SE-49: a damaged model is named, and what works without it is tried', () => {
  const { copy, run } = packageCopy();
  expect(
    run('learn', 'fact', '--situation', 'When asked', '--subject', 's', '--predicate', 'p', '--object', 'o').status,
  ).toBe(0);
  truncateSync(join(copy, 'models/all-minilm-l6-v2/weights.bin'), 1000);
  const later = ['--situation', 'When asked again', '--subject', 't', '--predicate', 'p', '--object', 'o'];
  expect(run('learn', 'fact', ...later).status).toBe(0);
  const { status, stdout } = run('doctor', '--json');
  expect(status).toBe(1);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  expect(findings.filter(({ kind }) => kind === 'model')).toMatchObject([
    { message: expect.stringContaining('it has 1000 bytes instead of'), next: 'npm install -g engram' },
  ]);
  // Nothing can be embedded before that, and a model that is damaged is said once.
  const vectors = findings.find(({ kind }) => kind === 'vectors');
  expect(vectors?.next).toBe('npm install -g engram; then: engram embed apply');
  expect(findings.map(({ kind }) => kind)).not.toContain('trial');
  const { trial } = JSON.parse(stdout) as { trial: { step: string; problem: string | null }[] };
  expect(trial.filter(({ problem }) => problem !== null).map(({ step }) => step)).toEqual(['meaning']);
  expect(trial.at(-1)?.step).toBe('restore');
  const shown = run('embed', 'status').stdout;
  expect(shown).toContain('once the model answers, engram embed apply adds the others');
  expect(shown).not.toContain('next: engram embed apply');
}, 60_000);

test('MF-49: files of an older layout are listed as not imported until a memory of their name has come from them', () => {
  const { home, root, write, run, doctor } = newHome();
  const env = { ENGRAM_EMBED_PROVIDER: 'none' };
  const older = [join(root, 'memories'), join(home, '.claude/engram/data/feedback')];
  for (const [at, directory] of older.entries()) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `old-${at}.toml`), feedbackText({ situation: '"When the zeppelin lands"' }));
    writeFileSync(join(directory, '.hidden.toml'), feedbackText());
    writeFileSync(join(directory, 'notes.md'), '');
  }
  const asked = run(['query', 'when the zeppelin lands'], env);
  expect(asked).toMatchObject({ status: 3, stdout: '' });
  expect(asked.stderr).toContain(
    `1 older memory in ${older[0]}: not imported; copy what you want to keep into ${root}/memory`,
  );
  const { status, findings, notes } = doctor(env);
  expect({ status, findings }).toEqual({ status: 0, findings: [] });
  expect(notes.filter((note) => note.includes('not imported'))).toHaveLength(2);
  expect(JSON.parse(run(['db', 'status', '--json'], env).stdout).not_imported).toEqual([
    { directory: older[0], files: 1 },
    { directory: join(home, '.claude/engram/data'), files: 1 },
  ]);
  expect(run(['db', 'status'], env).stdout).toContain('not imported');
  // The way out works.
  for (const at of [0, 1]) write(`old-${at}`, readFileSync(join(older[at] ?? '', `old-${at}.toml`), 'utf8'));
  const found = run(['query', 'when the zeppelin lands'], env);
  expect(found.status).toBe(0);
  expect(found.stderr).not.toContain('not imported');
  expect(JSON.parse(run(['db', 'status', '--json'], env).stdout).not_imported).toEqual([]);
  expect(doctor(env).notes).toEqual([]);
});

const well: Machine = {
  ...thisMachine,
  freeBytes: () => 1 << 30,
  networkFileSystem: () => null,
  refusalToWatch: () => null,
};

const FOUND: readonly [string, Partial<Machine>, object][] = [
  ['an old Node', { nodeVersion: '20.9.0' }, { kind: 'node', next: expect.stringContaining('20.19') }],
  ['a full disk', { freeBytes: () => 1 << 20 }, { kind: 'disk', message: '1 MiB are free' }],
  [
    'a network file system',
    { networkFileSystem: () => 'nfs4' },
    { kind: 'network', message: expect.stringContaining('nfs4') },
  ],
  [
    'inotify used up',
    { refusalToWatch: () => 'ENOSPC', watchLimits: () => ({ watches: 8192, instances: 128 }) },
    { kind: 'watch-limit', next: 'sudo sysctl fs.inotify.max_user_watches=16384' },
  ],
  [
    'no instance of inotify left',
    { refusalToWatch: () => 'EMFILE', watchLimits: () => ({ watches: 8192, instances: 128 }) },
    { kind: 'watch-limit', next: 'sudo sysctl fs.inotify.max_user_instances=2048' },
  ],
];

test.each(FOUND)('MF-42: %s is found', (_, changes, finding) => {
  expect(examineMachine({ ...well, ...changes }, '/nowhere', tmpdir())).toMatchObject([finding]);
});

test.each(['20.19.0', '22.1.0', '100.0.0'])('Node %s will do', (nodeVersion) => {
  expect(examineMachine({ ...well, nodeVersion }, '/nowhere', tmpdir())).toEqual([]);
});
