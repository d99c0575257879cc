import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, test, vi } from 'vitest';
import { openCommandModel } from '../../../src/agent/judge/command.ts';
import type { Asked } from '../../../src/agent/judge/judge-model.ts';
import { parseApplies } from '../../../src/agent/judge/parse-answer.ts';
import { appliesQuestion } from '../../../src/agent/judge/questions.ts';
import { COLUMN, INTENT } from '../../support/judged.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const JUDGE = fileURLToPath(new URL('../../support/misbehaving-judge.mjs', import.meta.url));
const LONG_MS = 20_000;

function ask(
  args: readonly string[],
  { timeoutMs = LONG_MS, env = [] as string[], signal = new AbortController().signal } = {},
) {
  const environment = { ...process.env, SECRET_OF_OTHERS: 'x', WANTED: 'y' };
  const model = openCommandModel({ command: [process.execPath, JUDGE, ...args], env, environment });
  return model.ask(appliesQuestion(INTENT, COLUMN, timeoutMs), { timeoutMs, signal });
}

const reasonOf = (asked: Asked) => {
  if (asked.kind !== 'answer') return asked.reason;
  const parsed = parseApplies(asked.text);
  return typeof parsed === 'string' ? parsed : parsed.value.reason;
};

it.each([
  ['is good', 'good', 'it is the same'],
  ['sets its answer in a code block', 'fenced', 'it is the same'],
  ['answers without reading', 'unread', 'it is the same'],
  ['writes to stderr without end', 'endless-stderr', 'it is the same'],
  ['is silent', 'silent', 'its answer is empty'],
  ['answers more than 64 KiB', 'huge', 'its answer has more than 65536 bytes'],
  ['answers something else than JSON', 'wrong-json', 'its answer is not JSON'],
  ['gives a verdict of its own', 'wrong-verdict', 'its verdict is none of the three'],
  ['gives a score that is none', 'wrong-score', 'its score is no number from 0 to 1'],
  ['ends with another status than 0', 'crash', 'the command ended with status 3'],
  ['is killed', 'kill-itself', 'the command was ended by SIGKILL'],
])('AG-23: a command that %s', async (_, how, reason) => expect(reasonOf(await ask([how]))).toBe(reason));

test('AG-23: what it said on stderr is at hand for a person', async () => {
  expect(await ask(['crash'])).toMatchObject({ kind: 'failed', detail: 'no such model' });
});

it.each(['slow', 'stubborn'])('AG-23: a command that is %s is ended at its deadline', async (how) => {
  expect(await ask([how], { timeoutMs: 300 })).toEqual({ kind: 'late', reason: 'no answer within 300 ms' });
});

test('AG-23: the whole process group is killed at the deadline', async () => {
  const file = join(temporaryDirectory(), 'pids');
  const ending = new AbortController();
  const asked = ask(['slow-family', file], { signal: ending.signal });
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+ \d+$/), LONG_MS);
  ending.abort();
  expect(await asked).toMatchObject({ kind: 'failed' });
  const pids = readFileSync(file, 'utf8').split(' ').map(Number);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), LONG_MS);
});

test('AG-23: a grandchild that keeps stdout open keeps nobody waiting and is ended', async () => {
  const pid = Number(reasonOf(await ask(['grandchild'])));
  expect(pid).toBeGreaterThan(0);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), LONG_MS);
});

test('AG-23: it gets PATH, HOME, LANG and the named variables, no others', async () => {
  const known = ['HOME', 'LANG', 'PATH', 'WANTED'].filter(
    (name) => name === 'WANTED' || process.env[name] !== undefined,
  );
  expect(reasonOf(await ask(['environment'], { env: ['WANTED', 'NOT_SET'] }))).toBe(known.join(' '));
});

test('AG-21: the document has protocol, task, both texts and the time; the instructions stand apart', async () => {
  expect(reasonOf(await ask(['echo']))).toBe('["protocol","task","intent","memory","budget_ms","instructions"]');
});

it.each([
  ['no such program', ['/nowhere/judge']],
  ['it cannot be started', ['bad\0name']],
])('AG-25: %s is a failure like any other', async (reason, command) => {
  const model = openCommandModel({ command, env: [], environment: {} });
  const limits = { timeoutMs: LONG_MS, signal: new AbortController().signal };
  expect(reasonOf(await model.ask(appliesQuestion(INTENT, COLUMN, 1), limits))).toContain(reason);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that nobody has collected yet has ended as well.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
