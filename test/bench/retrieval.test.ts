import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { auroc, difference, mean, percentile, share } from '../../scripts/bench/retrieval/statistics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MAIN = fileURLToPath(new URL('../../scripts/bench/main.mjs', import.meta.url));

function bench(...args: string[]) {
  return spawnSync(process.execPath, [MAIN, 'retrieval', ...args], { encoding: 'utf8' });
}

function writeSet(data: string, name: string, files: Record<string, readonly object[] | string>): void {
  mkdirSync(join(data, name), { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : content.map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(join(data, name, file), text);
  }
}

test('SE-62: without the folder it says so and exits 3', () => {
  const { status, stderr } = bench('--data', join(temporaryDirectory(), 'missing'));
  expect(status).toBe(3);
  expect(stderr).toContain('no retrieval data in');
});

test('SE-62, SE-63, SE-64, SE-67: sets, groups, measures of each arm and the baseline, as JSON', () => {
  const data = temporaryDirectory();
  writeSet(data, 'tiny', {
    'corpus.jsonl': [
      { id: 'a', text: 'When rotating the webhook secret', group: 'one' },
      { id: 'b', situation: 'When idle', body: 'Deploy the printer driver', group: 'one' },
      { id: 'c', text: 'When rotating the webhook secret', group: 'two' },
    ],
    'queries.jsonl': [
      { id: 'q1', text: 'rotate webhook secrets', group: 'one' },
      { id: 'q2', text: 'the printer driver', group: 'one' },
      { id: 'q3', text: 'rotate webhook secrets', group: 'two' },
    ],
    'qrels.tsv': 'q1\ta\t1\nq1\tb\t0\nq2\tb\t1\nq3\tc\t1\n',
    'no_match.jsonl': [{ id: 'n1', text: 'juice and oranges', group: 'one' }],
    'must_not_return.jsonl': [{ id: 'm1', text: 'rotate webhook secrets', must_not: 'a', group: 'one' }],
  });
  writeSet(data, 'distractors', { 'corpus.jsonl': [{ id: 'd', text: 'no queries: no set' }] });
  const { status, stdout } = bench('--data', data, '--json');
  expect(status).toBe(0);
  const { sets } = JSON.parse(stdout);
  expect(sets.map((set: { set: string }) => set.set)).toEqual(['tiny']);
  for (const arm of ['fused', 'words', 'baseline']) {
    expect(sets[0][arm]).toMatchObject({
      hit1: { value: 1, n: 3 },
      hit5: { value: 1 },
      mrr10: { value: 1 },
      recall5: { value: 1 },
    });
    expect(sets[0][arm]).toMatchObject({ auroc: { value: 1 }, must_not1: { value: 1, n: 1 } });
  }
  expect(sets[0].policies).toMatchObject({ answered_nothing: { value: 0, n: 3 }, false_surface: { value: 0, n: 1 } });
});

test('SE-62: an unknown set is named', () => {
  const data = temporaryDirectory();
  writeSet(data, 'tiny', { 'corpus.jsonl': [], 'queries.jsonl': [] });
  expect(bench('tinny', '--data', data)).toMatchObject({ status: 2, stderr: 'no such set: tinny; there are tiny\n' });
});

test('SE-65: shares have the interval of Wilson', () => {
  const estimate = share([...Array(8).fill(true), ...Array(2).fill(false)]);
  expect(estimate.value).toBe(0.8);
  expect(estimate.low).toBeCloseTo(0.4902, 3);
  expect(estimate.high).toBeCloseTo(0.9433, 3);
  expect(share([true, true, true]).high).toBe(1);
});

test('SE-65: other figures have a bootstrap interval that is the same each time', () => {
  const values = Array.from({ length: 200 }, (_, i) => i / 199);
  const estimate = mean(values);
  expect(estimate.value).toBeCloseTo(0.5, 10);
  expect(estimate.low).toBeGreaterThan(0.44);
  expect(estimate.high).toBeLessThan(0.56);
  expect(mean(values)).toEqual(estimate);
});

test('SE-64, SE-65: AUROC counts pairs, ties half; a difference inside its interval is none', () => {
  expect(auroc([2, 3], [1, 2]).value).toBe(0.875);
  expect(difference([1, 1, 1, 1], [0, 0, 0, 0]).verdict).toBe('above');
  expect(difference([1, 0, 1, 0], [0, 1, 0, 1]).verdict).toBe('none');
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
});
