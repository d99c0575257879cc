import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { runEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-hints-'));
  const directory = join(home, '.local/share/engram/memory/feedback');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'a.toml'), feedbackText());
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it.each([
  [['query', 'x', '--limit', '0'], '--limit must be', 'Run: engram query --help'],
  [['context', '--bytes', '10'], '--bytes must be', 'Run: engram context --help'],
  [['edit', 'a', '--subject', 'x'], 'subject does not belong', 'Run: engram edit --help'],
  [['edit', 'a', '--action', ''], 'action must not be empty', 'Run: engram edit --help'],
  [['edit', 'a', '--scoped', '--everywhere'], '--scoped and --everywhere', 'Run: engram edit --help'],
  [['learn', 'feedback', '--action', 'x'], 'situation is missing', 'Run: engram learn feedback --help'],
  [['show', 'a/b'], 'not a memory name', 'A name is feedback/<slug> or facts/<slug>; engram list shows them.'],
  [['show', 'feedback/a/b'], 'not a memory name', 'A name is feedback/<slug> or facts/<slug>; engram list shows them.'],
])('%j says what to do next', (args, message, hint) => {
  const { status, stdout, stderr } = runEngram(home, args);
  expect({ status, stdout, lines: stderr.split('\n') }).toEqual({
    status: 2,
    stdout: '',
    lines: [expect.stringContaining(message), `  ${hint}`, ''],
  });
});

test('an endless word is cut in the notes of a query', () => {
  const { stderr } = runEngram(home, ['query', `zzq${'x'.repeat(300)}`]);
  expect(stderr).toContain('zzqxxx');
  expect(stderr).not.toContain('x'.repeat(60));
});
