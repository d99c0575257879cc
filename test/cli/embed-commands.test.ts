import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ran, runEngram } from '../support/engram.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function home() {
  const directory = temporaryDirectory();
  const root = join(directory, '.local/share/engram');
  mkdirSync(join(root, 'memory/feedback'), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, 'memory/feedback/a.toml'), feedbackText(), { mode: 0o600 });
  writeFileSync(join(root, 'memory/feedback/b.toml'), feedbackText({ action: '"another"' }), { mode: 0o600 });
  return { root, run: (...args: readonly string[]) => runEngram(directory, args) };
}

const json = ({ stdout }: Ran) => JSON.parse(stdout) as Record<string, unknown>;

test('SE-25: db sync embeds what it took in, but a dry run embeds nothing', () => {
  const { run } = home();
  run('db', 'sync', '--dry-run');
  expect(json(run('embed', 'status', '--json'))).toMatchObject({ is_active: false, ready: 0 });
  expect(run('db', 'sync').status).toBe(0);
  expect(json(run('embed', 'status', '--json'))).toMatchObject({
    model: { provider: 'built-in', dims: 384 },
    is_active: true,
    ready: 2,
    missing: 0,
  });
});

test('SE-25: learn embeds the new memory', () => {
  const { run } = home();
  run('db', 'sync');
  const fields = ['--behavior', 'Guessed', '--impact', 'It broke', '--action', 'Ask'];
  expect(run('learn', 'feedback', '--situation', 'When in doubt', ...fields).status).toBe(0);
  expect(json(run('embed', 'status', '--json'))).toMatchObject({ ready: 3, missing: 0 });
});

test('embed apply embeds what a shell has changed, and says how many', () => {
  const { root, run } = home();
  run('db', 'sync');
  shell(databaseOf(root), `UPDATE memories SET action = 'from a shell' WHERE name = 'feedback/a'`);
  const status = run('embed', 'status');
  expect(status.status).toBe(0);
  expect(status.stdout).toMatch(/missing +1\n/);
  expect(status.stdout).toContain('next: engram embed apply');
  expect(json(run('embed', 'apply', '--json'))).toEqual({ embedded: 1, unreadable: 0, failed: 0 });
  expect(run('embed', 'apply').stdout).toBe('embedded 0\n');
});
