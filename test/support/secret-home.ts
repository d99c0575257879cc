import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type RunOptions, runEngram } from './engram.ts';
import { databaseOf } from './sqlite-shell.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A home with a store, and the files in it that hold a secret on purpose. */
export function home() {
  const directory = temporaryDirectory();
  const root = join(directory, '.local/share/engram');
  const env = { ENGRAM_EMBED_PROVIDER: 'none', TMPDIR: join(directory, 'tmp') };
  mkdirSync(env.TMPDIR);
  mkdirSync(join(root, 'memory/feedback'), { recursive: true, mode: 0o700 });
  mkdirSync(join(root, 'memory/facts'), { mode: 0o700 });
  const run = (args: readonly string[], options: RunOptions = {}) =>
    runEngram(directory, args, { ...options, env: { ...env, ...options.env } });
  const file = (path: string) => join(root, 'memory', path);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(file(path)), { recursive: true });
    writeFileSync(file(path), text, { mode: 0o600 });
  };
  return { directory, root, env, run, file, put, database: databaseOf(root) };
}

/** What a command said, with nothing of the secret in it. */
export function saysNothing(ran: { readonly stdout: string; readonly stderr: string }, secret: string): void {
  expect(ran.stdout + ran.stderr).not.toContain(secret.slice(4, 16));
}
