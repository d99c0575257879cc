import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BIN, runEngram } from './support/engram.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-build-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('building again replaces nothing and leaves the command executable', () => {
  const dist = dirname(BIN);
  const state = () =>
    readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^(engram\.cjs|cli-.*|index\.js|lazy\/.*)$/.test(name))
      .map((name) => [name, statSync(join(dist, name)).ino]);
  const before = state();
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)), '--code-only']);
  expect(state()).toEqual(before);
  expect(before.length).toBeGreaterThan(3);
  expect(statSync(BIN).mode & 0o111).toBe(0o111);
});

test('a command that only reads an existing database loads none of the heavy packages', () => {
  writeFileSync(
    join(home, 'loaded.cjs'),
    `process.on('exit', () => require('node:fs').writeSync(2, JSON.stringify(Object.keys(require('node:module')._cache))))`,
  );
  const loaded = () => {
    const { status, stderr } = runEngram(home, ['project', 'show', '--project', 'x'], {
      env: { NODE_OPTIONS: `--require ${join(home, 'loaded.cjs')}` },
    });
    expect(status).toBe(0);
    return (JSON.parse(stderr) as string[])
      .filter((path) => path.includes('/dist/lazy/'))
      .map((path) => path.replace(/.*\//, ''));
  };
  expect(loaded()).toContain('drizzle.cjs');
  expect(loaded()).toEqual([]);
});

test.each([
  ['is missing', (cache: string) => rmSync(cache)],
  ['is empty', (cache: string) => writeFileSync(cache, '')],
  ['is of another V8', (cache: string) => writeFileSync(cache, Buffer.from(readFileSync(cache)).fill(7, 0, 16))],
])('a code cache that %s changes nothing', (_, spoil) => {
  const dist = join(home, 'dist');
  cpSync(dirname(BIN), dist, { recursive: true });
  symlinkSync(join(dirname(BIN), '../node_modules'), join(home, 'node_modules'));
  const start = readFileSync(join(dist, 'engram.cjs'), 'utf8');
  spoil(join(dist, /cli-[0-9a-f]+\.cache/.exec(start)?.[0] ?? 'no cache'));
  const run = () => execFileSync(process.execPath, [join(dist, 'engram.cjs'), '--version'], { encoding: 'utf8' });
  expect(run()).toBe('0.1.0\n');
});
