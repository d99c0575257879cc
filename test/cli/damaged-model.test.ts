import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the package whose model may be damaged. */
function packageCopy() {
  const copy = temporaryDirectory();
  for (const name of ['package.json', 'dist', 'models', 'migrations']) {
    cpSync(join(PACKAGE, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'));
  const home = temporaryDirectory();
  mkdirSync(join(home, '.local/share/engram'), { recursive: true, mode: 0o700 });
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(copy, 'dist/engram.cjs'), ...args], {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home },
      encoding: 'utf8',
    });
  return { weights: join(copy, 'models/all-minilm-l6-v2/weights.bin'), run };
}

const FIELDS = [
  '--situation',
  'When rotating keys',
  '--behavior',
  'a',
  '--impact',
  'b',
  '--action',
  'c',
  '--everywhere',
];

test.each([
  ['missing', (file: string) => rmSync(file), 'there is no such file'],
  ['cut off', (file: string) => truncateSync(file, 1000), 'it has 1000 bytes instead of'],
])(
  'SE-49: weights that are %s leave words, and every command says how to go on',
  (_, damage, reason) => {
    const { weights, run } = packageCopy();
    damage(weights);
    const learned = run('learn', 'feedback', ...FIELDS);
    expect(learned).toMatchObject({ status: 0, stderr: expect.stringContaining('no_model: ') });
    const query = run('query', 'rotating keys', '--json');
    expect(query.status).toBe(0);
    expect(JSON.parse(query.stdout)).toMatchObject({
      modes: ['words'],
      degraded: ['no_model'],
      hits: [{ name: 'feedback/when-rotating-keys' }],
    });
    expect(run('query', 'rotating keys').stderr).toContain('no_model');
    const status = run('db', 'status');
    expect(status.status).toBe(0);
    expect(status.stdout).toMatch(/^degraded {2}no_model: .*weights.bin.*Install the package again/m);
    expect(status.stdout).toContain(reason);
    expect(JSON.parse(run('embed', 'status', '--json').stdout).degraded.join()).toContain(reason);
    expect(run('db', 'sync')).toMatchObject({ status: 0, stderr: expect.stringContaining('no_model: ') });
    expect(run('embed', 'apply')).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
    expect(run('embed', 'use', 'built-in')).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
  },
  60_000,
);

test('a single changed byte of the weights is named by db status', () => {
  const { weights, run } = packageCopy();
  const bytes = readFileSync(weights);
  bytes[5_000_000] = (bytes[5_000_000] ?? 0) ^ 1;
  writeFileSync(weights, bytes);
  run('learn', 'feedback', ...FIELDS);
  expect(run('db', 'status').stdout).toMatch(
    /^degraded {2}no_model: .*weights.bin is damaged: its content has changed/m,
  );
}, 60_000);

test('SE-49: any file of the model that is missing leaves words, also for a question whose vector is kept', () => {
  const { weights, run } = packageCopy();
  run('learn', 'feedback', ...FIELDS);
  expect(JSON.parse(run('query', 'rotating keys', '--json').stdout).modes).toContain('fine');
  for (const name of ['token-counts.bin', 'vocabulary.bin']) {
    const file = join(weights, '..', name);
    const bytes = readFileSync(file);
    rmSync(file);
    for (const text of ['rotating keys', 'when keys are rotated']) {
      const { status, stdout } = run('query', text, '--json');
      expect({ name, status, ...JSON.parse(stdout) }).toMatchObject({
        status: 0,
        modes: ['words'],
        degraded: ['no_model'],
        hits: [{ name: 'feedback/when-rotating-keys' }],
      });
    }
    writeFileSync(file, bytes);
  }
}, 60_000);

test('SE-24, SE-49: weights that give no vector are no model', () => {
  const { weights, run } = packageCopy();
  const bytes = readFileSync(weights);
  bytes.fill(0xff, 500_000, 20_000_000);
  writeFileSync(weights, bytes);
  run('learn', 'feedback', ...FIELDS);
  expect(JSON.parse(run('query', 'rotating keys', '--json').stdout)).toMatchObject({
    modes: ['words'],
    degraded: ['no_model'],
    hits: [{ name: 'feedback/when-rotating-keys' }],
  });
  expect(run('embed', 'apply')).toMatchObject({ status: 1, stderr: expect.stringContaining('weights.bin is damaged') });
}, 60_000);
