#!/usr/bin/env node
// Packs the package, installs it in an empty directory as a user would, and runs the command from there: the packed files are
// enough, the migrations are found, the native part works.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'engram-smoke-'));
// The way of the README, into a directory of its own.
const install = [
  'install',
  '--global',
  '--prefix',
  directory,
  '--allow-scripts=better-sqlite3',
  '--no-audit',
  '--no-fund',
];

try {
  const [{ filename, files }] = JSON.parse(
    run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', directory),
  );
  const packed = files.map(({ path }) => path);
  check('the package has the command, the library, its types and the migrations', () =>
    ['dist/engram.cjs', 'dist/index.js', 'dist/index.d.ts', 'migrations/meta/_journal.json', 'LICENSE'].every((path) =>
      packed.includes(path),
    ),
  );
  check('the package has the built-in model, its licence and its programs', () =>
    [
      ...[
        'weights.bin',
        'vocabulary.bin',
        'directions.bin',
        'lower-centre.bin',
        'token-counts.bin',
        'LICENSE',
        'NOTICE',
      ].map((file) => `models/all-minilm-l6-v2/${file}`),
      'dist/encoder.wasm',
      'dist/late-interaction.wasm',
      'dist/nearest.wasm',
      'dist/embed-worker.cjs',
    ].every((path) => packed.includes(path)),
  );
  check('the package has no sources and no tests', () => !packed.some((path) => /^(src|test|scripts)\//.test(path)));

  run(root, 'npm', ...install, join(directory, filename));
  const engram = (...args) => run(directory, join(directory, 'bin/engram'), ...args);

  check('--version', () => /^\d+\.\d+\.\d+\n$/.test(engram('--version')));
  check('project show makes and migrates a database', () => engram('project', 'show', '--json').includes('"smoke"'));
  cpSync(join(root, 'examples/store'), join(directory, 'store'), { recursive: true });
  check('query finds a sample memory', () =>
    engram('query', 'about to regenerate the API client', '--data-dir', join(directory, 'store')).includes('regenerat'),
  );
  check('the library can be imported', () => {
    const library = pathToFileURL(join(directory, 'lib/node_modules/engram/dist/index.js'));
    const program = `import('${library}').then(({ EngramError }) => console.log(typeof EngramError))`;
    return run(directory, process.execPath, '-e', program) === 'function\n';
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function run(cwd, command, ...args) {
  // engram sees a home of its own; npm keeps the cache of whoever runs this.
  const home =
    command === 'npm' ? {} : { HOME: directory, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '', ENGRAM_PROJECT: 'smoke' };
  const env = { ...process.env, ENGRAM_DATA_DIR: '', ...home };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function check(what, holds) {
  const ok = holds();
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`);
  if (!ok) process.exitCode = 1;
}
