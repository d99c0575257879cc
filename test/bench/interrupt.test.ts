import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MAIN = fileURLToPath(new URL('../../scripts/bench/main.mjs', import.meta.url));
const bench = (data: string) => spawnSync(process.execPath, [MAIN, 'interrupt', '--data', data], { encoding: 'utf8' });

test('AG-22: the bench says where the data are missing, and exits 3', () => {
  const { status, stderr } = bench(join(temporaryDirectory(), 'missing'));
  expect([status, stderr]).toEqual([3, expect.stringContaining('no set intents in')]);
});

test('AG-16, AG-22: right waits, needless waits and what a perfect judge could do, with intervals', () => {
  const data = temporaryDirectory();
  mkdirSync(join(data, 'intents'));
  const write = (file: string, lines: readonly object[]) =>
    writeFileSync(join(data, 'intents', file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  write('corpus.jsonl', [
    {
      id: 'm1',
      type: 'feedback',
      situation: 'When adding a required column to a large Postgres table',
      behavior: 'Added the column as NOT NULL with a default in one ALTER TABLE statement',
      impact: 'The table was locked for nine minutes',
      action: 'Add it nullable, backfill in batches, then set NOT NULL',
    },
  ]);
  write('queries.jsonl', [
    {
      id: 'q1',
      kind: 'near',
      text: 'Add a required column to the large Postgres table as NOT NULL with a default in one ALTER TABLE statement',
    },
    {
      id: 'q2',
      kind: 'follows',
      text: 'Add the column to the large Postgres table nullable, backfill in batches, then set NOT NULL',
    },
  ]);
  write('no_match.jsonl', [{ id: 'n1', kind: 'other', text: 'Translate the heading of the page about shipping' }]);
  writeFileSync(join(data, 'intents', 'qrels.tsv'), 'q1\tm1\t1\nq2\tm1\t1\n');
  const { status, stdout } = bench(data);
  const lines = stdout.split('\n').map((line) => line.trim().replace(/\s+/g, ' '));
  expect(lines).toContain('right wait, near 100% [21%, 100%] n 1 at least 75%');
  expect(lines).toContain('any wait, follows 0% [0%, 79%] n 1 at most 15%');
  expect(lines).toContain('any wait, no match 0% [0%, 79%] n 1 at most 0%');
  expect(lines).toContain('no distractors: the unrelated intents are left out');
  expect(status).toBe(0);
});
