import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sameSignature, signatureOf } from '../../src/files/signature.ts';
import { type StableRead, stableRead } from '../../src/files/stable-read.ts';
import { asOtherUser } from '../support/other-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const text = (read: StableRead): string | null => (read.kind === 'file' ? new TextDecoder().decode(read.bytes) : null);

test('MF-19: a file at rest is read with its signature and mode', () => {
  const file = join(temporaryDirectory(), 'm.toml');
  writeFileSync(file, 'situation = "é"\n', { mode: 0o640 });
  const read = stableRead(file);
  expect(text(read)).toBe('situation = "é"\n');
  expect(read).toMatchObject({ mode: 0o640, linked: false, handle: null, signature: signatureOf(statSync(file)) });
});

test('MF-19: an empty file is read as such, a missing one is absent', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'empty.toml'), '');
  expect(text(stableRead(join(directory, 'empty.toml')))).toBe('');
  expect(stableRead(join(directory, 'missing.toml'))).toEqual({ kind: 'absent' });
});

test('MF-19: while another process rewrites in place, a read never mixes two versions', async () => {
  const file = join(temporaryDirectory(), 'm.toml');
  const whole = 'a'.repeat(200_000);
  writeFileSync(file, whole);
  // The writer of S17: truncates, waits, writes in chunks.
  const script = `
    const { openSync, writeSync, closeSync } = require('node:fs');
    const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    process.stdout.write('x');
    for (const until = Date.now() + 1500; Date.now() < until; ) for (const letter of 'ba') {
      const file = openSync(${JSON.stringify(file)}, 'w');
      for (let chunk = 0; chunk < 4; chunk += 1) { wait(); writeSync(file, letter.repeat(50000)); }
      closeSync(file);
      wait();
    }
  `;
  const writer = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => writer.on('exit', resolve));
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  const until = performance.now() + 1000;
  const seen = new Set<string>();
  while (performance.now() < until) {
    const read = stableRead(file);
    seen.add(text(read)?.replace(/(.)\1*/gs, '$1') ?? read.kind);
  }
  writer.kill();
  await ended;
  // A pause of the writer looks like a shorter file; a mixture of two versions is never seen.
  for (const content of seen) expect(['', 'a', 'b', 'in-progress']).toContain(content);
  expect(seen.size).toBeGreaterThan(1);
});

test('MF-19: a name that changes at every look is in progress', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'm.toml');
  writeFileSync(file, 'one');
  // `size` of a file below /proc is 0, whatever a read returns: the same disagreement, without a race.
  symlinkSync('/proc/self/status', join(directory, 'odd.toml'));
  const started = performance.now();
  expect(stableRead(join(directory, 'odd.toml'))).toEqual({ kind: 'in-progress' });
  expect(performance.now() - started).toBeGreaterThanOrEqual(40);
});

test('MF-41: a kept descriptor shows what was written in place after the name moved on', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'm.toml');
  writeFileSync(file, 'read');
  const read = stableRead(file, { keepOpen: true });
  if (read.kind !== 'file' || read.handle === null) throw new Error('expected an open file');
  expect(new TextDecoder().decode(read.handle.readAgain())).toBe('read');
  appendFileSync(file, ' and edited');
  writeFileSync(join(directory, 'other'), 'new');
  renameSync(join(directory, 'other'), file);
  expect(new TextDecoder().decode(read.handle.readAgain())).toBe('read and edited');
  read.handle.close();
  read.handle.close();
});

test('MF-3: a link to a file is read and says so, with the signature of its target', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'target'), 'text');
  symlinkSync('target', join(directory, 'm.toml'));
  const read = stableRead(join(directory, 'm.toml'));
  expect(text(read)).toBe('text');
  expect(read).toMatchObject({ linked: true, signature: signatureOf(statSync(join(directory, 'target'))) });
});

test('S20: a link to nothing and a link to itself are unreadable', () => {
  const directory = temporaryDirectory();
  symlinkSync('nowhere', join(directory, 'a.toml'));
  symlinkSync('b.toml', join(directory, 'b.toml'));
  expect(stableRead(join(directory, 'a.toml'))).toMatchObject({ kind: 'unusable', reason: 'unreadable' });
  expect(stableRead(join(directory, 'b.toml'))).toMatchObject({ kind: 'unusable', reason: 'unreadable' });
});

test('MF-2: a FIFO, a socket, a device and a directory are not regular, and nothing waits for them', async () => {
  const directory = temporaryDirectory();
  const at = (name: string): string => join(directory, name);
  execFileSync('mkfifo', [at('fifo.toml')]);
  mkdirSync(at('directory.toml'));
  symlinkSync('/dev/zero', at('device.toml'));
  const server = createServer().listen(at('socket.toml'));
  await new Promise((resolve) => server.once('listening', resolve));
  const started = performance.now();
  for (const name of ['fifo.toml', 'directory.toml', 'device.toml', 'socket.toml']) {
    expect([name, stableRead(at(name))]).toEqual([
      name,
      expect.objectContaining({ kind: 'unusable', reason: 'not-regular' }),
    ]);
  }
  expect(performance.now() - started).toBeLessThan(1000);
  server.close();
});

test('S20: a file of 50 MB is too large and is not read', () => {
  const file = join(temporaryDirectory(), 'm.toml');
  writeFileSync(file, '');
  truncateSync(file, 50 * 1024 * 1024);
  const started = performance.now();
  expect(stableRead(file)).toMatchObject({ kind: 'unusable', reason: 'too-large', signature: { sizeBytes: 52428800 } });
  expect(performance.now() - started).toBeLessThan(1000);
});

test('MF-23: 1 MiB is read, one byte more is too large', () => {
  const file = join(temporaryDirectory(), 'm.toml');
  writeFileSync(file, 'x'.repeat(1024 * 1024));
  expect(stableRead(file)).toMatchObject({ kind: 'file' });
  appendFileSync(file, 'x');
  expect(stableRead(file)).toMatchObject({ kind: 'unusable', reason: 'too-large' });
});

test('MF-27: a file without read permission is unreadable, with its signature', () => {
  const file = join(temporaryDirectory(), 'm.toml');
  writeFileSync(file, 'text');
  chmodSync(file, 0);
  const read = asOtherUser(file, () => stableRead(file));
  expect(read).toMatchObject({ kind: 'unusable', reason: 'unreadable', message: 'cannot be read (EACCES)' });
  expect(read).toMatchObject({ signature: signatureOf(statSync(file)) });
});

test('MF-27: a name below a file is unreadable, not absent', () => {
  const file = join(temporaryDirectory(), 'm.toml');
  writeFileSync(file, 'text');
  expect(stableRead(join(file, 'x.toml'))).toMatchObject({ kind: 'unusable', reason: 'unreadable' });
});

test('SY-53: a signature changes with content of equal size, and with nothing else than the file', () => {
  const file = join(temporaryDirectory(), 'm.toml');
  writeFileSync(file, 'one');
  const before = signatureOf(statSync(file));
  expect(sameSignature(before, signatureOf(statSync(file)))).toBe(true);
  for (const key of ['sizeBytes', 'mtimeMs', 'ctimeMs', 'ino'] as const) {
    expect(sameSignature(before, { ...before, [key]: before[key] + 1 })).toBe(false);
  }
});
