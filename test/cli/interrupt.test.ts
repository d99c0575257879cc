import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BIN, runEngram } from '../support/engram.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';

const COUNT = 2_000;
/** Vectors would take longer than everything that is tested here. */
const WORDS_ALONE = { ENGRAM_EMBED_PROVIDER: 'none' };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-cli-'));
  mkdirSync(join(home, 'store/memory/feedback'), { recursive: true });
  for (let at = 0; at < COUNT; at += 1) {
    writeFileSync(join(home, `store/memory/feedback/m${at}.toml`), feedbackText({ action: `"Do ${at}"` }));
  }
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Interrupts `db sync` once `isTime` says so; resolves with what a shell shows as its status. */
async function interrupted(isTime: () => boolean): Promise<number> {
  const command = `"${process.execPath}" "${BIN}" db sync --data-dir store & child=$!; echo $child; wait $child; echo "status $?"`;
  const bash = spawn('bash', ['-c', command], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...WORDS_ALONE },
  });
  let output = '';
  bash.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const end = new Promise((resolve) => bash.on('close', resolve));
  while (!/^\d+\n/.test(output) || !isTime()) {
    if (output.includes('status')) throw new Error(`ended before it was interrupted: ${output}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // A job in the background of a shell ignores SIGINT unless the program asks for it, as engram does.
  process.kill(Number(/^\d+/.exec(output)?.[0]), 'SIGINT');
  await end;
  return Number(/status (\d+)/.exec(output)?.[1]);
}

const database = () => join(home, 'store/engram.db');
const rowCount = () => {
  try {
    return Number(shell(database(), 'SELECT count(*) FROM memories;'));
  } catch {
    return 0;
  }
};

test('Ctrl-C in the middle of a long sync exits 130 and leaves a store that the next sync completes', async () => {
  expect(await interrupted(() => rowCount() > 0)).toBe(130);
  const rows = rowCount();
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThan(COUNT);
  expect(shell(database(), 'PRAGMA integrity_check;').trim()).toBe('ok');
  const sync = runEngram(home, ['db', 'sync', '--data-dir', 'store', '--json'], { env: WORDS_ALONE });
  expect({ status: sync.status, imported: JSON.parse(sync.stdout).imported }).toEqual({
    status: 0,
    imported: COUNT - rows,
  });
  expect(rowCount()).toBe(COUNT);
  expect(runEngram(home, ['db', 'sync', '--data-dir', 'store'])).toMatchObject({
    stdout: expect.stringContaining('nothing to do'),
  });
  const litter = readdirSync(join(home, 'store'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /tmp|\.lock$/.test(name),
  );
  expect(litter.filter((name) => name !== 'open.lock')).toEqual([]);
}, 60_000);
