import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { auroc, difference, mean, percentile, share } from '../../scripts/bench/retrieval/statistics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MAIN = fileURLToPath(new URL('../../scripts/bench/main.mjs', import.meta.url));

function bench(...args: string[]) {
  return run('retrieval', ...args);
}

function run(...args: string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
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
    expect(sets[0][arm]).toMatchObject({ hit1: 1, hit5: 1, mrr10: 1, recall5: 1, auroc: 1, must_not1: 1 });
    expect(sets[0][arm].intervals).toMatchObject({ hit1: { n: 3, high: 1 }, must_not1: { n: 1 } });
    expect(sets[0][arm].intervals.hit1.low).toBeCloseTo(0.4385, 3);
  }
  expect(sets[0]).toMatchObject({ n: 3, no_match: 1 });
  expect(sets[0].policies).toMatchObject({ answered_nothing: 0, false_surface: 0, false_query: 0 });
  expect(sets[0].policies.bytes).toBeGreaterThan(100);
  expect(sets[0].policies.whole_p50_ms).toBeGreaterThan(sets[0].policies.query_p50_ms);
});

test('SE-68, SE-69: the gate and both kinds of crowding, in words alone; kinds of questions; a plot', () => {
  const data = temporaryDirectory();
  const subjects = ['webhook secret', 'printer driver', 'database index', 'login page', 'release branch', 'font cache'];
  writeSet(data, 'tiny', {
    'corpus.jsonl': subjects.map((subject, at) => ({ id: `d${at}`, text: `When replacing the ${subject}` })),
    'queries.jsonl': subjects.map((subject, at) => ({
      id: `q${at}`,
      text: `about to replace a ${subject}`,
      kind: at < 3 ? 'one' : 'other',
    })),
    'qrels.tsv': subjects.map((_, at) => `q${at}\td${at}\t1\n`).join(''),
    'no_match.jsonl': [{ id: 'n1', text: 'juice and oranges' }],
  });
  // A line whose number ends in 7 crowds no store: here it would be an answer where there is none.
  const distractors = Array.from({ length: 10 }, (_, at) => ({
    id: `x${at}`,
    situation: 'Cursor rules',
    text: at === 7 ? 'juice and oranges' : 'Prefer types',
  }));
  writeSet(data, 'distractors', { 'corpus.jsonl': distractors });
  const plot = join(data, 'plot.svg');
  const modes = ['--words', '--crowded', '--neutral', '--gate'];
  const { status, stdout } = bench('--data', data, ...modes, '--plot', plot, '--json');
  expect(status).toBe(0);
  const { sets, crowded, neutral, gate } = JSON.parse(stdout);
  expect(sets[0].by_kind).toMatchObject({ one: { hit1: 1 }, other: { hit1: 1 } });
  expect(crowded[0]).toMatchObject({ set: 'tiny', fused: { hit1: 1 }, policies: { false_query: 0 } });
  expect(neutral[0]).toMatchObject({ set: 'tiny', fused: { hit1: 1 }, policies: { surfaced_right: 1 } });
  expect(gate.map((one: { passed: boolean }) => one.passed)).toEqual([true, true]);
  expect(readFileSync(plot, 'utf8')).toContain('6 with a right memory, 1 without');
});

test('SE-42: calibrate prints constants to paste, with their effect on each set and on sets they never saw', () => {
  const data = temporaryDirectory();
  for (const [set, subject] of [
    ['first', 'webhook secret'],
    ['second', 'printer driver'],
  ] as const) {
    writeSet(data, set, {
      'corpus.jsonl': [
        { id: 'a', text: `When replacing the ${subject}` },
        { id: 'b', text: 'When idle' },
      ],
      'queries.jsonl': [{ id: 'q', text: `replace a ${subject}` }],
      'qrels.tsv': 'q\ta\t1\n',
      'no_match.jsonl': [{ id: 'n', text: 'juice and oranges' }],
    });
  }
  const { status, stdout } = run('calibrate', '--data', data);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}AEL: \[0(, 0\.\d+){16}\],$/m);
  expect(stdout).toMatch(/^export const SURFACE_FLOOR = 0\.\d+;$/m);
  for (const set of ['first', 'second']) {
    for (const constants of ['before', 'after', 'fitted without it']) {
      expect(stdout).toMatch(new RegExp(`^${set} +${constants} .* 0\\.000 +1\\.000 +0\\.\\d+$`, 'm'));
    }
  }
  expect(run('calibrate', '--data', join(data, 'missing')).status).toBe(3);
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
