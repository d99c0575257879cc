import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BIN } from '../support/engram.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-stdin-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command whose stdin never ends: `y` lines as fast as they are read. */
function withEndlessInput(...args: readonly string[]): Promise<{ status: number | null; stderr: string }> {
  const command = `yes | "${process.execPath}" "${BIN}" ${args.join(' ')}; exit "\${PIPESTATUS[1]}"`;
  const child = spawn('bash', ['-c', command], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    timeout: 20_000,
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stderr })));
}

it('SE-2: query - stops reading after 1 MiB and answers', async () => {
  expect(await withEndlessInput('query', '-')).toMatchObject({ status: 3 });
});

it.each([[['learn', 'feedback']], [['edit', 'a']]])('%j refuses more than 1 MiB of JSON', async (args) => {
  expect(await withEndlessInput(...args)).toEqual({
    status: 2,
    stderr: expect.stringMatching(/^engram: stdin holds more than 1 MiB\n {2}.*\n$/),
  });
});
