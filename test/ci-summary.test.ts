import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/ci-summary.mjs', import.meta.url));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engram-summary-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (status: string, ...statuses: string[]) => ({
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
});

function summary(testResults: readonly object[] | null, ...failedSteps: string[]) {
  const report = join(directory, 'report.json');
  if (testResults !== null) writeFileSync(report, JSON.stringify({ testResults }));
  const { status, stdout } = spawnSync(process.execPath, [script, report, ...failedSteps], { encoding: 'utf8' });
  return { status, last: stdout.trimEnd().split('\n').at(-1) };
}

it.each([
  ['all passed', [file('passed', 'passed', 'passed')], [], { status: 0, last: '2 passed, 0 failed' }],
  [
    'skipped ones count as neither',
    [file('passed', 'passed', 'skipped')],
    [],
    { status: 0, last: '1 passed, 0 failed' },
  ],
  ['one failed', [file('failed', 'passed', 'failed')], [], { status: 1, last: '1 passed, 1 failed' }],
  ['a failed test, once', [file('failed', 'failed')], ['npm test'], { status: 1, last: '0 passed, 1 failed' }],
  [
    'a file that cannot be loaded',
    [file('passed', 'passed'), file('failed')],
    [],
    { status: 1, last: '1 passed, 1 failed' },
  ],
  [
    'another step failed',
    [file('passed', 'passed')],
    ['lint', 'type check'],
    { status: 1, last: '1 passed, 2 failed' },
  ],
  ['no report', null, [], { status: 1, last: '0 passed, 1 failed' }],
  ['no report after a failed step', null, ['npm test'], { status: 1, last: '0 passed, 1 failed' }],
] as const)('the last line: %s', (_, results, steps, expected) => {
  expect(summary(results, ...steps)).toEqual(expected);
});

test('no test at all is a failure', () => expect(summary([]).status).toBe(1));
