import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A home with one memory file. */
function homeWith(text: string) {
  const directory = temporaryDirectory();
  const file = join(directory, '.local/share/engram/memory/feedback/a.toml');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  return { file, run: (...args: readonly string[]) => runEngram(directory, args) };
}

test('MF-24, MF-27: notes and waiting counts are in text and JSON, and the exit status is 0', () => {
  const { run } = homeWith(feedbackText({ surfaced_count: '-3' }));
  expect(run('db', 'sync').status).toBe(0);
  expect(run('outcome', 'a', 'surfaced').stdout).toContain('the count waits in the database');
  const { status, stdout } = run('db', 'status');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^notes +1$/m);
  expect(stdout).toMatch(/^note {2}feedback\/a\.toml: surfaced_count: no whole number/m);
  expect(stdout).toMatch(/^waiting {2}feedback\/a: surfaced_count \(.*feedback\/a\.toml\)$/m);
  expect(JSON.parse(run('db', 'status', '--json').stdout)).toMatchObject({
    notes: [{ path: 'feedback/a.toml', key: 'surfaced_count' }],
    waiting: [{ name: 'feedback/a', keys: ['surfaced_count'], reason: 'unusable-value' }],
  });
});

test('MF-24: pin says what is to be repaired, and where', () => {
  const text = feedbackText({ core: '"yes"' });
  const { file, run } = homeWith(text);
  const { status, stderr } = run('pin', 'a');
  expect(status).toBe(1);
  const line = text.split('\n').indexOf('core = "yes"') + 1;
  expect(stderr).toContain(`the value of core at feedback/a.toml:${line} cannot be used`);
  expect(stderr).toContain('Repair the value of core in feedback/a.toml, then try again.');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('MF-23: one file that nests without end fails no command, and is named', () => {
  const { file, run } = homeWith(feedbackText());
  writeFileSync(join(dirname(file), 'deep.toml'), `${feedbackText()}\n[${Array(2_000).fill('a').join('.')}]\n`);
  const { status, stdout } = run('db', 'sync');
  expect(status).toBe(6);
  expect(stdout).toContain('nested deeper than 100 levels');
  expect(run('show', 'a').status).toBe(0);
});
